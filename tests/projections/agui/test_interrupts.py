"""Pauses as interrupts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from treadle.projections.agui.interrupts import answer_schema, interrupt_json, no_token, reason_of
from treadle.values.ids import CallId, InterruptId
from treadle.values.pauses import OnExpiry, PauseKind, PendingInterrupt

QUESTIONS = {"questions": [{"question_id": "q1", "text": "Which?"}, {"question_id": "q2", "text": "When?"}]}


def pause(kind: PauseKind, **fields: Any) -> PendingInterrupt:  # noqa: ANN401 (fields of a pause)
    """An open pause."""
    given: dict[str, Any] = {
        "interrupt_id": InterruptId("r1.i1"),
        "call_id": CallId("r1.c1"),
        "expires_at": 1000.5,
        "on_expiry": OnExpiry.FAIL,
        **fields,
    }
    return PendingInterrupt(kind=kind, **given)


def told(pending: PendingInterrupt) -> dict[str, Any]:
    """The interrupt of a pause, for a reader who may answer."""
    interrupt: dict[str, Any] = json.loads(interrupt_json(pending, lambda one: f"token of {one.interrupt_id}"))
    return interrupt


@pytest.mark.requirement("AGUI-interrupt")
def test_a_question_is_input_that_is_required() -> None:
    """Spec: the id is what comes back, so it is the token; the questions stand in the metadata."""
    assert told(pause(PauseKind.ASK_USER, request=QUESTIONS, response_schema={"type": "object"})) == {
        "id": "token of r1.i1",
        "reason": "input_required",
        "message": "Which?\nWhen?",
        "responseSchema": {"type": "object"},
        "expiresAt": "1970-01-01T00:16:40.500Z",
        "metadata": {
            "treadle": {
                "interruptId": "r1.i1",
                "kind": "ask_user",
                "callId": "r1.c1",
                "request": QUESTIONS,
                "onExpiry": "fail",
            }
        },
    }


@pytest.mark.requirement("AGUI-interrupt")
def test_leave_is_asked_for_a_call() -> None:
    """Spec: `tool_call` with the call's id, and a schema of approved and editedArgs."""
    arguments = {"type": "object", "properties": {"a": {"type": "integer"}}}
    schema = {"type": "object", "properties": {"decision": {}, "arguments": arguments}}
    pending = pause(
        PauseKind.APPROVAL, request={"name": "pay", "arguments": {"a": 1}}, response_schema=schema, expires_at=None
    )
    interrupt = told(pending)
    assert (interrupt["reason"], interrupt["toolCallId"], interrupt["message"]) == (
        "tool_call",
        "r1.c1",
        "pay waits for leave",
    )
    assert "expiresAt" not in interrupt
    assert interrupt["responseSchema"]["properties"] == {
        "approved": {"type": "boolean"},
        "editedArgs": arguments,
        "reason": {"type": "string"},
    }
    bare = replace(pending, response_schema={"type": "object"})
    assert answer_schema(bare)["properties"]["editedArgs"] == {"type": "object"}


@pytest.mark.requirement("AGUI-interrupt")
@pytest.mark.parametrize(
    ("request_", "reason", "message"),
    [
        ({"name": "nights", "payload": "How many?"}, "treadle:nights", "How many?"),
        ({"name": "nights", "payload": {"city": "Bonn"}}, "treadle:nights", "nights"),
    ],
)
def test_a_named_interrupt_has_its_name(request_: dict[str, Any], reason: str, message: str) -> None:
    """Ours: a reason of our own stands behind our own prefix."""
    interrupt = told(pause(PauseKind.INTERRUPT, request=request_))
    assert (interrupt["reason"], interrupt["message"]) == (reason, message)
    assert "responseSchema" not in interrupt


def test_a_call_of_the_front_end_has_its_name() -> None:
    """Ours: it is told so only beside other pauses of its round."""
    pending = pause(PauseKind.FRONT_END, request={"name": "pick", "arguments": {}}, response_schema={})
    assert (told(pending)["reason"], told(pending)["message"]) == ("treadle:front_end", "pick")


@pytest.mark.requirement("AGUI-exposure")
@pytest.mark.parametrize("kind", PauseKind)
def test_a_hidden_pause_says_that_a_decision_is_due(kind: PauseKind) -> None:
    """Ours: a mount that may not show it gives no token."""
    interrupt = told(pause(kind))
    assert (interrupt["id"], interrupt["message"]) == ("r1.i1", "a decision is due")
    assert "request" not in interrupt["metadata"]["treadle"]
    assert reason_of(pause(kind)) == interrupt["reason"]


def test_who_may_not_answer_is_given_no_token() -> None:
    """Ours: the pause's own id answers nothing."""
    pending = pause(PauseKind.ASK_USER, request=QUESTIONS)
    assert json.loads(interrupt_json(pending, no_token))["id"] == "r1.i1"


def test_a_time_that_no_calendar_has_is_left_out() -> None:
    """Spec: absent never expires."""
    assert "expiresAt" not in told(pause(PauseKind.ASK_USER, request=QUESTIONS, expires_at=1e18))
