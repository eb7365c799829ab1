"""Responses that are held, and callers that leave."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.testing.faults.raw_client import RawClient, server_of
from treadle.testing.faults.scenario import reply, say
from treadle.testing.faults.steps import Done, Finish, Head, KeepOpen, Reply, Stall

END = (Finish(reason="stop"), Done())
STALLED = reply(say("a"), Stall(), say("b"), END)
KEPT = reply(say("a"), END, KeepOpen())


async def test_a_stall_lasts_until_it_is_released() -> None:
    """No clock is in it: a test says when to go on (ours)."""
    async with server_of(s=STALLED) as server, RawClient(server.base_url) as client:
        answer = await client.begin("s")
        await client.read_piece(answer)
        await server.wait_for(lambda stats: stats.stalled("s") == 1)
        server.release()
        await client.read_on(answer)
    assert answer.content == "ab"
    assert (server.stats.stalled(), server.stats.exchanges[0].end) == (0, "complete")


async def test_a_stall_holds_an_answer_that_is_not_streamed() -> None:
    """Released from outside the process, too (ours)."""
    async with (
        server_of(s=STALLED) as server,
        RawClient(server.base_url) as client,
        RawClient(server.base_url) as other,
    ):
        asking = asyncio.create_task(client.ask("s", stream=False))
        await server.wait_for(lambda stats: stats.stalled() == 1)
        await other.send("POST", "/_release")
        assert json.loads((await asking).body)["choices"][0]["message"]["content"] == "ab"


@pytest.mark.parametrize("said", [STALLED, reply(Head(), Stall(), say("b"), END)])
async def test_a_caller_that_leaves_a_stall_is_seen(said: Reply) -> None:
    """The proof that an upstream was closed (ours)."""
    async with server_of(s=said) as server:
        async with RawClient(server.base_url) as client:
            await client.begin("s")
            await server.wait_for(lambda stats: stats.stalled("s") == 1)
            assert (server.stats.left("s"), server.stats.running()) == (0, 1)
        await server.wait_for(lambda stats: stats.left("s") == 1)
        await server.wait_for(lambda stats: stats.open_connections == 0)
        assert (server.stats.stalled(), server.stats.running()) == (0, 0)


async def test_a_caller_that_leaves_in_mid_stream_is_seen() -> None:
    """The server stops sending to nobody (ours)."""
    async with server_of(s=reply(say(*["word " * 100] * 50_000), END)) as server:
        async with RawClient(server.base_url) as client:
            await client.read_piece(await client.begin("s"))
        await server.wait_for(lambda stats: stats.left("s") == 1)
        assert server.stats.exchanges[0].sent_events < 50_000


async def test_a_body_kept_open_has_been_said_in_full() -> None:
    """Leaving after the end marker is no hang-up (ours)."""
    async with server_of(s=KEPT) as server:
        async with RawClient(server.base_url) as client:
            answer = await client.begin("s")
            await client.read_to_end_marker(answer)
            await server.wait_for(lambda stats: stats.stalled() == 1)
            assert (answer.payloads[-1], answer.ended) == ("[DONE]", False)
        await server.wait_for(lambda stats: stats.open_connections == 0)
        assert [exchange.end for exchange in server.stats.exchanges] == ["complete"]


async def test_a_body_kept_open_ends_when_it_is_released() -> None:
    """The connection can then carry another request (ours)."""
    async with server_of(s=KEPT) as server, RawClient(server.base_url) as client:
        answer = await client.begin("s")
        await server.wait_for(lambda stats: stats.stalled() == 1)
        server.release()
        await client.read_on(answer)
        assert answer.ended
        assert (await client.begin("s")).status == 200
