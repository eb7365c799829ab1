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
from typing import Any, ClassVar

from treadle.codec.events import kernel_event_json
from treadle.codec.failure_words import DECISION_DUE, RESTARTED
from treadle.projections.openai_chat.segment import FIELDS, ChatSegment, Options
from treadle.projections.openai_chat.wire import (
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
from treadle.values.events import KernelEvent
from treadle.values.ids import RunId


class ChatRun(ChatSegment):
    """One segment of a run as chunks."""

    def __init__(self, run_id: RunId, options: Options) -> None:
        super().__init__(run_id, options)
        self._chunks = Chunks(completion="", model="", created=0)
        self._templates: dict[str, tuple[str, str]] = {}
        self._has_spoken = False
        """Whether anything was said of the attempt at hand."""

    def _opened(self, _: ev.RunStarted | ev.Resumed) -> list[str]:
        named = completion_id(self._run_id, self._segment)
        self._chunks = Chunks(completion=named, model=self._options.model, created=int(self._at_s))
        self._templates = {kind: self._chunks.spoken(name) for kind, name in FIELDS.items()}
        return [self._chunks.delta({"role": "assistant", "content": ""})]

    def _spoken(self, kind: str, texts: tuple[str, ...]) -> list[str]:
        template = self._templates.get(kind)
        if template is None or self.is_over:
            return []  # Before its segment there are no templates.
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

    def _finished(self, event: ev.ClosingEvent, finish_reason: str) -> list[str]:
        self.is_over = True
        return [self._chunks.delta({}, finish_reason=finish_reason), *self._usage(event), DONE]

    def _failed(self, event: ev.ClosingEvent, code: str, **more: str | None) -> list[str]:
        self.is_over = True
        return [*self._usage(event), error_json(code, **more), DONE]

    def _usage(self, event: ev.ClosingEvent) -> list[str]:
        if not self._options.include_usage:
            return []
        return [self._chunks.beside(usage=usage_json(self._spent(event)))]

    TABLE: ClassVar[Mapping[type[KernelEvent], Callable[[ChatRun, Any], list[str]] | None]] = {
        **ChatSegment.COMMON,
        ev.RunStarted: _opened,
        ev.Resumed: _opened,
        ev.Stage: None,
        ev.RoundStarted: _attempted,
        ev.RoundEnded: None,
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
    }
    """Total: an event class that is not in it is a `KeyError`."""
