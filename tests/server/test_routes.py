"""The table of routes: who may ask at each of them. The matrix is made from the table, so a new row is in it."""

from __future__ import annotations

import pytest

from tests.runtime.agents import scripted
from tests.runtime.stores import virtually
from tests.server.calls import JSON, Call, ask
from treadle.app.server import Server
from treadle.server.access.api_keys import ApiKeys
from treadle.server.access.principal import Action, Principal
from treadle.server.operations import OPERATIONS
from treadle.server.routes import ROUTES, Route

OWN, FOREIGN, BARRED = "own-key-0123456789abcdef", "foreign-key-0123456789ab", "barred-key-0123456789abc"
EVERYTHING = frozenset(Action)
ACCESS = ApiKeys(
    {
        OWN: Principal(name="alice", scope="acme", may=EVERYTHING),
        FOREIGN: Principal(name="bob", scope="globex", may=EVERYTHING),
        BARRED: Principal(name="carol", scope="acme", may=frozenset()),
    }
)
OPEN = {"/healthz", "/readyz", "/openapi.json"}
GOOD: dict[str, tuple[int, ...]] = {
    "start_run": (201,),
    "list_runs": (200,),
    "read_run": (200,),
    "delete_run": (204,),
    "read_events": (200,),
    "cancel_run": (200,),
    "read_pauses": (200,),
    "answer_pauses": (400,),
    "issue_ticket": (201,),
    "read_thread": (200,),
    "delete_thread": (204,),
    "list_agents": (200,),
    "scrape": (200,),
}
"""What a principal who may is answered with, a row a route."""


async def called(server: Server, route: Route, run_id: str, *, key: str | None) -> Call:
    """Ask at a route, about the run and its thread, as whoever has this key."""
    path = route.path.format(run_id=run_id, thread_id="t")
    headers = [JSON] if key is None else [JSON, ("x-api-key", key)]
    body = {"agent": "a", "prompt": "hi"} if route.name == "start_run" else b""
    return await ask(server.asgi, route.method, path, *headers, body=body)


async def begun(server: Server) -> str:
    """A run of alice's, done."""
    body = {"agent": "a", "prompt": "hi", "thread_id": "t"}
    call = await ask(server.asgi, "POST", "/v1/runs", JSON, ("x-api-key", OWN), body=body)
    run_id: str = call.json["run_id"]
    await server.runner.within("acme").wait(run_id)
    return run_id


def test_every_route_is_in_the_matrix_and_in_the_document() -> None:
    """Issue: fails on an unlisted route."""
    names = [route.name for route in ROUTES]
    assert set(names) == GOOD.keys() == OPERATIONS.keys()
    assert len(names) == len(set(names))
    assert len({(route.method, route.path) for route in ROUTES}) == len(ROUTES)


@pytest.mark.requirement("SERVE-matrix")
@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
@virtually
async def test_who_may_do_what_at_each_route(route: Route) -> None:
    """Design §9: one choke point on every route; a foreign run is 404."""
    async with Server([scripted("text: ok")], access=ACCESS) as server:
        run_id = await begun(server)
        nobody = await called(server, route, run_id, key=None)
        assert (nobody.status, nobody.json["code"]) == (401, "unauthenticated")
        assert (await called(server, route, run_id, key="wrong-key-0123456789abcd")).status == 401
        barred = await called(server, route, run_id, key=BARRED)
        assert (barred.status, barred.json["code"]) == (403, "forbidden")
        foreign = await called(server, route, run_id, key=FOREIGN)
        if "{" in route.path:
            missing = await called(server, route, "r_0", key=FOREIGN)
            assert (foreign.status, foreign.json["code"]) == (404, "run_not_found")
            assert {**foreign.json, "reference": ""} == {**missing.json, "reference": ""}
        else:
            assert run_id.encode() not in foreign.body
        assert (await called(server, route, run_id, key=OWN)).status in GOOD[route.name]


@virtually
async def test_what_is_open_says_nothing_that_depends_on_anybody() -> None:
    """Source: D39 turned round. One rule: it needs no key, and tells nobody what there is."""
    async with Server([scripted("text: ok")], access=ACCESS) as server:
        run_id = await begun(server)
        for path in OPEN:
            told = [await ask(server.asgi, "GET", path, *headers) for headers in ([], [("x-api-key", OWN)])]
            assert told[0].status == told[1].status == 200
            assert told[0].body == told[1].body
            assert run_id.encode() not in told[0].body
        for path in ("/", "/v1", "/v1/runs/", "/v1/owner/state", "/metrics/", "/docs"):
            call = await ask(server.asgi, "GET", path, ("x-api-key", OWN))
            assert call.status in (404, 405), path


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
@virtually
async def test_a_method_that_a_path_has_not_is_told_with_those_that_it_has(method: str) -> None:
    """HTTP: 405 with Allow."""
    async with Server([scripted("text: ok")]) as server:
        for path in {route.path for route in ROUTES} | OPEN:
            there = {route.method for route in ROUTES if route.path == path} or {"GET"}
            call = await ask(server.asgi, method, path.format(run_id="r", thread_id="t"), JSON)
            if method in there or (method == "HEAD" and "GET" in there):
                assert call.status != 405
            else:
                assert call.status == 405
                assert set(call.headers["allow"].split(", ")) >= there
                assert call.json["code"] == "method_not_allowed"
