"""Kernel events to stream events, one by one and without memory.

In: a kernel event. Out: the stream events it says, in order; none where this vocabulary has no word for it.
Ends are silent here, but for a pause, which says what it waits for; what an end says is in `closing`.
Message ids are the run's id and the round's number, so nothing has to be remembered between two events.

Shape: run starts and stages say nothing; every other class says something, and an unknown class is an error.

Source: docs/stream-events.md.
"""

from __future__ import annotations

from typing import assert_never

from treadle.codec.foreign import json_terms, json_text
from treadle.framing.surrogates import whole_text
from treadle.projections.typed import events as typed
from treadle.projections.typed.events import StreamEvent
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome
from treadle.values.ids import RunId
from treadle.values.mappings import Json, frozen
from treadle.values.usage import UsageDelta, count_or_none

TOOL_TIMING = "tool_timing"
"""Type of the extension that follows the result of a call that ran."""


def project(event: ev.KernelEvent) -> tuple[StreamEvent, ...]:
    """What one kernel event says to a typed reader.

    Raises:
        AssertionError: The class is none of the union.
    """
    match event:
        # First, since nearly every event is one.
        case ev.TextDelta(text=text):
            return (typed.TextDelta(text=text),) if text else ()
        case ev.Thinking(text=text):
            return (typed.ThinkingDelta(text=text),) if text else ()
        case ev.ToolArguments(call_id=call_id, text=text):
            return (typed.ToolCallDelta(call_id=call_id, arguments_delta=text),) if text else ()
        case ev.ToolProgress(call_id=call_id, sequence=sequence, payload=payload):
            return (typed.ToolProgress(call_id=call_id, sequence=sequence, payload=payload),)
        case ev.ToolAnnounced(call_id=call_id, name=name):
            return (typed.ToolCallStart(call_id=call_id, tool_name=name, phase="announced"),)
        case ev.ToolCall():
            return _dispatched(event)
        case ev.ToolResult(outcome=outcome):
            return _settled(outcome)
        case ev.RoundStarted(run_id=run_id, round=number, model=model):
            return (typed.MessageStart(message_id=message_id(run_id, number), model=model),)
        case ev.RoundEnded():
            return (_message_end(event),)
        case ev.Retracted():
            return (_retracted(event),)
        case ev.Extracted(tag=tag, operations=operations, diagnostic=diagnostic):
            return (typed.Extracted(tag=tag, operations=operations, diagnostic=diagnostic),)
        case ev.Extension(type=name, payload=payload, event_id=event_id):
            return (typed.Extension(extension_type=name, payload=payload, event_id=event_id),)
        case ev.Dropped(dropped_kind=kind, count=count, first=first, last=last):
            return (typed.Dropped(dropped_kind=kind, count=count, first=first, last=last),)
        case ev.Resumed(resolutions=resolutions):
            return (typed.Resolved(resolutions=resolutions),)
        case ev.AskUser(pending=pending):
            return (typed.AskUserQuestion(pending=pending),)
        case ev.Interrupt(pending=pending):
            return (typed.Interrupt(pending=pending),)
        case ev.RunStarted() | ev.Stage() | ev.Done() | ev.Error() | ev.Cancelled():
            return ()
        case _:
            assert_never(event)


def message_id(run_id: RunId, number: int) -> str:
    """The id of what a model says in a round."""
    return f"{run_id}.m{number}"


def content_text(content: Json) -> str:
    """What a tool gave, as text: text itself, "" for nothing, compact JSON for all else."""
    if content is None:
        return ""
    return whole_text(content) if isinstance(content, str) else json_text(json_terms(content))


def usage_of(spent: UsageDelta) -> typed.Usage | None:
    """Usage as a typed reader sees it; None where no provider reported anything."""
    if not spent.reported:
        return None
    return typed.Usage(
        input_tokens=count_or_none(spent, "input_tokens"),
        output_tokens=count_or_none(spent, "output_tokens"),
        total_tokens=count_or_none(spent, "total_tokens"),
        cache_read_tokens=count_or_none(spent, "cache_read_tokens"),
        cache_creation_tokens=count_or_none(spent, "cache_creation_tokens"),
        reasoning_tokens=count_or_none(spent, "reasoning_tokens"),
        cache_ttl=spent.cache_ttl,
        unmeasured_rounds=spent.unmeasured_rounds,
    )


def _dispatched(event: ev.ToolCall) -> tuple[StreamEvent, ...]:
    request = event.request
    start = typed.ToolCallStart(call_id=request.call_id, tool_name=request.name, phase="executing")
    if event.streamed or not request.arguments:
        return (start,)
    return (
        start,
        typed.ToolCallDelta(call_id=request.call_id, arguments_delta=json_text(json_terms(request.arguments))),
    )


def _settled(outcome: ToolOutcome) -> tuple[StreamEvent, ...]:
    result = typed.ToolResult(
        call_id=outcome.call_id,
        status=outcome.status,
        content=content_text(outcome.content),
        error=outcome.error,
        duration_ms=outcome.duration_ms,
    )
    # A call that never ran has no time to tell, and 0 would look like one.
    return (result, _timing(outcome)) if outcome.duration_ms else (result,)


def _timing(outcome: ToolOutcome) -> typed.Extension:
    payload = frozen({"call_id": outcome.call_id, "duration_ms": outcome.duration_ms, "is_error": outcome.is_error})
    return typed.Extension(extension_type=TOOL_TIMING, payload=payload, event_id=outcome.call_id)


def _message_end(event: ev.RoundEnded) -> typed.MessageEnd:
    return typed.MessageEnd(
        message_id=message_id(event.run_id, event.round),
        stop_reason=event.stop_reason,
        outcome=event.outcome,
        usage=usage_of(event.usage),
    )


def _retracted(event: ev.Retracted) -> typed.Retracted:
    return typed.Retracted(
        message_id=message_id(event.run_id, event.round),
        round=event.round,
        attempt=event.attempt,
        reason=event.reason,
    )
