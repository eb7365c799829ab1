"""The fault server: routes, rounds and tries, connections, waiting."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import ExitStack

import pytest

from tests.testing.faults.raw_client import RawClient, server_of
from treadle.testing.faults import server as server_module
from treadle.testing.faults.scenario import Scenario, done, reply, say, stream
from treadle.testing.faults.server import WAIT_S, FaultServer
from treadle.testing.faults.steps import Done, Finish, Status

USER = {"role": "user", "content": "Hi"}
PLAIN = reply(say("a", "b"), Finish(reason="stop"), Done())


async def test_one_connection_carries_many_requests() -> None:
    """A pool of connections must be able to take one back (ours)."""
    async with server_of(s=PLAIN) as server:
        async with RawClient(server.base_url) as client:
            for _ in range(3):
                assert (await client.ask("s")).ended
            assert (await client.ask("s", stream=False)).ended
            assert server.stats.open_connections == 1
        await server.wait_for(lambda stats: stats.open_connections == 0)
        assert server.stats.requests("s") == 4


async def test_a_client_that_asks_for_it_is_disconnected() -> None:
    """RFC 9112: `connection: close`."""
    async with FaultServer() as server, RawClient(server.base_url) as client:
        await client.read_on(await client.send("GET", "/v1/models", headers=("connection: close",)))
        await server.wait_for(lambda stats: stats.open_connections == 0)


async def test_the_round_of_a_request_picks_the_turn_and_the_last_turn_answers_the_rest() -> None:
    """A scenario goes on as the conversation does (ours)."""
    turns = (stream(say("one")), stream(say("two")))
    scenario = Scenario(name="s", says="", turns=turns, expected=done(""))
    said = {"role": "assistant", "content": "x"}
    async with FaultServer(scenarios={"s": scenario}) as server, RawClient(server.base_url) as client:
        answers = [await client.ask("s", messages=[USER, *[said] * rounds]) for rounds in (0, 1, 2, 0)]
    assert [answer.content for answer in answers] == ["one", "two", "two", "one"]
    assert [exchange.round_at for exchange in server.stats.exchanges] == [0, 1, 2, 0]


async def test_the_nth_request_gets_the_nth_reply_and_then_the_first_again() -> None:
    """So that one server serves many runs of a scenario (ours)."""
    async with server_of(s=(reply(Status(code=429)), PLAIN)) as server, RawClient(server.base_url) as client:
        answers = [await client.ask("s") for _ in range(3)]
    assert [answer.status for answer in answers] == [429, 200, 429]
    assert [exchange.attempt_at for exchange in server.stats.exchanges] == [0, 1, 0]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"model": "no such", "messages": [USER]}, 404),
        ({"model": "s", "messages": [USER, {"role": "tool", "tool_call_id": "a"}]}, 400),
        ([], 400),
    ],
)
async def test_a_request_the_provider_would_refuse_is_refused_and_written_down(body: object, status: int) -> None:
    """A caller that breaks the provider's rules is found out by `problems` (ours)."""
    async with server_of(s=PLAIN) as server, RawClient(server.base_url) as client:
        answer = await client.send("POST", "/v1/chat/completions", json.dumps(body).encode())
        await client.read_on(answer)
    assert answer.status == status
    assert server.stats.problems() == [json.loads(answer.body)["error"]["message"]]
    assert server.stats.exchanges[0].end == "refused"


async def test_a_body_that_is_no_json_is_refused() -> None:
    """The server outlives any caller (ours)."""
    async with FaultServer() as server, RawClient(server.base_url) as client:
        assert (await client.send("POST", "/v1/chat/completions", b"{")).status == 400


async def test_bytes_that_are_no_request_are_refused() -> None:
    """The server outlives any caller (ours)."""
    async with FaultServer() as server, RawClient(server.base_url) as client:
        assert (await client.send("GET", "/", headers=("transfer-encoding: chunked",))).status == 400
        await server.wait_for(lambda stats: stats.open_connections == 0)


async def test_other_routes_answer_and_are_not_counted() -> None:
    """Models, ledger and what is missing (ours)."""
    async with server_of(s=PLAIN) as server, RawClient(server.base_url) as client:
        await client.ask("s")
        models = await client.send("GET", "/v1/models")
        await client.read_on(models)
        stats = await client.send("GET", "/_stats")
        await client.read_on(stats)
        assert (await client.send("GET", "/nowhere")).status == 404
        assert [model["id"] for model in json.loads(models.body)["data"]] == ["s"]
        assert json.loads(stats.body) == server.stats.as_json()
        assert server.stats.requests() == 1


async def test_callers_that_come_all_at_once_are_all_let_in() -> None:
    """Ours: a whole catalogue of runs begins in one turn of the loop, and none of them is made to try again."""
    async with FaultServer() as server:
        address = ("127.0.0.1", int(server.base_url.split(":")[2].split("/")[0]))
        with ExitStack() as callers:
            # These block the loop, so nobody is accepted before the last has connected.
            for _ in range(120):
                callers.enter_context(socket.create_connection(address, timeout=WAIT_S))
            await server.wait_for(lambda stats: stats.open_connections == 120)
        await server.wait_for(lambda stats: stats.open_connections == 0)


async def test_a_server_that_closes_drops_its_callers() -> None:
    """Nothing is left running behind a test (ours)."""
    async with FaultServer() as server, RawClient(server.base_url) as stalled, RawClient(server.base_url) as idle:
        await stalled.begin("stall_after_head")
        await idle.ask("text")
        await server.wait_for(lambda stats: stats.stalled() == 1)
        assert server.stats.open_connections == 2
    assert server.stats.open_connections == 0
    assert [exchange.end for exchange in server.stats.exchanges] == ["cut", "complete"]


async def test_a_server_that_was_never_entered_can_be_left() -> None:
    """Leaving is never a fault (ours)."""
    await FaultServer().__aexit__(None, None, None)


async def test_a_wait_is_over_when_the_ledger_says_so() -> None:
    """It looks at every change, and at once (ours)."""
    async with server_of(s=PLAIN) as server, RawClient(server.base_url) as client:
        waiting = asyncio.create_task(server.wait_for(lambda stats: stats.requests() == 2))
        await server.wait_for(lambda stats: stats.requests() == 0)
        await client.ask("s")
        assert not waiting.done()
        await client.ask("s")
        await waiting


async def test_waiting_for_what_never_comes_ends_and_tells_the_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wait is bounded (ours)."""
    monkeypatch.setattr(server_module, "WAIT_S", 0.0)
    async with FaultServer() as server:
        with pytest.raises(TimeoutError, match="open_connections"):
            await server.wait_for(lambda stats: stats.requests() == 1)
