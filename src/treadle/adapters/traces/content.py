"""What was said, as the conventions' messages in JSON text. Made only where content is wanted.

In: what events hold, filtered and redacted as it was shown. Out: the JSON text of an attribute. Any value a tool gives
has a form here, so nothing that a tool returns can break a trace.

Source: OpenTelemetry semantic conventions, input and output messages (docs/traces.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from treadle.codec.foreign import json_text, json_value
from treadle.values.calls import ToolOutcome
from treadle.values.ids import CallId
from treadle.values.model import ARGUMENTS, TEXT, StopReason

_FINISH: Final[Mapping[str, str]] = {StopReason.TOOL_CALLS: "tool_call", StopReason.OTHER: "error"}
"""The conventions' words for reasons that have another name there."""
_NO_REASON: Final = "error"
"""Their schema asks for a reason in every answer; a turn that was cut has none."""


class Said:
    """The parts of one attempt's answer, in the order in which they were shown."""

    __slots__ = ("_names", "_parts")

    def __init__(self) -> None:
        self._parts: list[tuple[str, int | CallId, list[str]]] = []
        self._names: dict[CallId, str] = {}

    def call(self, call_id: CallId, name: str) -> None:
        """The model speaks of a call."""
        self._names[call_id] = name
        self._part(ARGUMENTS, call_id)

    def add(self, kind: str, key: int | CallId, texts: Sequence[str]) -> None:
        """Add pieces of one passage, or of one call's arguments."""
        self._part(kind, key).extend(texts)

    def message(self, stop_reason: str | None) -> str:
        """The whole answer as the conventions' output messages."""
        return _answer([self._told(*part) for part in self._parts], stop_reason)

    def _part(self, kind: str, key: int | CallId) -> list[str]:
        for one, other, texts in self._parts:
            if (one, other) == (kind, key):
                return texts
        self._parts.append((kind, key, []))
        return self._parts[-1][2]

    def _told(self, kind: str, key: int | CallId, texts: list[str]) -> Mapping[str, Any]:
        whole = "".join(texts)
        if kind != ARGUMENTS:
            return {"type": "text" if kind == TEXT else "reasoning", "content": whole}
        call_id = CallId(str(key))
        part = {"type": "tool_call", "id": call_id, "name": self._names.get(call_id, "")}
        return {**part, "arguments": whole} if whole else part


def asked(prompt: str) -> str:
    """A prompt as the conventions' input messages."""
    return _json([{"role": "user", "parts": [{"type": "text", "content": prompt}]}])


def answered(text: str, stop_reason: str | None) -> str:
    """An answer as the conventions' output messages."""
    return _answer([{"type": "text", "content": text}] if text else [], stop_reason)


def arguments_text(arguments: Mapping[str, Any]) -> str:
    """A call's arguments as JSON text."""
    return _json(arguments)


def result_text(outcome: ToolOutcome) -> str:
    """What a tool gave, as JSON text: its content, and its error text where the call did not end well."""
    return _json(outcome.content if outcome.error is None else {"content": outcome.content, "error": outcome.error})


def _answer(parts: Sequence[Mapping[str, Any]], stop_reason: str | None) -> str:
    reason = _FINISH.get(stop_reason, stop_reason) if stop_reason else _NO_REASON
    return _json([{"role": "assistant", "parts": parts, "finish_reason": reason}])


def _json(value: object) -> str:
    return json_text(json_value(value))
