"""Stream events as JSON: what `--json` and other readers of lines are given.

In: a stream event. Out: a dict of JSON terms: `type`, then the event's own fields by name.

Shape: every class has its row in `STREAM_SHAPES`; an unknown class is a `KeyError`. A pause says what is asked and
how it may be answered, never what answers are bound to.

Source: docs/stream-events.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treadle.codec.events import pending_json, resolutions_json
from treadle.codec.foreign import json_terms
from treadle.codec.shapes import Shape, in_shape, shape
from treadle.projections.typed import events as typed
from treadle.projections.typed.events import StreamEvent


def stream_event_json(event: StreamEvent) -> dict[str, Any]:
    """One stream event in JSON terms."""
    return {"type": event.type, **in_shape(event, STREAM_SHAPES[type(event)])}


def _usage_or_null(usage: typed.Usage | None) -> dict[str, Any] | None:
    return None if usage is None else in_shape(usage, _USAGE)


_USAGE = shape(
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "cache_read_tokens",
    "cache_creation_tokens",
    "reasoning_tokens",
    "cache_ttl",
    "unmeasured_rounds",
)
_COMPLETE = shape(
    "outcome",
    "text",
    "answer",
    "duration_ms",
    "run_id",
    "stop_reason",
    "termination",
    "error_code",
    "error_class",
    "error_reference",
    "retryable",
    "cancel_reason",
    output=json_terms,
    usage=_usage_or_null,
    pending=pending_json,
)

STREAM_SHAPES: Mapping[type[StreamEvent], Shape] = {
    typed.TextDelta: shape("text"),
    typed.ThinkingDelta: shape("text"),
    typed.Usage: _USAGE,
    typed.MessageStart: shape("message_id", "model"),
    typed.MessageEnd: shape("message_id", "stop_reason", "outcome", usage=_usage_or_null),
    typed.ToolCallStart: shape("call_id", "tool_name", "phase"),
    typed.ToolCallDelta: shape("call_id", "arguments_delta"),
    typed.ToolProgress: shape("call_id", "sequence", payload=json_terms),
    typed.ToolResult: shape("call_id", "status", "content", "error", "is_error", "duration_ms"),
    typed.Extension: shape("extension_type", "event_id", payload=json_terms),
    typed.Extracted: shape("tag", "diagnostic", operations=json_terms),
    typed.Retracted: shape("message_id", "round", "attempt", "reason"),
    typed.Dropped: shape("dropped_kind", "count", "first", "last"),
    typed.AskUserQuestion: shape(pending=pending_json),
    typed.Interrupt: shape(pending=pending_json),
    typed.Resolved: shape(resolutions=resolutions_json),
    typed.ResponseComplete: _COMPLETE,
}
