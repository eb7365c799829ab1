"""The application: what stands before the routes, and what becomes of an exception."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from tests.runtime.agents import scripted
from tests.runtime.stores import LoopClock, StoreInHand, virtually
from tests.server.calls import JSON, SSE, ask
from treadle.adapters.stores.memory import MemoryStore
from treadle.app.server import Server
from treadle.server.access.api_keys import ApiKeys
from treadle.server.access.principal import Principal
from treadle.server.access.sites import Sites
from treadle.server.application import LATER, OffTheStack

HI = {"agent": "a", "prompt": "hi"}
KEY = "a-key-0123456789abcdefgh"
ACCESS = ApiKeys({KEY: Principal(name="alice", scope="acme")})
SITE = "https://app.example"


@pytest.mark.parametrize("failure", [RuntimeError, ValueError, KeyError, ZeroDivisionError])
@virtually
async def test_an_exception_that_nobody_expects_says_nothing_of_itself(
    failure: type[Exception], caplog: pytest.LogCaptureFixture
) -> None:
    """Source: D38. A fixed sentence and a reference; the rest stands in the operator's log."""
    secret = "dsn=postgres://u:p@h"

    class Broken(StoreInHand):
        async def create(self, *_: Any, **__: Any) -> Any:  # noqa: ANN401 (never comes)
            raise failure(secret)

    with caplog.at_level(logging.ERROR, "treadle.server"):
        async with Server([scripted("text: ok")], store=Broken(MemoryStore(LoopClock()))) as server:
            for accept in ([], [SSE]):
                call = await ask(server.asgi, "POST", "/v1/runs", JSON, *accept, body=HI)
                assert (call.status, call.json["code"]) == (500, "internal")
                assert secret.encode() not in call.body
                assert call.json["reference"] in caplog.text
    assert secret in caplog.text


@virtually
async def test_the_names_that_it_answers_for_are_this_machine_s_unless_others_are_asked_who_they_are() -> None:
    """Issue: Host allow-list in dev. A name that is made to point here still says its own name."""
    evil = ("host", "evil.example")
    async with Server([scripted("text: ok")]) as dev, Server([scripted("text: ok")], access=ACCESS) as asking:
        assert (await ask(dev.asgi, "GET", "/v1/runs", evil)).json["code"] == "host_refused"
        assert (await ask(dev.asgi, "GET", "/v1/runs", ("host", "localhost:8000"))).status == 200
        assert (await ask(asking.asgi, "GET", "/v1/runs", evil, ("x-api-key", KEY))).status == 200
    named = Server([scripted("text: ok")], access=ACCESS, sites=Sites(hosts=["api.example"]))
    async with named:
        assert (await ask(named.asgi, "GET", "/v1/runs", evil, ("x-api-key", KEY))).status == 421
        assert (await ask(named.asgi, "GET", "/v1/runs", ("host", "api.example"), ("x-api-key", KEY))).status == 200


@virtually
async def test_no_page_may_call_it_unless_its_site_is_named() -> None:
    """Issue: CORS off by default."""
    origin = ("origin", SITE)
    asked = [origin, ("access-control-request-method", "POST"), ("access-control-request-headers", "content-type")]
    async with Server([scripted("text: ok")]) as closed:
        assert (await ask(closed.asgi, "POST", "/v1/runs", JSON, origin, body=HI)).json["code"] == "origin_refused"
        assert "access-control-allow-origin" not in (await ask(closed.asgi, "OPTIONS", "/v1/runs", *asked)).headers
    async with Server([scripted("text: ok")], sites=Sites(origins=[SITE])) as named:
        call = await ask(named.asgi, "POST", "/v1/runs", JSON, origin, body=HI)
        assert (call.status, call.headers["access-control-allow-origin"]) == (201, SITE)
        assert (await ask(named.asgi, "OPTIONS", "/v1/runs", *asked)).status == 200
        stream = await ask(named.asgi, "GET", f"/v1/runs/{call.json['run_id']}/events", origin)
        assert stream.headers["access-control-allow-origin"] == SITE
        refused = await ask(named.asgi, "GET", "/v1/runs/none", origin)
        assert (refused.status, refused.headers["access-control-allow-origin"]) == (404, SITE)


@virtually
async def test_mounted_below_a_path_it_answers_there_in_its_own_words() -> None:
    """Design §9: mountable; an application around it answers nothing in its place."""
    async with Server([scripted("text: ok")]) as server:
        made = await ask(server.asgi, "POST", "/v1/runs", JSON, body=HI, root_path="/agents")
        assert made.headers["location"] == f"/agents/v1/runs/{made.json['run_id']}"
        lost = await ask(server.asgi, "GET", "/nowhere", root_path="/agents")
        assert (lost.status, lost.json["code"]) == (404, "not_found")


@virtually
async def test_health_is_told_and_readiness_changes_with_the_server() -> None:
    """Issue: `/healthz`, `/readyz`."""
    async with Server([scripted("text: ok")]) as server:
        assert (await ask(server.asgi, "GET", "/healthz")).json == {"status": "ok"}
        assert (await ask(server.asgi, "GET", "/readyz")).json == {"status": "ok"}
        await server.drain()
        stopping = await ask(server.asgi, "GET", "/readyz")
        assert (stopping.status, stopping.json) == (503, {"status": "stopping"})
        assert (await ask(server.asgi, "GET", "/healthz")).status == 200


async def test_a_stream_is_sent_when_all_that_led_to_it_has_returned() -> None:
    """Ours: an open stream holds no frame of what stands before the routes, and is sent by what they made of `send`."""
    told: list[str] = []

    async def later() -> None:
        told.append("sent")

    async def inner(scope: Scope, _: Receive, __: Send) -> None:
        if scope["path"] == "/stream":
            scope[LATER].append(later)
        told.append("returned")

    async def never() -> Message:
        raise AssertionError("nobody is asked")

    async def send(_: Message) -> None:
        raise AssertionError("nothing is said here")

    for path in ("/stream", "/other"):
        await OffTheStack(inner)({"type": "http", "path": path}, never, send)
    assert told == ["returned", "sent", "returned"]
