"""A run's log to the parts that go on with it: machine, text and passages as they stood.

A log is only ever cut between two inputs, since a batch is sealed between two steps of the run; what was under way in
the step at hand is gone, and the machine is told so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from treadle.kernel.inputs import Input, TookOver
from treadle.kernel.machine import Machine
from treadle.kernel.standing import Standing
from treadle.kernel.takeover import SILENT_OWNERS
from treadle.kernel.transitions import Phase
from treadle.ports.clock import Clock
from treadle.runtime.appender import PENDING
from treadle.runtime.attach import made_filters
from treadle.runtime.attached import RunParts
from treadle.runtime.kind_runs import KindRuns
from treadle.runtime.loop import RunLoop
from treadle.runtime.redaction import Redaction
from treadle.runtime.served import ServedAgent
from treadle.runtime.thread_history import loaded
from treadle.runtime.writer import Writer
from treadle.text.close_state import CloseState
from treadle.values.events import Retracted, RoundEnded, RoundStarted, TextDelta, Thinking
from treadle.values.facts import RoundOpened
from treadle.values.ids import InterruptId
from treadle.values.limits import RunRules
from treadle.values.records import Entry
from treadle.values.requests import TurnRequest
from treadle.values.runs import Lease
from treadle.values.stretches import Stretch, entries_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """A run as its log tells it.

    Shape: `shown` is all un-retracted text, `begins` where the last round begins in it; `is_under_way` says that a
    reader has seen something of a turn that had not finished; `silent_owners` is as in `TookOver`.
    Units: `lived_s` is how long it was at work, as far as its log tells: waiting for people and for an owner are not.
    """

    machine: Machine
    next_index: int
    passage: int = 0
    shown: str = ""
    begins: int = 0
    is_under_way: bool = False
    lived_s: float = 0.0
    silent_owners: int = 0

    @property
    def is_new(self) -> bool:
        """Whether nothing was written yet."""
        return self.machine.phase is Phase.NEW

    @property
    def is_waiting(self) -> bool:
        """Whether the run waits for people."""
        return self.machine.phase is Phase.WAITING

    def first_inputs(self, *, idempotent: frozenset[str]) -> tuple[Input, ...]:
        """What the machine is told, after what people have sent: that a worker was lost, if one was."""
        if self.is_waiting or (self.is_new and self.silent_owners < SILENT_OWNERS):
            return ()
        return (TookOver(shown=self.is_under_way, idempotent=idempotent, silent_owners=self.silent_owners),)

    def expired(self, *, now_s: float, was_sent_to: bool) -> tuple[InterruptId, ...]:
        """The pauses that are over, if nobody has answered them.

        A waiting run is claimed when something was sent to it or when, by the store's clock, the time of its first
        pause has come; then that one is over, whatever this clock says.
        """
        if not self.is_waiting:
            return ()
        standing = self.machine.standing
        first_s = None if was_sent_to else wake_at_of(standing)
        due_s = now_s if first_s is None else max(first_s, now_s)
        return tuple(
            name
            for name, pause in standing.pauses.items()
            if name not in standing.answers and pause.expires_at is not None and pause.expires_at <= due_s
        )

    def parts(
        self,
        *,
        request: TurnRequest,
        rules: RunRules,
        served: ServedAgent,
        clock: Clock,
        told: Callable[[Input], None],
        spare: CloseState | None = None,
    ) -> RunParts:
        """The parts that go on with the run, or begin it. `spare`: the text of a run of this agent, not begun."""
        filters = made_filters(served.filters)
        if spare is None or self.shown:
            spare = CloseState(filters, shown=self.shown, answer_at=self.begins)
        runs = KindRuns(clock.now_s, bounded=True, limit=self.next_index + PENDING, first=self.next_index)
        writer = Writer(
            run_id=request.run_id,
            runs=runs,
            state=spare,
            redaction=Redaction.among(filters),
            passage=self.passage,
            has_shown=self.is_under_way,
        )
        loop = RunLoop(served=served, rules=rules, clock=clock, writer=writer, machine=self.machine, told=told)
        loop.lived_s = self.lived_s
        return RunParts(request=request, runs=runs, loop=loop)


def rebuilt_run(stretches: Sequence[Stretch], lease: Lease, served: ServedAgent) -> Rebuilt:
    """What all that is stored of a run leads to.

    Raises:
        RecordFormatError: A turn's payload cannot be read.
    """
    silent_owners = max(0, lease.epoch - (stretches[-1].epoch if stretches else 0) - 1)
    if not stretches:
        return Rebuilt(machine=Machine(), next_index=lease.next_index, silent_owners=silent_owners)
    entries = loaded(entries_of(stretches, lease.run_id), served.load_payload)
    rebuilt = rebuilt_from(entries, next_index=lease.next_index)
    return replace(rebuilt, lived_s=lived_of(stretches), silent_owners=silent_owners)


def lived_of(stretches: Sequence[Stretch]) -> float:
    """For how many seconds a run was at work: of each owner, from the first to the last that it wrote.

    A run that waits has no owner, and whoever takes it up again is another.
    """
    return sum(
        max(0.0, after.at_s - before.at_s) for before, after in pairwise(stretches) if before.epoch == after.epoch
    )


def rebuilt_from(entries: Iterable[Entry], *, next_index: int) -> Rebuilt:
    """What the entries of a run, in order, lead to."""
    shown: list[str] = []
    begins, passage, is_under_way = 0, 0, False
    entries = list(entries)
    for entry in entries:
        match entry:
            case TextDelta(text=text):
                shown.append(text)
                passage = max(passage, entry.passage)
            case Thinking():
                passage = max(passage, entry.passage)
            case RoundOpened(attempt=1):
                begins = len(shown)
            case RoundStarted():
                is_under_way = True
            case RoundEnded():
                is_under_way = False
            case Retracted():
                del shown[begins:]
                is_under_way = False
            case _:
                pass
    machine = Machine.rebuilt(entries)
    return Rebuilt(
        machine=machine,
        next_index=next_index,
        passage=passage,
        shown="".join(shown),
        begins=len("".join(shown[:begins])),
        is_under_way=is_under_way,
    )


def wake_at_of(standing: Standing) -> float | None:
    """When the first pause that nobody has settled is over."""
    open_pauses = [pause for name, pause in standing.pauses.items() if name not in standing.answers]
    times = [pause.expires_at for pause in open_pauses if pause.expires_at is not None]
    return min(times) if times else None
