"""A stored run, played back: what was told of it live is told again, byte for byte.

In: a run as it is stored. Out: its responses, and the frames of each. A response is what one request was answered with:
of most wires one a segment. Only what comes from requests is not in the log, and has to be said again.

Source: docs/cli.md (replay).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from treadle.codec.pause_tokens import TokenKeys, token_for
from treadle.projections.plain.wire import Integers
from treadle.server.delivery import PlainForm
from treadle.server.folded_feed import FIRST, FoldedTelling, until
from treadle.values.events import (
    CLOSING_TYPES,
    PAUSE_TYPES,
    KernelEvent,
    RunStarted,
    ToolAnnounced,
    ToolCall,
)
from treadle.values.ids import CallId, InterruptId
from treadle.values.pauses import PauseKind, PendingInterrupt
from treadle.values.runs import RunState, RunStatus
from treadle.values.stretches import EntryStretch, Stretch, events_of


class StoredRun:
    """A run as it is stored, and where its segments begin.

    Shape: `prompt` is what was asked, "" for a run that has not begun; `asks` are the tools whose calls it has asked
        somebody about, and whom. Segments count from 1.
    """

    def __init__(self, state: RunState, stretches: Sequence[Stretch]) -> None:
        self.state = state
        self.stretches = tuple(stretches)
        self.prompt = ""
        self.asks: dict[str, PauseKind] = {}
        self._closings: list[int] = []
        self._waiting: list[tuple[PendingInterrupt, ...]] = []
        self._names: dict[CallId, str] = {}
        self._last = FIRST
        for stretch in self.stretches:
            if isinstance(stretch, EntryStretch):
                for event in events_of(stretch, state.run_id):
                    self._see(event)
            self._last = stretch.index + stretch.events - 1

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing comes but what somebody answers."""
        return self.state.is_final or self.state.status is RunStatus.WAITING

    @property
    def segments(self) -> int:
        """How many have begun; one in a run that has not."""
        closed = len(self._closings)
        return closed + (closed == 0 or self._last > self._closings[-1])

    def before(self, segment: int) -> int:
        """The index of the last event before a segment; -1 for the first."""
        return FIRST if segment == 1 else self._closings[segment - 2]

    def end(self, segment: int) -> int:
        """The index of the last event of a segment by now."""
        return self._closings[segment - 1] if segment <= len(self._closings) else self._last

    def when_answered(self, segment: int) -> RunState:
        """The run as it stood when all was answered that the segment goes on with."""
        return replace(self.state, status=RunStatus.READY, next_index=self.before(segment) + 1)

    def answered(self, segment: int) -> frozenset[InterruptId]:
        """The pauses that a segment goes on with."""
        return frozenset(one.interrupt_id for one in self._waiting[segment - 2])

    def _see(self, event: KernelEvent) -> None:
        if isinstance(event, RunStarted):
            self.prompt = event.prompt
        elif isinstance(event, ToolAnnounced):
            self._names[event.call_id] = event.name
        elif isinstance(event, ToolCall):
            self._names[event.request.call_id] = event.request.name
        if isinstance(event, CLOSING_TYPES):
            self._closings.append(event.index)
            self._waiting.append(event.pending if isinstance(event, PAUSE_TYPES) else ())
            self.asks |= {self._names[one.call_id]: one.kind for one in self._waiting[-1] if one.call_id in self._names}


class Played(Protocol):
    """One response of a run."""

    def frames(self, run: StoredRun, /) -> Iterator[str]:
        """What was sent, in pieces, without comments."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedTelling:
    """A response in a protocol's words. `first` is what is sent before the run says anything."""

    telling: FoldedTelling
    first: str = ""

    def frames(self, run: StoredRun, /) -> Iterator[str]:
        """What was sent, in pieces, without comments."""
        yield self.first
        fold = self.telling.fold(run.state.run_id)
        for stretch in run.stretches:
            while not fold.is_over and fold.at < stretch.index + stretch.events - 1:
                yield self.telling.framed(fold.payloads(stretch))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedEvents:
    """A response of kernel events in their own words, behind one of them up to another."""

    form: PlainForm
    integers: Integers
    after: int
    last: int

    def frames(self, run: StoredRun, /) -> Iterator[str]:
        """What was sent, in pieces, without comments."""
        opening = self.form.opening.decode()
        for stretch in run.stretches:
            if stretch.index > self.last:
                break
            told = self.form.framing(
                until(stretch, self.last), run.state.run_id, after=self.after, integers=self.integers
            )
            if told:
                yield opening + "".join(told)
                opening = ""


NO_KEY: Final = "there is no key for the tokens of pauses, so they are left out"


class Tokens:
    """The tokens of a run's pauses, as whoever may answer them was told. `were_missed`: one was asked for in vain."""

    def __init__(self, run: RunState, keys: TokenKeys | None) -> None:
        self._scope = run.scope
        self._keys = keys
        self.were_missed = False

    def of(self, pending: PendingInterrupt) -> str | None:
        """The token of a pause; None where there are no keys."""
        if self._keys is None:
            self.were_missed = True
            return None
        return token_for(pending, scope=self._scope, keys=self._keys)
