"""What the states of a task cannot say, for clients that ask for it by the name of the extension.

In: kernel events as a mount may know them. Out: JSON terms for the metadata of an update; None where there is nothing
to add. A client that does not ask is told none of it.

Source: docs/protocols/a2a.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from treadle.codec.events import resolutions_json, usage_json
from treadle.codec.foreign import json_terms
from treadle.codec.safe_integers import with_safe_integers
from treadle.values import events as ev
from treadle.values.events import KernelEvent
from treadle.values.ids import CallId
from treadle.values.mappings import Json
from treadle.values.model import ARGUMENTS

Details: TypeAlias = Mapping[str, Json]


def details_of(event: KernelEvent) -> Details | None:
    """What there is to add to the update of an event.

    Raises:
        KeyError: The class is none of the union.
    """
    said = DETAILS[type(event)](event)
    if said is None:
        return None
    told: Details = with_safe_integers({name: value for name, value in said.items() if value not in (None, "")})
    return told


def speech_details(kind: str, key: int | CallId, text: str) -> Details:
    """A piece of thinking, or of a call's arguments."""
    if kind == ARGUMENTS:
        return {"type": "tool_call", "phase": "args", "id": key, "delta": text}
    return {"type": "thinking", "delta": text}


def _nothing(_: KernelEvent) -> None:
    """There is nothing to add."""


def _announced(event: ev.ToolAnnounced) -> Details:
    return {"type": "tool_call", "phase": "started", "id": event.call_id, "name": event.name}


def _call(event: ev.ToolCall) -> Details:
    request = event.request
    arguments = json_terms(request.arguments) if request.arguments else None
    return {
        "type": "tool_call",
        "phase": "executing",
        "id": request.call_id,
        "name": request.name,
        "args": arguments,
    }


def _progress(event: ev.ToolProgress) -> Details:
    return {
        "type": "tool_progress",
        "id": event.call_id,
        "sequence": event.sequence,
        "payload": json_terms(event.payload),
    }


def _result(event: ev.ToolResult) -> Details:
    outcome = event.outcome
    return {
        "type": "tool_result",
        "id": outcome.call_id,
        "status": outcome.status.value,
        "result": json_terms(outcome.content),
        "error": outcome.error,
        "duration_ms": outcome.duration_ms,
    }


def _retracted(event: ev.Retracted) -> Details:
    return {"type": "retracted", "round": event.round, "attempt": event.attempt, "reason": event.reason}


def _extracted(event: ev.Extracted) -> Details:
    return {
        "type": "extracted",
        "tag": event.tag,
        "operations": json_terms(event.operations),
        "diagnostic": event.diagnostic,
    }


def _extension(event: ev.Extension) -> Details:
    return {"type": "extension", "name": event.type, "payload": json_terms(event.payload), "id": event.event_id}


def _dropped(event: ev.Dropped) -> Details:
    return {
        "type": "dropped",
        "kind": event.dropped_kind,
        "count": event.count,
        "first": event.first,
        "last": event.last,
    }


def _resumed(event: ev.Resumed) -> Details:
    return {"type": "resumed", "resolutions": resolutions_json(event.resolutions)}


def _spent(event: Any) -> Details | None:  # noqa: ANN401 (a closing event of any class)
    usage = event.outcome.usage
    if not usage.reported:
        return None
    return {"type": "usage", **{name: count for name, count in usage_json(usage).items() if count is not None}}


DETAILS: Final[Mapping[type[KernelEvent], Callable[[Any], Details | None]]] = {
    ev.RunStarted: _nothing,
    ev.Resumed: _resumed,
    ev.Stage: _nothing,
    ev.RoundStarted: _nothing,
    ev.RoundEnded: _nothing,
    ev.Thinking: _nothing,
    ev.TextDelta: _nothing,
    ev.ToolAnnounced: _announced,
    ev.ToolArguments: _nothing,
    ev.ToolCall: _call,
    ev.ToolProgress: _progress,
    ev.ToolResult: _result,
    ev.Retracted: _retracted,
    ev.Extracted: _extracted,
    ev.Extension: _extension,
    ev.Dropped: _dropped,
    ev.AskUser: _spent,
    ev.Interrupt: _spent,
    ev.Done: _spent,
    ev.Error: _spent,
    ev.Cancelled: _spent,
}
"""Total: an event class that is not in it is a `KeyError`. Speech is told by `speech_details`."""
