"""Agents over HTTP, as their user has them. What the routes do is held in tests/server."""

from __future__ import annotations

import asyncio

import pytest
from fastapi import FastAPI

import treadle
from tests.runtime.agents import model_of, scripted
from tests.runtime.stores import GATED, LoopClock, virtually
from tests.server.calls import JSON, SSE, ask, started
from treadle.adapters.stores.memory import MemoryStore
from treadle.app.server import Server
from treadle.errors import PlanError, UnguardedError
from treadle.server.access.sites import Sites
from treadle.server.pulse import Rhythm

HI = {"agent": "a", "prompt": "hi"}


def test_it_is_found_where_users_look() -> None:
    """Ours: `from treadle import Server`."""
    assert treadle.Server is Server


def test_what_cannot_be_served_is_told_when_it_is_made() -> None:
    """Ours: no agents, two of one name, or every site's pages and nobody asked."""
    with pytest.raises(PlanError):
        Server([])
    with pytest.raises(PlanError):
        Server([scripted("text: ok"), scripted("text: ok")])
    with pytest.raises(UnguardedError):
        Server([scripted("text: ok")], sites=Sites(origins=["*"]))


@pytest.mark.requirement("SERVE-mount")
@virtually
async def test_it_is_mounted_in_a_user_s_own_application_in_three_lines() -> None:
    """Issue: mounted in a user's FastAPI app in three lines."""
    server = Server([scripted("text: It is 3.")])
    app = FastAPI(lifespan=server.lifespan)
    app.mount("/agents", server.asgi)

    async with app.router.lifespan_context(app):
        call = await ask(app, "POST", "/agents/v1/runs", JSON, SSE, body=HI)
        assert (call.text, call.kinds[-1]) == ("It is 3.", "done")
        assert call.headers["location"].startswith("/agents/v1/runs/r_")
        view = await ask(app, "GET", call.headers["location"])
        assert (view.status, view.json["text"]) == (200, "It is 3.")
        lost = await ask(app, "GET", "/agents/v1/runs/none")
        assert (lost.status, lost.json["code"]) == (404, "run_not_found")
    assert not server.is_entered


def test_without_the_lifespan_of_the_other_application_it_starts_with_the_first_request() -> None:
    """Ours: a mount alone works too; the log says what it lacks."""
    server = Server([scripted("text: ok")])
    app = FastAPI()
    app.mount("/agents", server.asgi)

    async def main() -> None:
        call = await ask(app, "POST", "/agents/v1/runs", JSON, SSE, body=HI)
        assert call.kinds[-1] == "done"

    asyncio.run(main())
    assert not server.is_entered


@virtually
async def test_a_server_takes_up_what_an_earlier_one_left() -> None:
    """Promise 5: the run is in the store, not in the process."""
    agent, store = scripted(GATED), MemoryStore(LoopClock())
    async with Server([agent], store=store, rhythm=Rhythm(drain_s=0)) as server:
        run_id = await started(server.asgi)
    model_of(agent).open_gate("go")
    async with Server([agent], store=store) as server:
        call = await ask(server.asgi, "GET", f"/v1/runs/{run_id}/events")
    assert call.kinds[-1] == "done"


@virtually
async def test_only_this_machine_is_answered_where_nobody_is_asked() -> None:
    """Issue: no auth and not loopback is refused, also where the server is mounted and cannot know where it listens."""
    async with Server([scripted("text: ok")]) as server:
        here = await ask(server.asgi, "GET", "/v1/agents")
        there = await ask(server.asgi, "GET", "/v1/agents", client=("203.0.113.9", 1))
    assert (here.status, there.status) == (200, 401)
