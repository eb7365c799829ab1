"""The OpenAI compatible routes: what stands where, agents as models, and refusals in the protocol's form."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runtime.agents import scripted
from tests.runtime.stores import GATED, paying, virtually
from tests.server.calls import JSON, ask
from tests.server.test_access_matrix import EVERYBODY, PRINCIPALS, SCOPE, headers_of, served
from tests.server.wires.openai_calls import ACCESS, ANN, CHAT, RESPONSES, chat, code_of, key, respond
from treadle.app.server import Server
from treadle.server.access import Action
from treadle.server.access.admission import Caps
from treadle.server.mounting import Mount
from treadle.server.wires.openai import EXPOSURE, routes
from treadle.values.exposure import TEXT_ONLY, Exposure


def test_it_tells_text_alone_unless_its_mount_says_otherwise() -> None:
    """Design §8: OpenAI text only."""
    assert EXPOSURE == TEXT_ONLY
    paths = {route.path for route in routes(Mount(wire="openai", path="/llm", exposure=Exposure()))}
    assert "/llm/v1/chat/completions" in paths
    assert all(path.startswith("/llm/v1/") for path in paths)


@pytest.mark.requirement("OPENAI-models")
@virtually
async def test_agents_are_models() -> None:
    """Protocol: a client lists them, and looks one up."""
    async with Server([scripted("text: ok")]) as server:
        listed = await ask(server.asgi, "GET", "/openai/v1/models")
        one = await ask(server.asgi, "GET", "/openai/v1/models/a")
        model = {"id": "a", "object": "model", "created": 0, "owned_by": "treadle"}
        assert (listed.json, one.json) == ({"object": "list", "data": [model]}, model)
        unknown = await ask(server.asgi, "GET", "/openai/v1/models/org/b")
        assert (unknown.status, code_of(unknown)) == (404, "model_not_found")


@pytest.mark.requirement("OPENAI-refusals")
@pytest.mark.parametrize("path", [CHAT, RESPONSES])
@virtually
async def test_an_unknown_model_is_not_found_and_nothing_begins(path: str) -> None:
    """Protocol: 404 in OpenAI's own form; the operator's reference is the id of the request."""
    async with Server([scripted("text: ok")]) as server:
        body = {"model": "b", "messages": [{"role": "user", "content": "hi"}], "input": "hi"}
        call = await ask(server.asgi, "POST", path, JSON, body=body)
        assert (call.status, call.json["error"]) == (
            404,
            {
                "message": "no model is called 'b'; GET models names those there are",
                "type": "invalid_request_error",
                "param": "model",
                "code": "model_not_found",
            },
        )
        assert call.headers["x-request-id"].startswith("e_")
        assert "x-should-retry" not in call.headers
        assert not await server.runner.runs()


@pytest.mark.requirement("OPENAI-refusals")
@virtually
async def test_a_refusal_says_where_and_of_which_kind() -> None:
    """Protocol: `param` names the field, `type` the kind of error."""
    async with Server([scripted("text: ok")], access=ACCESS) as server:
        bad = await chat(server.asgi, {"role": "user", "content": [{"type": "image_url"}]}, headers=(key(ANN),))
        assert (bad.status, code_of(bad), bad.json["error"]["param"]) == (400, "bad_request", "messages.0.content.0")
        form = await ask(server.asgi, "POST", CHAT, JSON, key(ANN), body={"model": "a"})
        assert (form.status, form.json["error"]["param"]) == (400, "messages")
        nobody = await chat(server.asgi, "hi")
        assert (nobody.status, nobody.json["error"]["type"]) == (401, "authentication_error")
        assert nobody.json["error"]["param"] is None
        stranger = await chat(server.asgi, "hi", headers=(key("no key of ours"),))
        assert stranger.status == 401
        missing = await ask(server.asgi, "GET", f"{RESPONSES}/resp_r_none.s1", key(ANN))
        assert (missing.status, missing.json["error"]["type"]) == (404, "invalid_request_error")


@pytest.mark.requirement("OPENAI-retries")
@virtually
async def test_a_full_house_may_be_asked_again_and_a_conflict_may_not() -> None:
    """Protocol: the client repeats 409, 429 and 5xx by itself unless it is told not to."""
    async with Server([scripted(GATED)], caps=Caps(live_runs=1)) as server:
        first = await respond(server.asgi, "hi", background=True)
        full = await chat(server.asgi, "hi")
        assert (full.status, full.json["error"]["type"]) == (429, "rate_limit_error")
        assert "x-should-retry" not in full.headers
        assert "retry-after" in full.headers
        busy = await respond(server.asgi, "more", previous_response_id=first.json["id"])
        assert busy.status == 429
    async with Server([paying()]) as server:
        waits = await respond(server.asgi, "hi")
        again = await respond(server.asgi, "more", previous_response_id=waits.json["id"])
        assert (again.status, code_of(again), again.headers["x-should-retry"]) == (409, "pause_open", "false")


@virtually
async def test_a_server_that_stops_refuses_in_the_protocols_form() -> None:
    """Protocol: 5xx is an error of the server."""
    server = Server([scripted("text: ok")])
    async with server:
        await server.drain()
        call = await chat(server.asgi, "hi")
        assert (call.status, call.json["error"]["type"], code_of(call)) == (503, "server_error", "stopping")


OWN = "/openai/v1/responses/{response_id}"
ASKED: dict[str, Any] = {"model": "a", "messages": [{"role": "user", "content": "hi"}], "input": "hi"}
TABLE: dict[tuple[str, str], tuple[Action, dict[str, Any] | None]] = {
    ("POST", CHAT): (Action.START, ASKED),
    ("POST", RESPONSES): (Action.START, ASKED),
    ("GET", OWN): (Action.READ, None),
    ("POST", f"{OWN}/cancel"): (Action.CANCEL, None),
    ("GET", "/openai/v1/models"): (Action.AGENTS, None),
    ("GET", "/openai/v1/models/{model:path}"): (Action.AGENTS, None),
}


def test_every_route_of_the_wire_is_in_the_table() -> None:
    """Design §9: one choke point on every route, and what each is as far as access is concerned."""
    listed = {(route.method, route.path): route.action for route in routes(Mount(wire="openai"))}
    assert listed == {key: action for key, (action, _) in TABLE.items()}


@pytest.mark.requirement("ACCESS-matrix", "OPENAI-scope")
@pytest.mark.parametrize("route", TABLE, ids=" ".join)
@pytest.mark.parametrize("who", EVERYBODY)
async def test_each_is_answered_as_far_as_they_may(route: tuple[str, str], who: str) -> None:
    """Issue: endpoint times principal; a foreign response is not there, and whoever is refused changed nothing."""
    action, body = TABLE[route]
    async with served() as (server, run_id):
        named = f"resp_{run_id}.s1"
        target = route[1].replace("{model:path}", "a").format(response_id=named)
        headers = headers_of(who) if body is None else [JSON, *headers_of(who)]
        before = len(await server.runner.within(SCOPE).runs())
        call = await ask(server.asgi, route[0], target, *headers, body=body or b"")
        if who not in PRINCIPALS:
            assert call.status == 401
        elif action not in PRINCIPALS[who].may:
            assert call.status == 403
        else:
            assert call.status == (404 if PRINCIPALS[who].scope != SCOPE and "{response_id}" in route[1] else 200)
        if who == Action.CANCEL.value and call.status == 200:
            assert (call.json["status"], call.json["output"]) == ("completed", [])
        if call.status != 200:
            assert call.json.keys() == {"error"}
            assert run_id.encode() not in call.body
            assert len(await server.runner.within(SCOPE).runs()) == before
