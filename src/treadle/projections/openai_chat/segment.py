"""One segment of a run as a chat completion, streamed or whole: which events are told, and how it can end.

In: stretches, in log order from the first; what comes before the segment is folded in silence, and nothing comes behind
it. Out: payloads, as whoever derives from this says them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from treadle.codec.failure_words import CANCELLED
from treadle.projections.openai_chat.wire import CUT
from treadle.values import events as ev
from treadle.values.events import CLOSING_TYPES, KernelEvent
from treadle.values.ids import RunId
from treadle.values.model import TEXT, THINKING
from treadle.values.pauses import PendingInterrupt
from treadle.values.stretches import SpeechStretch, Stretch, events_of
from treadle.values.usage import NO_USAGE, UsageDelta, usage_since

FIELDS: Final[Mapping[str, str]] = {TEXT: "content", THINKING: "reasoning_content"}
"""The field that holds this kind of speech. Argument text is not told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a reader wants to be told, and may do.

    Shape: `segment` counts from 1. `token_of` gives the token of a pause, None where the reader may not answer it or
        cannot see what it asks; it is the same function for all who may the same (`may_answer`). `tells_losses`:
        what was lost of a tool's progress or a source's events would have been told.
    """

    model: str
    segment: int = 1
    include_usage: bool = False
    may_answer: bool = True
    tells_losses: bool = False
    token_of: Callable[[PendingInterrupt], str | None] = field(compare=False)


class ChatSegment(ABC):
    """One segment of a run.

    Shape: `TABLE` says what tells an event; None: it is not told. Total: an event class that is not in it is a
        `KeyError`.
    """

    TABLE: ClassVar[Mapping[type[KernelEvent], Callable[[Any, Any], list[str]] | None]]

    def __init__(self, run_id: RunId, options: Options) -> None:
        self.is_over = False
        self._run_id = run_id
        self._options = options
        self._segment = 1
        self._at_s = 0.0
        self._before: UsageDelta = NO_USAGE

    def payloads(self, stretch: Stretch, /) -> list[str]:
        """What the next stretch says."""
        if isinstance(stretch, SpeechStretch):
            return self._spoken(stretch.kind, stretch.texts)
        self._at_s = stretch.at_s
        said: list[str] = []
        for event in events_of(stretch, self._run_id):
            if self.is_over:
                break
            said += self._told(event)
        return said

    @property
    def _is_at_hand(self) -> bool:
        """Whether what comes is of the segment."""
        return self._segment == self._options.segment

    def _told(self, event: KernelEvent) -> list[str]:
        tell = self.TABLE[type(event)]
        if self._is_at_hand:
            return [] if tell is None else tell(self, event)
        if isinstance(event, CLOSING_TYPES):
            self._segment += 1
            self._before = event.outcome.usage
        return []

    def _piece(self, event: ev.TextDelta | ev.Thinking) -> list[str]:
        return self._spoken(TEXT if isinstance(event, ev.TextDelta) else THINKING, (event.text,))

    def _done(self, event: ev.Done) -> list[str]:
        return self._finished(event, "stop")

    def _errored(self, event: ev.Error) -> list[str]:
        if event.code in CUT:
            return self._finished(event, CUT[event.code])
        return self._failed(event, event.code, detail=event.detail, reference=event.reference)

    def _cancelled(self, event: ev.Cancelled) -> list[str]:
        return self._failed(event, CANCELLED)

    def _spent(self, event: ev.ClosingEvent) -> UsageDelta:
        """What the segment has used."""
        return usage_since(event.outcome.usage, self._before)

    @abstractmethod
    def _spoken(self, kind: str, texts: tuple[str, ...]) -> list[str]:
        """Pieces of speech, of this segment or of one before it."""

    @abstractmethod
    def _finished(self, event: ev.ClosingEvent, finish_reason: str) -> list[str]:
        """It came to its end."""

    @abstractmethod
    def _failed(self, event: ev.ClosingEvent, code: str, **more: str | None) -> list[str]:
        """It did not."""

    COMMON: ClassVar[Mapping[type[KernelEvent], Callable[[Any, Any], list[str]]]] = {
        ev.Thinking: _piece,
        ev.TextDelta: _piece,
        ev.Done: _done,
        ev.Error: _errored,
        ev.Cancelled: _cancelled,
    }
    """What of `TABLE` is alike, however a completion is told."""
