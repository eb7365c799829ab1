"""Faults in the words of JSON-RPC."""

from __future__ import annotations

import json

import pytest

from treadle.projections.mcp.faults import MODERN_STATUS, Fault, McpFaultError, error


@pytest.mark.requirement("MCP-errors")
@pytest.mark.parametrize(
    ("fault", "modern", "in_session"),
    [
        (Fault.PARSE, 400, 400),
        (Fault.INVALID_REQUEST, 400, 400),
        (Fault.METHOD_NOT_FOUND, 404, 200),
        (Fault.INVALID_PARAMS, 400, 200),
        (Fault.HEADER_MISMATCH, 400, 400),
        (Fault.UNSUPPORTED_VERSION, 400, 400),
        (Fault.INTERNAL, 200, 200),
        (Fault.REFUSED, 200, 200),
    ],
)
def test_a_status_goes_with_a_fault(fault: Fault, modern: int, in_session: int) -> None:
    """MCP: 400 and 404 where each request stands alone; in a session 404 says that the session is over."""
    wrong = McpFaultError(fault, "no")
    assert (wrong.status(is_modern=True), wrong.status(is_modern=False)) == (modern, in_session)
    assert McpFaultError(fault, "no", status=404).status(is_modern=False) == 404
    assert fault in MODERN_STATUS


def test_an_error_says_its_code_its_words_and_more_where_there_is_more() -> None:
    """JSON-RPC: code, message, data."""
    assert json.loads(error("7", Fault.PARSE, "no \ud800")) == {
        "jsonrpc": "2.0",
        "id": 7,
        "error": {"code": -32700, "message": "no \ufffd"},
    }
    assert json.loads(error("null", Fault.REFUSED, "no", data={"code": "stopping"}))["error"]["data"] == {
        "code": "stopping"
    }
