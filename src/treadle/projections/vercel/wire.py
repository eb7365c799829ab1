"""The shapes of the UI message stream: one JSON object a chunk, `type` first.

Speech repeats, so its chunk is a template: all but the text is made once a passage. A field that has no value is left
out, since the client takes no null for it. Integers beyond 2^53 are text: the client's own `JSON.parse` would round
them, and a call that waits for leave comes back as it was parsed.

Source: AI SDK UI message stream, version 1 (docs/protocols/vercel.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

from treadle.codec.failure_words import failure_words
from treadle.codec.foreign import json_terms, json_text
from treadle.codec.safe_integers import with_safe_integers
from treadle.values import events as ev
from treadle.values.ids import RunId
from treadle.values.mappings import EMPTY, Json
from treadle.values.model import ARGUMENTS, TEXT, THINKING, StopReason
from treadle.values.usage import UsageDelta, count_or_none

PROTOCOL_HEADER: Final = "x-vercel-ai-ui-message-stream"
PROTOCOL_VERSION: Final = "v1"
DONE: Final = "[DONE]"
"""The payload behind the last chunk."""

PAUSE: Final = "data-treadle-pause"
STAGE: Final = "data-treadle-stage"
EXTENSION: Final = "data-treadle-extension"
EXTRACTED: Final = "data-treadle-extracted"
DROPPED: Final = "data-treadle-dropped"

_SPOKEN: Final[Mapping[str, tuple[str, str, str]]] = {
    TEXT: ("text-delta", "id", "delta"),
    THINKING: ("reasoning-delta", "id", "delta"),
    ARGUMENTS: ("tool-input-delta", "toolCallId", "inputTextDelta"),
}
_PART: Final[Mapping[str, str]] = {TEXT: "text", THINKING: "reasoning"}

_COUNTS: Final[Mapping[str, str]] = {
    "input_tokens": "inputTokens",
    "output_tokens": "outputTokens",
    "total_tokens": "totalTokens",
    "cache_read_tokens": "cachedInputTokens",
    "cache_creation_tokens": "cacheWriteTokens",
    "reasoning_tokens": "reasoningTokens",
}

_REASONS: Final[Mapping[str | None, str]] = {
    None: "stop",
    StopReason.STOP: "stop",
    StopReason.TOOL_CALLS: "stop",
    StopReason.LENGTH: "length",
    StopReason.CONTENT_FILTER: "content-filter",
}


class RunsAt(StrEnum):
    """Where a call is run, or answered: what its part is called and who acts on it follows from that."""

    SERVER = "server"
    """Here: a dynamic tool that the provider executes, for this client. Nothing is expected of the page."""
    PERSON = "person"
    """A question: a dynamic tool whose output a person gives."""
    PAGE = "page"
    """A tool that the front end declares and runs: a part of its own name."""


_NOT_YOURS: Final = {"providerExecuted": True}
_FLAGS: Final[Mapping[RunsAt, Mapping[str, bool]]] = {
    RunsAt.SERVER: {"providerExecuted": True, "dynamic": True},
    RunsAt.PERSON: {"dynamic": True},
    RunsAt.PAGE: EMPTY,
}


def chunk(kind: str, **fields: Any) -> str:  # noqa: ANN401 (what a chunk says, in JSON terms)
    """One chunk as JSON. A field that is None is left out."""
    told = {name: value for name, value in fields.items() if value is not None}
    return json_text(with_safe_integers({"type": kind, **told}))


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPart:
    """A call as the client knows it. All chunks of a call say alike where it runs, or the client makes two parts of it.

    Shape: `title` is shown in place of the name.
    """

    call_id: str
    name: str
    runs_at: RunsAt
    title: str | None = None

    def started(self) -> str:
        """The model speaks of it."""
        return chunk("tool-input-start", **self._named())

    def available(self, arguments: Json, *, is_past: bool = False) -> str:
        """What it is called with. `is_past`: nobody is to act on it any more."""
        return _given(
            "tool-input-available", "input", arguments, **{**self._named(), **(_NOT_YOURS if is_past else {})}
        )

    def unfit(self, arguments: Json, error: str) -> str:
        """It never runs: with what it would have been called, as far as that was told. Nobody is to act on it."""
        return _given("tool-input-error", "input", arguments, errorText=error, **{**self._named(), **_NOT_YOURS})

    def _named(self) -> dict[str, Any]:
        named = {"toolCallId": self.call_id, "toolName": self.name, **_FLAGS[self.runs_at]}
        return named if self.title is None else {**named, "title": self.title}


def tool_output(call_id: str, output: Json, *, duration_ms: float = 0.0) -> str:
    """What a call gave."""
    return _given("tool-output-available", "output", output, toolCallId=call_id, toolMetadata=_timing(duration_ms))


def tool_progress(call_id: str, payload: Json) -> str:
    """What a call gives so far: an output that the next one takes the place of."""
    return _given("tool-output-available", "output", payload, toolCallId=call_id, preliminary=True)


def tool_failure(call_id: str, error: str, *, duration_ms: float = 0.0) -> str:
    """Why a call gave nothing."""
    return chunk("tool-output-error", toolCallId=call_id, errorText=error, toolMetadata=_timing(duration_ms))


def _given(kind: str, name: str, value: Json, **fields: Any) -> str:  # noqa: ANN401 (JSON terms)
    """A chunk with one value of somebody's, be it null."""
    said = chunk(kind, **fields)
    return f'{said[:-1]},"{name}":{json_text(with_safe_integers(json_terms(value)))}}}'


def _timing(duration_ms: float) -> dict[str, Json] | None:
    """How long a call took; None for one that never ran."""
    return {"durationMs": round(duration_ms, 3)} if duration_ms else None


def data(kind: str, terms: Mapping[str, Any], *, named: str | None = None, transient: bool | None = None) -> str:
    """A data part: `data-treadle-…`. One of the same name and id takes its place."""
    told = {name: json_terms(value) for name, value in terms.items() if value is not None}
    return chunk(kind, id=named, data=told, transient=transient)


def moment(at_s: float | None) -> str | None:
    """A time as the client's own `Date` reads it; None where there is none, or none in its calendar."""
    try:
        told = None if at_s is None else datetime.fromtimestamp(at_s, UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return None
    return told and told.replace("+00:00", "Z")


def part_id(run_id: RunId, passage: int) -> str:
    """The id of a passage's part."""
    return f"{run_id}.p{passage}"


def part_start(kind: str, named: str) -> str:
    """A part of text or reasoning begins."""
    return chunk(f"{_PART[kind]}-start", id=named)


def part_end(kind: str, named: str) -> str:
    """It ends."""
    return chunk(f"{_PART[kind]}-end", id=named)


@lru_cache(maxsize=1024)
def spoken(kind: str, named: str) -> str:
    """The chunk of a piece of speech up to its text: a JSON string and `}` follow."""
    type_, id_field, text_field = _SPOKEN[kind]
    return f'{{"type":"{type_}","{id_field}":{json_text(named)},"{text_field}":'


def usage_json(usage: UsageDelta) -> dict[str, Json] | None:
    """Counts by the client's names, those that were reported; None where none was."""
    if not usage.reported:
        return None
    counts: dict[str, Json] = {}
    for name, theirs in _COUNTS.items():
        if (count := count_or_none(usage, name)) is not None:
            counts[theirs] = count
    return {**counts, "unmeasuredRounds": usage.unmeasured_rounds} if usage.unmeasured_rounds else counts


def finish_reason(event: ev.Done) -> str:
    """The client's word for why a run that came to its end has ended."""
    return _REASONS.get(event.outcome.stop_reason, "other")


def error_text(code: str, detail: str | None = None) -> str:
    """What a failure says: its code, a sentence that is the same each time, and foreign text where that may be told."""
    said = f"{code}: {failure_words(code)}"
    return f"{said} ({detail})" if detail else said


def broken(code: str) -> str:
    """The chunk of a stream that this side ends before the response does."""
    return chunk("error", errorText=error_text(code))
