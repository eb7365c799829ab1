"""A run's log by segments, and what of each may be told on a wire that cannot take anything back.

In: a run that could have happened. Out: of each segment its text, its thinking and how it ends. Written without the
projections, so that they can be held against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from tests.projections.legal_logs import LegalRun
from treadle.values import events as ev
from treadle.values.events import CLOSING_TYPES
from treadle.values.exposure import Exposure, exposed_stretches
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import PendingInterrupt
from treadle.values.stretches import Stretch, events_of
from treadle.values.usage import NO_USAGE, UsageDelta, usage_since

RESTARTED = "restarted"


@dataclass
class Segment:
    """What a reader is told of one segment.

    Shape: `end` is `done`, `cancelled`, `paused`, `restarted`, or the code of an error; `texts` are passages in order,
        each its kind and its text.
    """

    number: int
    passages: list[tuple[str, str]] = field(default_factory=list)
    end: str = ""
    pending: tuple[PendingInterrupt, ...] = ()
    usage: UsageDelta = NO_USAGE

    @property
    def text(self) -> str:
        """All text."""
        return "".join(text for kind, text in self.passages if kind == "text")

    @property
    def thinking(self) -> str:
        """All thinking."""
        return "".join(text for kind, text in self.passages if kind == "thinking")


def shown(run: LegalRun, exposure: Exposure, stretches: Sequence[Stretch] | None = None) -> list[Stretch]:
    """A log as a mount knows it."""
    return [part for one in stretches or run.stretches for part in exposed_stretches(one, exposure)]


def at_one_time(run: LegalRun) -> list[Stretch]:
    """A log whose stretches all have one time: those that a store joins have, where entries are among them."""
    return [replace(stretch, at_s=1_000_000_000.5) for stretch in run.stretches]


def segments_of(run: LegalRun, exposure: Exposure, *, takes_back: bool) -> Iterator[Segment]:
    """What is told of each segment. `takes_back`: what was retracted is left out; else it ends what is told."""
    events = [event for stretch in shown(run, exposure) for event in events_of(stretch, run.run_id)]
    before = NO_USAGE
    for number, segment in enumerate(_split(events), 1):
        told = _told(number, segment, takes_back=takes_back)
        outcome: InvocationOutcome = segment[-1].outcome  # type: ignore[union-attr]  # a segment ends with its closing event
        told.usage, before = usage_since(outcome.usage, before), outcome.usage
        yield told


def _split(events: Iterable[ev.KernelEvent]) -> Iterator[list[ev.KernelEvent]]:
    segment: list[ev.KernelEvent] = []
    for event in events:
        segment.append(event)
        if isinstance(event, CLOSING_TYPES):
            yield segment
            segment = []


def _told(number: int, events: Sequence[ev.KernelEvent], *, takes_back: bool) -> Segment:
    told, begins, passage = Segment(number=number, end=_end_of(events[-1])), 0, 0
    for event in events:
        match event:
            case ev.TextDelta() | ev.Thinking():
                kind = "text" if isinstance(event, ev.TextDelta) else "thinking"
                is_more = event.passage == passage
                told.passages[-1 if is_more else len(told.passages) :] = [
                    (kind, (told.passages[-1][1] if is_more else "") + event.text)
                ]
                passage = event.passage
            case ev.RoundStarted():
                begins, passage = len(told.passages), 0
            case ev.Retracted() if takes_back:
                del told.passages[begins:]
            case ev.Retracted() if len(told.passages) > begins:
                told.end = RESTARTED
                return told
            case ev.AskUser() | ev.Interrupt():
                told.pending = event.pending
            case _:
                pass
    return told


def _end_of(closing: ev.KernelEvent) -> str:
    if isinstance(closing, ev.Error):
        return closing.code
    return "paused" if isinstance(closing, ev.AskUser | ev.Interrupt) else closing.kind
