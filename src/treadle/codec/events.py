"""Kernel events as JSON: what `plain` wires, files and command lines are given.

In: a kernel event. Out: a dict of JSON terms: `kind`, `index`, `run_id`, then the event's own fields by name.

Shape: every class has its row in `EVENT_SHAPES`, every field its form; an unknown class is a `KeyError`. Never here:
a provider's own ids, argument text as it came, digests that answers are bound to, the foreign text of an error, and
what an outcome holds for callers in process alone.

Source: docs/events.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from treadle.codec.foreign import json_terms, json_text
from treadle.codec.shapes import Shape, in_shape, shape
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest
from treadle.values.events import KernelEvent
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import PendingInterrupt, Resolution
from treadle.values.usage import COUNTS, UsageDelta, count_or_none


def kernel_event_json(event: KernelEvent) -> dict[str, Any]:
    """One kernel event in JSON terms."""
    fields = in_shape(event, EVENT_SHAPES[type(event)])
    return {"kind": event.kind, "index": event.index, "run_id": event.run_id, **fields}


def json_line(terms: Mapping[str, Any]) -> str:
    """One event in one line of compact JSON, without the line's end."""
    return json_text(terms)


def usage_json(usage: UsageDelta) -> dict[str, Any]:
    """Counts by name, null where no provider reported one."""
    counts = {name: count_or_none(usage, name) for name in COUNTS}
    return {**counts, "cache_ttl": usage.cache_ttl, "unmeasured_rounds": usage.unmeasured_rounds}


def request_json(request: ToolRequest) -> dict[str, Any]:
    """A call as the run dispatched it: `call_id`, `name`, `arguments`."""
    return in_shape(request, REQUEST_SHAPE)


def tool_outcome_json(outcome: ToolOutcome) -> dict[str, Any]:
    """What came of a call: `call_id`, `status`, `content`, `error`, `duration_ms`."""
    return in_shape(outcome, TOOL_OUTCOME_SHAPE)


def pending_json(pending: Iterable[PendingInterrupt]) -> list[dict[str, Any]]:
    """Open pauses: what is asked, how it may be answered and until when (UTC seconds)."""
    return [in_shape(one, PENDING_SHAPE) for one in pending]


def resolutions_json(resolutions: Iterable[Resolution]) -> list[dict[str, Any]]:
    """How pauses were settled: `interrupt_id`, `settlement`, `value`, `reason`."""
    return [in_shape(one, RESOLUTION_SHAPE) for one in resolutions]


def outcome_json(outcome: InvocationOutcome) -> dict[str, Any]:
    """How a run stands: text, where its answer begins, output, usage, time at work, the provider's last label."""
    return in_shape(outcome, OUTCOME_SHAPE)


REQUEST_SHAPE = shape("call_id", "name", arguments=json_terms)
TOOL_OUTCOME_SHAPE = shape("call_id", "status", "error", "duration_ms", content=json_terms)
PENDING_SHAPE = shape(
    "interrupt_id",
    "kind",
    "call_id",
    "expires_at",
    "on_expiry",
    request=json_terms,
    response_schema=json_terms,
)
RESOLUTION_SHAPE = shape("interrupt_id", "settlement", "reason", value=json_terms)
OUTCOME_SHAPE = shape("text", "answer_at", "duration_ms", "stop_reason", output=json_terms, usage=usage_json)
_PAUSE = shape(pending=pending_json, outcome=outcome_json)

EVENT_SHAPES: Mapping[type[KernelEvent], Shape] = {
    ev.RunStarted: shape("agent", "thread_id", "root_run_id", "parent_run_id", "prompt", "tool_call_limit"),
    ev.Resumed: shape(resolutions=resolutions_json),
    ev.Stage: shape("stage_id", "phase", "capability", "outcome", "reason", counts=json_terms),
    ev.RoundStarted: shape("round", "attempt", "model"),
    ev.RoundEnded: shape("round", "attempt", "stop_reason", "outcome", usage=usage_json),
    ev.Thinking: shape("passage", "text"),
    ev.TextDelta: shape("passage", "text"),
    ev.ToolAnnounced: shape("call_id", "name"),
    ev.ToolArguments: shape("call_id", "text"),
    ev.ToolCall: shape("streamed", request=request_json),
    ev.ToolProgress: shape("call_id", "sequence", payload=json_terms),
    ev.ToolResult: shape(outcome=tool_outcome_json),
    ev.Retracted: shape("round", "attempt", "reason"),
    ev.Extracted: shape("tag", "diagnostic", operations=json_terms),
    ev.Extension: shape("type", "event_id", payload=json_terms),
    ev.Dropped: shape("dropped_kind", "count", "first", "last"),
    ev.AskUser: _PAUSE,
    ev.Interrupt: _PAUSE,
    ev.Done: shape("termination", outcome=outcome_json),
    ev.Error: shape("termination", "code", "error_class", "retryable", "reference", outcome=outcome_json),
    ev.Cancelled: shape("termination", "reason", outcome=outcome_json),
}
