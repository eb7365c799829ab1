"""Every route of the server's own, asked by everybody: what is answered to whom. A wire's table is beside its tests.

The table below names each route. A route that is not in it fails a test, and so does a row without a route.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.runtime.agents import scripted
from tests.server.calls import JSON, Call, ask, started
from treadle.app.server import Server
from treadle.server.access import Action, ApiKeys, Principal
from treadle.server.routes import ROUTES

SCOPE, THREAD = "acme", "the-thread-of-acme"
OWNER, MATE, FOREIGN = "owner", "mate", "foreign"
PRINCIPALS: Final[Mapping[str, Principal]] = {
    OWNER: Principal(name="owner", scope=SCOPE, may=list(Action)),
    MATE: Principal(name="mate", scope=SCOPE, may=list(Action)),
    FOREIGN: Principal(name="foreign", scope="globex", may=list(Action)),
    **{action.value: Principal(name=action.value, scope=SCOPE, may=[action]) for action in Action},
}
NOBODY, STRANGER = "nobody", "stranger"
EVERYBODY: Final = (NOBODY, STRANGER, *PRINCIPALS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A route: the action that it is, whether it is about a run or a thread, and what whoever may is answered.

    Shape: without an action it is open to everybody.
    """

    action: Action | None
    answers: int
    is_about: bool = False
    body: Mapping[str, Any] | None = None


FORGED: Final = {"answers": [{"interrupt_id": "i1", "token": "forged", "decision": "approve"}]}
TABLE: Final[Mapping[tuple[str, str], Row]] = {
    ("POST", "/v1/runs"): Row(action=Action.START, answers=201, body={"agent": "a", "prompt": "hi"}),
    ("GET", "/v1/runs"): Row(action=Action.LIST, answers=200),
    ("GET", "/v1/runs/{run_id}"): Row(action=Action.READ, answers=200, is_about=True),
    ("DELETE", "/v1/runs/{run_id}"): Row(action=Action.DELETE, answers=204, is_about=True),
    ("GET", "/v1/runs/{run_id}/events"): Row(action=Action.READ, answers=200, is_about=True),
    ("POST", "/v1/runs/{run_id}/cancel"): Row(action=Action.CANCEL, answers=200, is_about=True, body={}),
    ("GET", "/v1/runs/{run_id}/pauses"): Row(action=Action.ANSWER, answers=200, is_about=True),
    # Whoever may answer needs the token of a pause, and the run has had none.
    ("POST", "/v1/runs/{run_id}/answers"): Row(action=Action.ANSWER, answers=404, is_about=True, body=FORGED),
    ("POST", "/v1/runs/{run_id}/ticket"): Row(action=Action.READ, answers=201, is_about=True),
    ("GET", "/v1/threads/{thread_id}"): Row(action=Action.READ, answers=200, is_about=True),
    ("DELETE", "/v1/threads/{thread_id}"): Row(action=Action.DELETE, answers=204, is_about=True),
    ("GET", "/v1/agents"): Row(action=Action.AGENTS, answers=200),
    ("GET", "/metrics"): Row(action=Action.METRICS, answers=200),
    ("GET", "/healthz"): Row(action=None, answers=200),
    ("GET", "/readyz"): Row(action=None, answers=200),
    ("GET", "/openapi.json"): Row(action=None, answers=200),
}
CELLS = [pytest.param(route, who, id=f"{' '.join(route)}, {who}") for route in TABLE for who in EVERYBODY]


def key_of(who: str) -> str:
    """The key of a principal."""
    return f"the-key-that-is-of-{who}"


def headers_of(who: str) -> list[tuple[str, str]]:
    """What somebody shows."""
    return [] if who == NOBODY else [("X-API-Key", key_of(who))]


@asynccontextmanager
async def served() -> AsyncGenerator[tuple[Server, str], None]:
    """A server, and a run of the owner's that is over."""
    keys = ApiKeys({key_of(who): principal for who, principal in PRINCIPALS.items()})
    async with Server([scripted("text: done")], access=keys) as server:
        run_id = await started(server.asgi, "hi", *headers_of(OWNER), thread_id=THREAD)
        await ask(server.asgi, "GET", f"/v1/runs/{run_id}/events", *headers_of(OWNER))
        yield server, run_id


async def asked(server: Server, route: tuple[str, str], who: str, **names: str) -> Call:
    """What somebody is answered."""
    method, path = route
    row = TABLE["GET" if method == "HEAD" else method, path]
    headers = headers_of(who) if row.body is None else [JSON, *headers_of(who)]
    return await ask(server.asgi, method, path.format(**names), *headers, body=row.body or b"")


def expected(row: Row, who: str) -> int:
    """What somebody is to be answered."""
    if row.action is None:
        return row.answers
    if who not in PRINCIPALS:
        return 401
    if row.action not in PRINCIPALS[who].may:
        return 403
    return 404 if row.is_about and PRINCIPALS[who].scope != SCOPE else row.answers


def told(call: Call) -> tuple[int, dict[str, str], dict[str, Any]]:
    """A refusal without its reference, which is drawn anew each time."""
    return call.status, call.headers, {**call.json, "reference": ""}


SOCKETS = {"/v1/socket"}
"""No request of HTTP is answered there. Who may open one, and what they may read, is in `test_web_socket`."""


def router_of(app: Any) -> Any:  # noqa: ANN401 (any application)
    """The router of an application, whatever stands before it."""
    while not hasattr(app, "routes"):
        app = getattr(app, "_app", None) or app.app
    return app


async def routes_of(app: Any) -> set[tuple[str, str]]:  # noqa: ANN401 (any application)
    """The routes that an application has: every path, with the methods that it says it has when it is asked in vain."""
    found = set()
    for route in router_of(app).routes:
        call = await ask(app, "BREW", route.path.format(run_id="r", thread_id="t"))
        if route.path in SOCKETS:
            assert call.status == 404
            continue
        assert call.status == 405, f"{route.path} takes any method"
        found |= {(method, route.path) for method in call.headers["allow"].split(", ")}
    return {(method, path) for method, path in found if method != "HEAD"}


@pytest.mark.requirement("ACCESS-matrix")
async def test_every_route_of_the_application_is_in_the_table() -> None:
    """Issue: a route that is not listed fails. What is compared is what the application has, not what it was told."""
    async with Server([scripted("text: x")], mounts=()) as server:
        assert await routes_of(server.asgi) == set(TABLE)


def test_the_table_of_the_server_says_the_same_actions() -> None:
    """Ours: the two tables are written by two hands."""
    listed = {(route.method, route.path): route.action for route in ROUTES}
    assert listed == {key: row.action for key, row in TABLE.items() if row.action is not None}


@pytest.mark.requirement("ACCESS-matrix", "ACCESS-choke")
@pytest.mark.parametrize(("route", "who"), CELLS)
async def test_each_is_answered_as_far_as_they_may(route: tuple[str, str], who: str) -> None:
    """Issue: endpoint times principal. Whoever is refused changed nothing, and is told nothing of whose it is."""
    row = TABLE[route]
    async with served() as (server, run_id):
        call = await asked(server, route, who, run_id=run_id, thread_id=THREAD)
        assert call.status == expected(row, who)
        if call.status >= 400:
            assert call.json.keys() == {"code", "message", "reference"}
            assert ("www-authenticate" in call.headers) == (call.status == 401)
            assert (await asked(server, ("GET", "/v1/runs/{run_id}"), OWNER, run_id=run_id)).status == 200
        if who in (NOBODY, STRANGER, FOREIGN):
            assert run_id.encode() not in call.body
            assert THREAD.encode() not in call.body


@pytest.mark.requirement("ACCESS-foreign")
@pytest.mark.parametrize("route", [route for route, row in TABLE.items() if row.is_about], ids=" ".join)
async def test_what_is_anothers_is_answered_like_what_is_not_there(route: tuple[str, str]) -> None:
    """Design: a foreign run is 404, in status, headers and words like one that does not exist."""
    async with served() as (server, run_id):
        foreign = await asked(server, route, FOREIGN, run_id=run_id, thread_id=THREAD)
        missing = await asked(server, route, FOREIGN, run_id="r_0000000000000000000a", thread_id="no-such-thread")
        assert told(foreign) == told(missing)
        assert foreign.status == 404


@pytest.mark.parametrize("route", [route for route in TABLE if route[0] == "GET"], ids=" ".join)
@pytest.mark.parametrize("who", [NOBODY, FOREIGN, OWNER, Action.LIST.value])
async def test_asking_for_the_headers_alone_is_no_way_around(route: tuple[str, str], who: str) -> None:
    """HTTP: HEAD is GET without the body, and so has its checks."""
    async with served() as (server, run_id):
        call = await asked(server, ("HEAD", route[1]), who, run_id=run_id, thread_id=THREAD)
        assert call.status == expected(TABLE[route], who)


@pytest.mark.requirement("ACCESS-ticket")
@pytest.mark.parametrize("route", [route for route, row in TABLE.items() if row.action is not None], ids=" ".join)
async def test_a_ticket_opens_the_events_of_its_run_and_no_other_route(route: tuple[str, str]) -> None:
    """Issue: a single-use ticket for native EventSource."""
    async with served() as (server, run_id):
        issued = await asked(server, ("POST", "/v1/runs/{run_id}/ticket"), MATE, run_id=run_id)
        method, path = route
        target = f"{path.format(run_id=run_id, thread_id=THREAD)}?ticket={issued.json['ticket']}"
        call = await ask(server.asgi, method, target, JSON, body=TABLE[route].body or b"")
        assert call.status == (200 if path.endswith("/events") else 401)
        if call.status == 200:
            assert call.kinds[-1] == "done"
            assert (await ask(server.asgi, method, target)).json["code"] == "ticket_refused"


async def test_a_route_that_nobody_listed_is_found() -> None:
    """Ours: the rule can fail."""

    async def secret(_: Request) -> Response:
        return Response("told")

    async with Server([scripted("text: x")], mounts=()) as server:
        router_of(server.asgi).routes.append(Route("/v1/secret", secret))
        assert await routes_of(server.asgi) - set(TABLE) == {("GET", "/v1/secret")}
