"""Open pauses to what an interrupted run tells its client.

In: pauses as a mount may know them, and what makes their tokens. Out: interrupts as JSON.

Shape: an interrupt has one id that comes back with its answer, so that id is the token. A reader who gets no token is
given the pause's own id, with which nothing can be answered.

Source: docs/protocols/agui.md; ADR 0032 (tokens of pauses).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, assert_never

from treadle.projections.agui.wire import NAMESPACE, iso_time, json_of, object_of, own_metadata, quoted
from treadle.values.exposure import is_hidden
from treadle.values.pauses import PauseKind, PendingInterrupt

TokenOf = Callable[[PendingInterrupt], str | None]
"""The token of a pause for one reader; None where they may not answer it."""

DUE: Final = "a decision is due"
"""What is said of a pause that may not be shown."""


def no_token(_: PendingInterrupt) -> None:
    """For a reader who may answer nothing."""


def interrupt_json(pending: PendingInterrupt, token_of: TokenOf) -> str:
    """A pause as an interrupt."""
    hidden = is_hidden(pending)
    token = None if hidden else token_of(pending)
    is_leave = pending.kind is PauseKind.APPROVAL
    expires = None if pending.expires_at is None else iso_time(pending.expires_at)
    return object_of(
        id=quoted(token or pending.interrupt_id),
        reason=quoted(reason_of(pending)),
        message=quoted(DUE if hidden else _words(pending)),
        toolCallId=quoted(pending.call_id) if is_leave else None,
        responseSchema=json_of(answer_schema(pending)) if pending.response_schema else None,
        expiresAt=None if expires is None else quoted(expires),
        metadata=own_metadata(
            interruptId=pending.interrupt_id,
            kind=pending.kind.value,
            callId=pending.call_id,
            request=pending.request or None,
            onExpiry=pending.on_expiry.value,
        ),
    )


def reason_of(pending: PendingInterrupt) -> str:
    """Why the run waits, in the protocol's words where it has some."""
    match pending.kind:
        case PauseKind.ASK_USER:
            return "input_required"
        case PauseKind.APPROVAL:
            return "tool_call"
        case PauseKind.INTERRUPT:
            return f"{NAMESPACE}:{pending.request.get('name', pending.kind.value)}"
        case PauseKind.FRONT_END:
            return f"{NAMESPACE}:{pending.kind.value}"
        case _:
            assert_never(pending.kind)


def answer_schema(pending: PendingInterrupt) -> Mapping[str, Any]:
    """A JSON schema of the payload that answers a pause."""
    if pending.kind is not PauseKind.APPROVAL:
        return pending.response_schema
    edited = pending.response_schema.get("properties", {}).get("arguments", {"type": "object"})
    return {
        "type": "object",
        "properties": {"approved": {"type": "boolean"}, "editedArgs": edited, "reason": {"type": "string"}},
        "required": ["approved"],
        "additionalProperties": False,
    }


def _words(pending: PendingInterrupt) -> str:
    """What is asked, in a line or a few, for a client that has no form for it."""
    request = pending.request
    match pending.kind:
        case PauseKind.ASK_USER:
            return "\n".join(str(question["text"]) for question in request["questions"])
        case PauseKind.APPROVAL:
            return f"{request['name']} waits for leave"
        case PauseKind.INTERRUPT:
            payload = request.get("payload")
            return payload if isinstance(payload, str) else str(request.get("name", DUE))
        case PauseKind.FRONT_END:
            return str(request["name"])
        case _:
            assert_never(pending.kind)
