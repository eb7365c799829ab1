"""Refusals in the words of MCP."""

from __future__ import annotations

import json

import pytest
from starlette.requests import Request
from starlette.responses import Response

from treadle.errors import BadAnswerError, CursorError, RunNotFoundError, TokenInvalidError, TooManyRunsError
from treadle.projections.mcp.faults import Fault, McpFaultError
from treadle.server.access.failures import refusal
from treadle.server.wires.mcp_refusals import Envelope, refused


def request() -> Request:
    """One that was read."""
    return Request({"type": "http", "method": "POST", "path": "/mcp/a", "headers": []})


async def said_of(error: Exception, asked: Request) -> Response:
    """What a client is told of an exception."""
    return await refused(asked, refusal(error))


@pytest.mark.requirement("MCP-errors")
@pytest.mark.parametrize(
    ("error", "status", "code", "named"),
    [
        (RunNotFoundError("no"), 400, -32602, "run_not_found"),
        (TokenInvalidError("no"), 400, -32602, "token_invalid"),
        (CursorError("no"), 400, -32602, "bad_cursor"),
        (BadAnswerError((("r1.i1", "no"),)), 400, -32602, "bad_answer"),
        (TooManyRunsError("no", retry_after_s=3.0), 429, -32010, "too_many_runs"),
        (KeyError("secret"), 500, -32603, "internal"),
    ],
)
async def test_an_exception_is_an_error_with_a_code_of_ours_in_its_data(
    error: Exception, status: int, code: int, named: str
) -> None:
    """Ours: a stable code, a safe sentence, a reference; 404 is kept for sessions and methods."""
    answer = await said_of(error, request())
    said = json.loads(bytes(answer.body))
    assert (answer.status_code, said["id"], said["error"]["code"]) == (status, None, code)
    assert said["error"]["data"]["code"] == named
    assert said["error"]["data"]["reference"].startswith("e_")
    assert "secret" not in str(said)
    assert ("retry-after" in answer.headers) == (status == 429)


@pytest.mark.requirement("MCP-errors")
async def test_what_is_known_of_the_message_is_in_the_answer() -> None:
    """JSON-RPC: under the id of the request."""
    asked = request()
    envelope = Envelope.of(asked)
    assert Envelope.of(asked) is envelope
    envelope.id_json, envelope.is_modern = '"7"', True
    envelope.fault = McpFaultError(Fault.METHOD_NOT_FOUND, "no", data={"a": 1})
    answer = await said_of(envelope.fault, asked)
    assert answer.status_code == 404
    assert json.loads(bytes(answer.body)) == {
        "jsonrpc": "2.0",
        "id": "7",
        "error": {"code": -32601, "message": "no", "data": {"a": 1}},
    }
