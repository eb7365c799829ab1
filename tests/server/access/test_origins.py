"""Whose pages may call from a browser."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.access.connections import app, asked, connection, scope_of
from treadle.server.access.origins import SameOrigin, with_cors

HOST = ("Host", "localhost:8000")
EVIL = ("Origin", "https://evil.example")


async def status_of(
    *headers: tuple[str, str], method: str = "POST", kind: str = "http", origins: tuple[str, ...] = ()
) -> int:
    """What a request with these headers is answered."""
    status, _, _ = await asked(SameOrigin(app, origins), scope_of(headers, method=method, kind=kind))
    return status


@pytest.mark.requirement("ACCESS-origin")
@pytest.mark.parametrize("method", ["POST", "DELETE", "PUT", "PATCH"])
@pytest.mark.parametrize(
    "headers",
    [
        [EVIL],
        [("Origin", "null")],
        [("Origin", "http://localhost:3000")],
        [("Origin", "http://localhost")],
        [("Origin", "http://localhost:8000"), ("Origin", "http://localhost:8000")],
        [("Origin", "http://localhost:8000"), ("Sec-Fetch-Site", "cross-site")],
        [("Sec-Fetch-Site", "same-site")],
        [("Origin", "http://localhost:99999")],
        [("Origin", "http://[")],
        [("Origin", "")],
    ],
)
async def test_a_foreign_page_changes_nothing(method: str, headers: list[tuple[str, str]]) -> None:
    """Ours: a browser sends a form or a simple request to this machine for any page, without asking."""
    assert await status_of(HOST, *headers, method=method) == 403


@pytest.mark.requirement("ACCESS-origin")
@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("Origin", "http://localhost:8000")],
        [("Origin", "https://localhost:8000")],
        [EVIL, ("Sec-Fetch-Site", "same-origin")],
        [("Sec-Fetch-Site", "none")],
    ],
)
async def test_ones_own_pages_and_programs_pass(headers: list[tuple[str, str]]) -> None:
    """Ours: a program sends none of these headers; a page of this server says so, or its browser does."""
    assert await status_of(HOST, *headers) == 204


async def test_a_default_port_need_not_be_said() -> None:
    """HTTP: a host without a port has that of its scheme."""
    assert await status_of(("Host", "api.example"), ("Origin", "https://api.example")) == 204
    assert await status_of(("Host", "api.example"), ("Origin", "https://api.example:8443")) == 403
    assert await status_of(("Host", "[::1]:80"), ("Origin", "http://[::1]")) == 204


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
async def test_reading_is_for_the_browser_to_refuse(method: str) -> None:
    """CORS: without a header of ours, the browser shows the page nothing of what was read."""
    assert await status_of(HOST, EVIL, method=method) == 204


@pytest.mark.requirement("ACCESS-origin")
async def test_a_socket_is_refused_to_a_foreign_page() -> None:
    """Ours: CORS knows nothing of sockets, so a browser opens one for any page and shows it everything."""
    assert await status_of(HOST, EVIL, method="GET", kind="websocket") == 1008
    assert await status_of(HOST, ("Origin", "http://localhost:8000"), method="GET", kind="websocket") == 204


@pytest.mark.parametrize(
    ("origins", "status"), [(("https://evil.example",), 204), (("*",), 204), (("https://x",), 403)]
)
async def test_named_origins_pass(origins: tuple[str, ...], status: int) -> None:
    """Ours: an operator who names a front end means it."""
    assert await status_of(HOST, EVIL, ("Sec-Fetch-Site", "cross-site"), origins=origins) == status


@pytest.mark.requirement("ACCESS-cors")
async def test_cors_is_off_where_nothing_is_said() -> None:
    """Design: CORS off by default."""
    assert with_cors(app, ()) is app


@pytest.mark.requirement("ACCESS-cors")
async def test_a_named_origin_may_read_and_another_may_not() -> None:
    """CORS: the named origin is told back, with what a reader of streams needs, and never with cookies."""
    front = with_cors(app, ["https://front.example"])
    wanted = "last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id"
    preflight = [("Access-Control-Request-Method", "POST"), ("Access-Control-Request-Headers", wanted)]
    _, headers, _ = await asked(front, scope_of([("Origin", "https://front.example")]))
    assert headers["access-control-allow-origin"] == "https://front.example"
    assert "access-control-allow-credentials" not in headers
    # Where the run is that a stream belongs to, what a refusal asks for, and which session was opened.
    shown = {"Location", "Mcp-Session-Id", "Retry-After", "WWW-Authenticate"}
    assert set(headers["access-control-expose-headers"].split(", ")) == shown
    _, headers, _ = await asked(front, scope_of([EVIL]))
    assert "access-control-allow-origin" not in headers
    for origin, status in (("https://front.example", 200), (EVIL[1], 400)):
        told, _, _ = await asked(front, scope_of([("Origin", origin), *preflight], method="OPTIONS"))
        assert told == status


@given(
    origin=st.text(alphabet=st.characters(max_codepoint=255)), host=st.text(alphabet=st.characters(max_codepoint=255))
)
def test_any_headers_are_answered(origin: str, host: str) -> None:
    """Ours: no header ends a request in a failure of this side."""
    headers = (("Origin", origin), ("Host", host))
    shown = connection(*headers)
    shown.scope["method"] = "POST"
    assert SameOrigin(app).allows(shown) in (True, False)
