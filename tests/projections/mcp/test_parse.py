"""What clients send."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.projections.mcp.faults import Fault, McpFaultError
from treadle.projections.mcp.forms import Action
from treadle.projections.mcp.parse import (
    LONGEST_ID,
    CallTool,
    Notification,
    Reply,
    Request,
    arguments_of,
    elicited,
    may_be_asked,
    message_in,
    params_of,
    progress_token,
)


def body(**fields: Any) -> bytes:  # noqa: ANN401 (any JSON)
    """A message."""
    return json.dumps({"jsonrpc": "2.0", **fields}).encode()


def fault_of(text: bytes) -> Fault:
    """What is wrong with it."""
    with pytest.raises(McpFaultError) as wrong:
        message_in(text)
    return wrong.value.fault


@pytest.mark.requirement("MCP-envelope")
@pytest.mark.parametrize("given_id", [0, 7, -1, "7", "", "é", 2**70])
def test_an_id_comes_back_as_it_came(given_id: str | int) -> None:
    """JSON-RPC: the same value; clients compare type and all."""
    said = message_in(body(id=given_id, method="ping"))
    assert isinstance(said, Request)
    assert (json.loads(said.id_json), type(json.loads(said.id_json))) == (given_id, type(given_id))
    assert (said.method, said.params, said.meta) == ("ping", {}, {})


def test_what_is_told_and_what_is_replied() -> None:
    """JSON-RPC: a notification has no id, a reply no method."""
    assert message_in(body(method="n", params={"a": 1})) == Notification(method="n", params={"a": 1})
    assert message_in(body(id="t", result={"action": "accept"})) == Reply(request_id="t", result={"action": "accept"})
    assert message_in(body(id="t", error={"code": -1, "message": "no"})) == Reply(request_id="t", result=None)


@pytest.mark.requirement("MCP-envelope")
@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (b"", Fault.PARSE),
        (b"\xff", Fault.PARSE),
        (b"[" * 100_000, Fault.PARSE),
        (b"[]", Fault.INVALID_REQUEST),
        (b"3", Fault.INVALID_REQUEST),
        (b'{"id":1,"method":"ping"}', Fault.INVALID_REQUEST),
        (body(id=1), Fault.INVALID_REQUEST),
        (body(id=1, result={}, error={}), Fault.INVALID_REQUEST),
        (body(id=1, result={}), Fault.INVALID_REQUEST),
        (body(id="t", result=3), Fault.INVALID_REQUEST),
        (body(id=1, method=3), Fault.INVALID_REQUEST),
        (body(id=1, method="m", params=[1]), Fault.INVALID_REQUEST),
        (body(id=None, method="m"), Fault.INVALID_REQUEST),
        (body(id=True, method="m"), Fault.INVALID_REQUEST),
        (body(id=1.5, method="m"), Fault.INVALID_REQUEST),
        (body(id="x" * LONGEST_ID, method="m"), Fault.INVALID_REQUEST),
    ],
)
def test_what_is_no_message_is_refused(text: bytes, fault: Fault) -> None:
    """JSON-RPC: -32700 for what is no JSON, -32600 for what is no message."""
    assert fault_of(text) is fault


@given(text=st.binary(max_size=60))
def test_bytes_are_a_message_or_a_fault(text: bytes) -> None:
    """Ours: bad input gets a clear error."""
    with suppress(McpFaultError):
        assert isinstance(message_in(text), Request | Notification | Reply)


def test_parameters_are_typed_and_a_wrong_one_is_named() -> None:
    """Ours: what was expected, and where."""
    assert params_of({"name": "a", "more": 1}, CallTool) == CallTool(name="a")
    with pytest.raises(McpFaultError, match=r"\$\.name"):
        params_of({"name": 3}, CallTool)


def test_an_agent_is_asked_in_words() -> None:
    """MCP: what is wrong with arguments is for the model that gave them."""
    asked = arguments_of({"prompt": "hi", "thread_id": "t"})
    assert (asked.prompt, asked.thread_id) == ("hi", "t")
    for wrong in (None, {}, {"prompt": 3}, {"prompt": " \n"}, {"prompt": "hi", "tools": []}):
        with pytest.raises(ValueError, match=r"prompt|tools"):
            arguments_of(wrong)  # type: ignore[arg-type]  # what a client may send


def test_what_came_back_for_a_form_is_typed() -> None:
    """MCP: accept, decline or cancel, and what was filled in."""
    said = elicited({"action": "accept", "content": {"q1": "red"}})
    assert (said.action, said.content) == (Action.ACCEPT, {"q1": "red"})
    assert elicited({"action": "decline", "content": None}).content == {}
    for wrong in (3, {}, {"action": "yes"}, {"action": "accept", "content": []}):
        with pytest.raises(McpFaultError):
            elicited(wrong)


@pytest.mark.parametrize(
    ("meta", "token"),
    [(None, None), (3, None), ({}, None), ({"progressToken": "p"}, '"p"'), ({"progressToken": 0}, "0")],
)
def test_a_progress_token_comes_back_as_it_came(meta: object, token: str | None) -> None:
    """MCP: text or an integer."""
    said = message_in(body(id=1, method="m", params={} if meta is None else {"_meta": meta}))
    assert isinstance(said, Request)
    assert progress_token(said) == token


@pytest.mark.parametrize("token", [True, 1.5, [], "x" * LONGEST_ID])
def test_what_can_be_no_progress_token_is_refused(token: object) -> None:
    """MCP: text or an integer."""
    said = message_in(body(id=1, method="m", params={"_meta": {"progressToken": token}}))
    assert isinstance(said, Request)
    with pytest.raises(McpFaultError):
        progress_token(said)


@pytest.mark.parametrize(
    ("capabilities", "is_asked"),
    [
        ({"elicitation": {}}, True),
        ({"elicitation": {"form": {}, "url": {}}}, True),
        ({"elicitation": {"url": {}}}, False),
        ({"elicitation": None}, False),
        ({}, False),
        (None, False),
    ],
)
def test_a_client_is_asked_where_it_says_that_it_shows_forms(*, capabilities: object, is_asked: bool) -> None:
    """MCP: an empty capability stands for forms."""
    assert may_be_asked(capabilities) is is_asked
