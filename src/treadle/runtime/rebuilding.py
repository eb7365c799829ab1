"""A run's log to the parts that go on with it: machine, text and passages as they stood.

A log is only ever cut between two inputs, since a batch is sealed between two steps of the run; what was under way in
the step at hand is gone, and the machine is told so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from treadle.kernel.inputs import Input, PauseExpired, TookOver
from treadle.kernel.machine import Machine
from treadle.kernel.transitions import Phase
from treadle.ports.clock import Clock
from treadle.ports.store import Store
from treadle.runtime.appender import PENDING
from treadle.runtime.attach import made_filters
from treadle.runtime.attached import RunParts
from treadle.runtime.kind_runs import KindRuns
from treadle.runtime.loop import RunLoop
from treadle.runtime.redaction import Redaction
from treadle.runtime.served import ServedAgent
from treadle.runtime.shown_so_far import ShownSoFar
from treadle.runtime.thread_history import entries_stored
from treadle.runtime.writer import Writer
from treadle.text.close_state import CloseState
from treadle.values.events import EVENT_TYPES, Retracted, RoundEnded, RoundStarted, TextDelta, Thinking
from treadle.values.limits import RunRules
from treadle.values.requests import TurnRequest
from treadle.values.runs import Lease

ASKED_AGAIN_S: Final = 7 * 24 * 3600.0
"""Seconds that a pause which is asked again stays open."""

_EVENTS: Final = frozenset(EVENT_TYPES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """A run as its log tells it.

    Shape: `shown` is all un-retracted text, `begins` where the last round begins in it; `is_under_way` says that a
    reader has seen something of a turn that had not finished.
    """

    machine: Machine
    next_index: int
    passage: int
    shown: str
    begins: int
    is_under_way: bool

    @property
    def is_new(self) -> bool:
        """Whether nothing was written yet."""
        return self.machine.phase is Phase.NEW

    @property
    def is_waiting(self) -> bool:
        """Whether the run waits for people."""
        return self.machine.phase is Phase.WAITING

    @property
    def wake_at_s(self) -> float | None:
        """When the first open pause is over."""
        times = [pause.expires_at for pause in self.machine.standing.pauses.values() if pause.expires_at is not None]
        return min(times) if times else None

    def first_inputs(self, *, now_s: float, idempotent: frozenset[str]) -> tuple[Input, ...]:
        """What the machine is told first, if the run is not new: that a worker was lost, or that pauses are over."""
        if self.is_new:
            return ()
        if not self.is_waiting:
            return (TookOver(shown=self.is_under_way, idempotent=idempotent),)
        pauses = self.machine.standing.pauses.values()
        over = [pause for pause in pauses if pause.expires_at is not None and pause.expires_at <= now_s]
        return tuple(PauseExpired(interrupt_id=pause.interrupt_id, next_expires_at=_again(now_s)) for pause in over)

    def parts(
        self,
        *,
        request: TurnRequest,
        rules: RunRules,
        served: ServedAgent,
        clock: Clock,
        told: Callable[[Input], None],
    ) -> RunParts:
        """The parts that go on with the run, or begin it."""
        filters = made_filters(served.filters)
        # The text of a turn that is taken back is not there any more when its retraction is written.
        is_asking = self.machine.phase is Phase.ASKING
        state = CloseState(filters, shown=self.shown[: self.begins] if is_asking else self.shown, answer_at=self.begins)
        runs = KindRuns(clock.now_s, bounded=True, limit=self.next_index + PENDING, first=self.next_index)
        writer = Writer(
            run_id=request.run_id,
            runs=runs,
            state=state,
            redaction=Redaction.among(filters),
            passage=self.passage,
        )
        loop = RunLoop(
            model=served.model,
            toolbox=served.toolbox,
            clock=clock,
            writer=writer,
            rules=rules,
            instructions=served.instructions,
            machine=self.machine,
            told=told,
        )
        return RunParts(request=request, runs=runs, loop=loop)


async def rebuilt_run(store: Store, lease: Lease, served: ServedAgent) -> Rebuilt:
    """Read a run's log and rebuild what it leads to."""
    entries = await entries_stored(store, lease.scope, lease.run_id, load=served.load_payload)
    shown, passage, is_under_way = ShownSoFar(), 0, False
    for entry in entries:
        if type(entry) not in _EVENTS:
            continue
        shown.add(entry)  # type: ignore[arg-type]  # it is an event by the line above
        if isinstance(entry, TextDelta | Thinking):
            passage = max(passage, entry.passage)
        is_under_way = isinstance(entry, RoundStarted) or (is_under_way and not _ends_turn(entry))
    return Rebuilt(
        machine=Machine.rebuilt(entries),
        next_index=lease.next_index,
        passage=passage,
        shown=shown.text,
        begins=len(shown.text) - len(shown.answer),
        is_under_way=is_under_way,
    )


def _ends_turn(entry: object) -> bool:
    return isinstance(entry, RoundEnded | Retracted)


def _again(now_s: float) -> float:
    """When a pause that is asked once more is over."""
    return now_s + ASKED_AGAIN_S
