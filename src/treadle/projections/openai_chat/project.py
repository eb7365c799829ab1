"""Stretches of a run's log to the chunks of a chat completion.

In: stretches, in log order from the first. Out: payloads of one segment of the run, in order; what comes before that
segment is folded in silence, and nothing comes behind it. Text is `content`, thinking `reasoning_content`. A pause is
calls of tools that the client is to answer, and their ids are tokens. What the server's own tools do is beside the
choice, if it is told at all: to say it as calls would ask the client to run them.

Shape: the role first, usage last where it is asked for, then `[DONE]`; an error ends without a finish reason. A chunk
that was said cannot be taken back, so a retraction of anything said ends the completion; the run goes on.

Source: docs/protocols/openai.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from treadle.codec.events import kernel_event_json
from treadle.codec.failure_words import CANCELLED, DECISION_DUE, RESTARTED
from treadle.projections.openai_chat.wire import (
    CUT,
    DONE,
    NOTE,
    Chunks,
    completion_id,
    error_json,
    spoken_chunks,
    tool_calls,
    usage_json,
)
from treadle.values import events as ev
from treadle.values.events import CLOSING_TYPES, KernelEvent
from treadle.values.ids import RunId
from treadle.values.model import TEXT, THINKING
from treadle.values.pauses import PendingInterrupt
from treadle.values.stretches import SpeechStretch, Stretch, events_of
from treadle.values.usage import NO_USAGE, UsageDelta, usage_since

FIELDS: Final[Mapping[str, str]] = {TEXT: "content", THINKING: "reasoning_content"}
"""The field of a delta that holds a piece of this kind of speech. Argument text is not told."""


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


class ChatRun:
    """One segment of a run as chunks."""

    def __init__(self, run_id: RunId, options: Options) -> None:
        self.is_over = False
        self._run_id = run_id
        self._options = options
        self._chunks = Chunks(completion="", model="", created=0)
        self._templates: dict[str, tuple[str, str]] = {}
        self._segment = 1
        self._at_s = 0.0
        self._before: UsageDelta = NO_USAGE
        self._has_spoken = False
        """Whether anything was said of the attempt at hand."""

    def payloads(self, stretch: Stretch, /) -> list[str]:
        """The chunks that the next stretch says."""
        if isinstance(stretch, SpeechStretch):
            return self._spoken(stretch.kind, stretch.texts)
        self._at_s = stretch.at_s
        said: list[str] = []
        for event in events_of(stretch, self._run_id):
            if self.is_over:
                break
            said += self._told(event)
        return said

    def _told(self, event: KernelEvent) -> list[str]:
        tell = self.TABLE[type(event)]
        if self._segment == self._options.segment:
            return [] if tell is None else tell(self, event)
        if isinstance(event, CLOSING_TYPES):
            self._segment += 1
            self._before = event.outcome.usage
        return []

    def _opened(self, _: ev.RunStarted | ev.Resumed) -> list[str]:
        named = completion_id(self._run_id, self._segment)
        self._chunks = Chunks(completion=named, model=self._options.model, created=int(self._at_s))
        self._templates = {kind: self._chunks.spoken(name) for kind, name in FIELDS.items()}
        return [self._chunks.delta({"role": "assistant", "content": ""})]

    def _piece(self, event: ev.TextDelta | ev.Thinking) -> list[str]:
        return self._spoken(TEXT if isinstance(event, ev.TextDelta) else THINKING, (event.text,))

    def _spoken(self, kind: str, texts: tuple[str, ...]) -> list[str]:
        template = self._templates.get(kind)
        if template is None or self.is_over:
            return []
        self._has_spoken = True
        return spoken_chunks(template, texts)

    def _attempted(self, _: ev.RoundStarted) -> list[str]:
        self._has_spoken = False
        return []

    def _noted(self, event: KernelEvent) -> list[str]:
        return [self._chunks.beside(**{NOTE: kernel_event_json(event)})]

    def _dropped(self, event: ev.Dropped) -> list[str]:
        return self._noted(event) if self._options.tells_losses else []

    def _retracted(self, _: ev.Retracted) -> list[str]:
        if not self._has_spoken:
            return []
        self.is_over = True
        return [error_json(RESTARTED), DONE]

    def _paused(self, event: ev.PauseEvent) -> list[str]:
        calls = tool_calls(event, self._options.token_of)
        if not calls:
            return self._failed(event, DECISION_DUE)
        told = [self._chunks.delta({"tool_calls": [{"index": at, **call}]}) for at, call in enumerate(calls)]
        return [*told, *self._finished(event, "tool_calls")]

    def _done(self, event: ev.Done) -> list[str]:
        return self._finished(event, "stop")

    def _errored(self, event: ev.Error) -> list[str]:
        if event.code in CUT:
            return self._finished(event, CUT[event.code])
        return self._failed(event, event.code, detail=event.detail, reference=event.reference)

    def _cancelled(self, event: ev.Cancelled) -> list[str]:
        return self._failed(event, CANCELLED)

    def _finished(self, event: ev.ClosingEvent, finish_reason: str) -> list[str]:
        self.is_over = True
        return [self._chunks.delta({}, finish_reason=finish_reason), *self._usage(event), DONE]

    def _failed(self, event: ev.ClosingEvent, code: str, **more: str | None) -> list[str]:
        self.is_over = True
        return [*self._usage(event), error_json(code, **more), DONE]

    def _usage(self, event: ev.ClosingEvent) -> list[str]:
        if not self._options.include_usage:
            return []
        return [self._chunks.beside(usage=usage_json(usage_since(event.outcome.usage, self._before)))]

    TABLE: ClassVar[Mapping[type[KernelEvent], Callable[[ChatRun, Any], list[str]] | None]] = {
        ev.RunStarted: _opened,
        ev.Resumed: _opened,
        ev.Stage: None,
        ev.RoundStarted: _attempted,
        ev.RoundEnded: None,
        ev.Thinking: _piece,
        ev.TextDelta: _piece,
        ev.ToolAnnounced: None,
        ev.ToolArguments: None,
        ev.ToolCall: _noted,
        ev.ToolProgress: _noted,
        ev.ToolResult: _noted,
        ev.Retracted: _retracted,
        ev.Extracted: _noted,
        ev.Extension: _noted,
        ev.Dropped: _dropped,
        ev.AskUser: _paused,
        ev.Interrupt: _paused,
        ev.Done: _done,
        ev.Error: _errored,
        ev.Cancelled: _cancelled,
    }
    """Total: an event class that is not in it is a `KeyError`."""
