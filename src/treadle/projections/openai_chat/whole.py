"""Stretches of a run's log to one whole chat completion, for a client that does not stream.

In: stretches, in log order from the first. Out: nothing until the segment asked for has closed, then one payload: the
completion, or the error that it ended with. Nothing was said before, so what was retracted is simply not in it.

Source: docs/protocols/openai.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from treadle.codec.failure_words import DECISION_DUE
from treadle.projections.openai_chat.segment import FIELDS, ChatSegment, Options
from treadle.projections.openai_chat.wire import completion_id, completion_json, error_json, tool_calls, usage_json
from treadle.values import events as ev
from treadle.values.events import KernelEvent
from treadle.values.ids import RunId
from treadle.values.mappings import Json
from treadle.values.model import TEXT, THINKING


class WholeCompletion(ChatSegment):
    """One segment of a run as one completion.

    Shape: `failure` is the code of the error that the payload is; None for a completion.
    """

    def __init__(self, run_id: RunId, options: Options) -> None:
        super().__init__(run_id, options)
        self.failure: str | None = None
        self._created = 0
        self._said: list[tuple[str, str]] = []
        """Pieces of the segment: the field they belong to, and the text."""
        self._begins = 0
        """How many had been said when the attempt at hand began."""

    def _opened(self, _: ev.RunStarted | ev.Resumed) -> list[str]:
        self._created = int(self._at_s)
        return []

    def _spoken(self, kind: str, texts: tuple[str, ...]) -> list[str]:
        name = FIELDS.get(kind)
        if name is not None and self._is_at_hand:
            self._said += [(name, text) for text in texts]
        return []

    def _attempted(self, _: ev.RoundStarted) -> list[str]:
        self._begins = len(self._said)
        return []

    def _retracted(self, _: ev.Retracted) -> list[str]:
        del self._said[self._begins :]
        return []

    def _paused(self, event: ev.PauseEvent) -> list[str]:
        calls = tool_calls(event, self._options.token_of)
        if not calls:
            return self._failed(event, DECISION_DUE)
        return self._finished(event, "tool_calls", tool_calls=calls)

    def _finished(self, event: ev.ClosingEvent, finish_reason: str, **more: Json) -> list[str]:
        self.is_over = True
        spoken = {name: "".join(text for field, text in self._said if field == name) for name in FIELDS.values()}
        content, thinking = spoken[FIELDS[TEXT]], spoken[FIELDS[THINKING]]
        message: dict[str, Json] = {
            "role": "assistant",
            # A client that is to answer calls is told of no text, where there was none, in the way it knows.
            FIELDS[TEXT]: None if more and not content else content,
            "refusal": None,
            **({FIELDS[THINKING]: thinking} if thinking else {}),
            **more,
        }
        told = completion_json(
            completion_id(self._run_id, self._segment),
            model=self._options.model,
            created=self._created,
            message=message,
            finish_reason=finish_reason,
            usage=usage_json(self._spent(event)),
        )
        return [told]

    def _failed(self, event: ev.ClosingEvent, code: str, **more: str | None) -> list[str]:
        self.is_over = True
        self.failure = code
        return [error_json(code, **more, usage=usage_json(self._spent(event)))]

    TABLE: ClassVar[Mapping[type[KernelEvent], Callable[[WholeCompletion, Any], list[str]] | None]] = {
        **ChatSegment.COMMON,
        ev.RunStarted: _opened,
        ev.Resumed: _opened,
        ev.Stage: None,
        ev.RoundStarted: _attempted,
        ev.RoundEnded: None,
        ev.ToolAnnounced: None,
        ev.ToolArguments: None,
        ev.ToolCall: None,
        ev.ToolProgress: None,
        ev.ToolResult: None,
        ev.Retracted: _retracted,
        ev.Extracted: None,
        ev.Extension: None,
        ev.Dropped: None,
        ev.AskUser: _paused,
        ev.Interrupt: _paused,
    }
    """Total: an event class that is not in it is a `KeyError`."""
