"""A stored run at a glance: where it stands and what it has said, folded from its log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from treadle.runtime.shown_so_far import ShownSoFar
from treadle.values.events import CLOSING_TYPES, AskUser, ClosingEvent, Error, Interrupt, RunStarted
from treadle.values.facts import FACT_TYPES, RoundCut, TurnKept
from treadle.values.ids import RunId, ThreadId
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import PendingInterrupt
from treadle.values.runs import Cursor, RunState, RunStatus
from treadle.values.stretches import Stretch, entries_of
from treadle.values.usage import NO_USAGE, UNMEASURED_ROUND, UsageDelta

_FACTS: Final = frozenset(FACT_TYPES)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """A run at a glance.

    Shape: `outcome` is that of the last closing event, None while the segment goes on; `text` and `answer` are what
    was shown by now; `error_code` is set for a run that ended `error`.
    Units: times are UTC seconds.
    """

    run_id: RunId
    thread_id: ThreadId
    agent: str
    state: RunStatus
    text: str
    answer: str
    usage: UsageDelta
    outcome: InvocationOutcome | None
    pending: tuple[PendingInterrupt, ...]
    error_code: str | None
    created_s: float
    changed_s: float
    events: int
    """How many events the log holds."""
    prompt: str = ""
    """What its user said; "" where the run has not begun."""
    cursor: str | None = None
    """Stands on the last event that is in this view: whoever reads on after it sees every later one. None: no event."""
    segments: int = 0
    """How many segments have closed."""


def view_of(state: RunState, stretches: Sequence[Stretch]) -> RunView:
    """The view of a run from its state and all that is stored of it."""
    shown, usage, prompt, segments = ShownSoFar(), NO_USAGE, "", 0
    closing: ClosingEvent | None = None
    for entry in entries_of(stretches, state.run_id):
        if isinstance(entry, TurnKept | RoundCut):
            spent = entry.turn.usage if isinstance(entry, TurnKept) else entry.usage
            usage = usage + (spent if spent.reported else UNMEASURED_ROUND)
        elif type(entry) not in _FACTS:
            shown.add(entry)  # type: ignore[arg-type]  # what is no fact is an event
            prompt = entry.prompt if isinstance(entry, RunStarted) else prompt
            closing = entry if isinstance(entry, CLOSING_TYPES) else None
            segments += closing is not None
    ended = closing.outcome if closing is not None else None
    return RunView(
        run_id=state.run_id,
        thread_id=state.thread_id,
        agent=state.agent,
        state=state.status,
        text=shown.text,
        answer=shown.answer if ended is None else ended.answer,
        usage=usage if ended is None else ended.usage,
        outcome=ended,
        pending=closing.pending if isinstance(closing, AskUser | Interrupt) else (),
        error_code=closing.code if isinstance(closing, Error) else None,
        created_s=state.created_s,
        changed_s=state.changed_s,
        events=state.next_index,
        prompt=prompt,
        cursor=_last_cursor(stretches),
        segments=segments,
    )


def _last_cursor(stretches: Sequence[Stretch]) -> str | None:
    last = next((stretch for stretch in reversed(stretches) if stretch.events), None)
    return None if last is None else str(Cursor(epoch=last.epoch, index=last.index + last.events - 1))
