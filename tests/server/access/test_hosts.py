"""The names that a server answers for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.agents import scripted
from tests.server.access.connections import app, asked, connection, scope_of
from treadle.app.server import Server
from treadle.server.access.hosts import AllowedHosts, host_of
from treadle.server.access.sites import Sites

OWN = ["localhost", "localhost:8000", "LOCALHOST:1", "127.0.0.1:8000", "[::1]:8000", "[::1]", "app.localhost:3000"]
FOREIGN = ["evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.1", ""]


@pytest.mark.requirement("ACCESS-host")
@pytest.mark.parametrize("host", OWN)
async def test_on_ones_own_machine_its_names_are_answered(host: str) -> None:
    """Design: an allow-list of hosts in development; any port, since a server is put anywhere."""
    status, _, _ = await asked(AllowedHosts(app), scope_of([("Host", host)]))
    assert status == 204


@pytest.mark.requirement("ACCESS-host")
@pytest.mark.parametrize("host", FOREIGN)
async def test_a_name_that_was_made_to_point_here_is_refused(host: str) -> None:
    """DNS rebinding: a stranger's page reaches this machine under the stranger's name."""
    status, _, body = await asked(AllowedHosts(app), scope_of([("Host", host)]))
    assert (status, body["code"]) == (421, "host_refused")


@pytest.mark.parametrize("headers", [[], [("Host", "localhost"), ("Host", "evil.example")]])
async def test_a_request_names_one_host(headers: list[tuple[str, str]]) -> None:
    """HTTP: a request without a host, or with two, is refused."""
    status, _, _ = await asked(AllowedHosts(app), scope_of(headers))
    assert status == 421


@pytest.mark.parametrize(
    ("hosts", "host", "is_let_in"),
    [
        (["api.example"], "api.example:443", True),
        (["API.example."], "api.example.", True),
        (["api.example"], "localhost", False),
        (["*.example"], "a.b.example", True),
        (["*.example"], "example", False),
        (["*.example"], "badexample", False),
        (["[2001:db8::1]"], "[2001:DB8::1]:80", True),
        (["*"], "whatever", True),
        ([], "localhost", False),
    ],
)
async def test_named_hosts_and_their_children_are_answered(hosts: list[str], host: str, is_let_in: bool) -> None:  # noqa: FBT001 (a column of a table)
    """Ours: `*.name` is every name below it, and not the name itself."""
    status, _, _ = await asked(AllowedHosts(app, hosts), scope_of([("Host", host)]))
    assert (status == 204) is is_let_in


@pytest.mark.requirement("ACCESS-host")
@pytest.mark.parametrize("hosts", [None, [], ["localhost"]])
async def test_a_server_that_asks_nobody_never_answers_for_any_name(hosts: list[str] | None) -> None:
    """DNS rebinding: an empty list of hosts is no list of all hosts."""
    async with Server([scripted("text: ok")], sites=Sites(hosts=hosts)) as server:
        assert (await asked(server.asgi, scope_of([("Host", "evil.example")])))[0] == 421


@pytest.mark.parametrize("host", ["a*.example", "*example", "a.*", "**"])
def test_a_star_stands_at_the_front_alone(host: str) -> None:
    """Ours: a pattern that would match nothing, or too much, is told at the start."""
    with pytest.raises(ValueError, match="expected a host"):
        AllowedHosts(app, [host])


async def test_a_handshake_of_a_socket_is_refused_too() -> None:
    """Ours: a browser opens sockets to anywhere. Without an answer of its own, a refused handshake is closed."""
    scope = scope_of([("Host", "evil.example")], kind="websocket")
    assert await asked(AllowedHosts(app), scope) == (1008, {}, "host_refused")
    status, _, body = await asked(AllowedHosts(app), {**scope, "extensions": {"websocket.http.response": {}}})
    assert (status, body["code"]) == (421, "host_refused")


async def test_what_is_no_request_passes() -> None:
    """ASGI: start and end of a server pass through every middleware."""
    seen = []

    async def inner(scope: object, *_: object) -> None:
        seen.append(scope)

    await AllowedHosts(inner)({"type": "lifespan"}, None, None)  # type: ignore[arg-type]  # neither is used
    assert seen == [{"type": "lifespan"}]


@given(st.text(alphabet=st.characters(max_codepoint=255)))
def test_any_header_is_read_or_none(header: str) -> None:
    """Ours: a host that is read has no sign in it that could mean something else to another reader."""
    host = host_of(header)
    assert host is None or (host and not set(host) & set("/@?#\\ []\t\r\n,"))
    assert AllowedHosts(app).allows(connection(("Host", header))) in (True, False)
