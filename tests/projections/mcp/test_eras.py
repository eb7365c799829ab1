"""Which version a message speaks."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from treadle.projections.mcp.eras import agreed, check_version, checked, is_modern
from treadle.projections.mcp.faults import Fault, McpFaultError
from treadle.projections.mcp.parse import Notification, Reply, Request
from treadle.projections.mcp.wire import CLIENT_CAPABILITIES, HANDSHAKE, MODERN, PROTOCOL_VERSION

META = {PROTOCOL_VERSION: MODERN, CLIENT_CAPABILITIES: {"elicitation": {}}}
HEADERS = {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "calc", "accept": "*/*"}


def request(method: str = "tools/call", meta: Any = META, **params: Any) -> Request:  # noqa: ANN401 (any JSON)
    """A request that stands alone."""
    return Request(id_json="1", method=method, params={"name": "calc", "_meta": meta, **params})


def fault_of(asked: Request, headers: dict[str, str] | list[tuple[str, str]]) -> Fault:
    """What is wrong with it."""
    with pytest.raises(McpFaultError) as wrong:
        checked(asked, headers.items() if isinstance(headers, dict) else headers)
    return wrong.value.fault


@pytest.mark.requirement("MCP-eras")
@pytest.mark.parametrize(
    ("said", "header", "wanted"),
    [
        (request(), MODERN, True),
        (request(), None, True),
        (request(meta={}), None, False),
        (request(meta={}), "2099-01-01", True),
        *[(request(), version, False) for version in HANDSHAKE],
        (Notification(method="n", params={}), MODERN, True),
        (Notification(method="n", params={}), None, False),
        (Reply(request_id="t", result=None), None, False),
    ],
)
def test_the_header_decides_and_without_it_the_envelope(*, said: Any, header: str | None, wanted: bool) -> None:  # noqa: ANN401 (any message)
    """MCP: what no session agreed on is for the version that can say so."""
    assert is_modern(said, header) is wanted


@pytest.mark.requirement("MCP-eras")
def test_a_request_whose_headers_say_what_it_says_is_let_in() -> None:
    """MCP 2026-07-28: the headers repeat the body."""
    assert checked(request(), HEADERS.items()) is True
    assert checked(request(meta={**META, CLIENT_CAPABILITIES: {}}), HEADERS.items()) is False
    assert checked(request("tools/list"), {**HEADERS, "mcp-method": "tools/list", "mcp-name": "other"}.items())
    wrapped = f"=?base64?{base64.b64encode('é'.encode()).decode()}?="
    assert checked(request(name="é"), {**HEADERS, "mcp-name": wrapped}.items())
    nameless = Request(id_json="1", method="tools/call", params={"_meta": META})
    assert checked(nameless, HEADERS.items())


@pytest.mark.requirement("MCP-eras")
@pytest.mark.parametrize("lacks", [PROTOCOL_VERSION, CLIENT_CAPABILITIES])
def test_an_envelope_is_whole(lacks: str) -> None:
    """MCP 2026-07-28: each request says its version and its client's capabilities."""
    meta = {name: value for name, value in META.items() if name != lacks}
    assert fault_of(request(meta=meta), HEADERS) is Fault.INVALID_PARAMS


@pytest.mark.requirement("MCP-eras")
@pytest.mark.parametrize(
    "changed",
    [
        {"mcp-protocol-version": "2025-11-25"},
        {"mcp-method": "tools/list"},
        {"mcp-name": "other"},
        {"mcp-name": "=?base64?!!?="},
        {"mcp-name": "=?base64?Y2FsYx==?="},
        {"mcp-name": "=?base64?/w==?="},
    ],
)
def test_headers_that_say_something_else_are_refused(changed: dict[str, str]) -> None:
    """MCP 2026-07-28: -32020, since a proxy may have routed by them."""
    assert fault_of(request(), {**HEADERS, **changed}) is Fault.HEADER_MISMATCH
    lacking = {name: value for name, value in HEADERS.items() if name not in changed}
    assert fault_of(request(), lacking) is Fault.HEADER_MISMATCH


@pytest.mark.requirement("MCP-eras")
def test_a_header_that_came_twice_is_refused() -> None:
    """Ours: of two readers one takes the first and one the last."""
    assert fault_of(request(), [*HEADERS.items(), ("mcp-name", "calc")]) is Fault.HEADER_MISMATCH


@pytest.mark.requirement("MCP-eras")
def test_a_version_that_is_not_spoken_is_refused_with_those_that_are() -> None:
    """MCP 2026-07-28: -32022; the client picks one and asks again."""
    meta = {**META, PROTOCOL_VERSION: "2099-01-01"}
    with pytest.raises(McpFaultError) as wrong:
        checked(request(meta=meta), {**HEADERS, "mcp-protocol-version": "2099-01-01"}.items())
    assert wrong.value.fault is Fault.UNSUPPORTED_VERSION
    assert wrong.value.data == {"supported": [MODERN, *HANDSHAKE], "requested": "2099-01-01"}
    check_version(MODERN)


@pytest.mark.requirement("MCP-eras")
def test_a_session_speaks_what_its_client_wants_or_the_newest() -> None:
    """MCP 2025-11-25: the server answers with a version of its own where it does not know the client's."""
    assert [agreed(version) for version in HANDSHAKE] == list(HANDSHAKE)
    assert agreed("1999-01-01") == agreed(MODERN) == "2025-11-25"
