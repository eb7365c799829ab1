"""Calls of an agent's tool over HTTP."""

from __future__ import annotations

import json

import pytest

from tests.behaviour.answers import PAY, Till
from tests.runtime.agents import model_of, scripted
from tests.runtime.stores import pass_time, virtually
from tests.server.wires.mcp_posts import Modern, Session, error_of, messages_of, result_of, text, tool_call, words
from tests.server.wires.test_mcp import GATED
from treadle.app.server import Server
from treadle.framing.sse import encode_comment
from treadle.server.access.admission import Caps
from treadle.server.access.sites import Sites
from treadle.server.pulse import Rhythm
from treadle.server.wires.streaming import LEFT_STATUS

JSON_ALONE = ("accept", "application/json")


@pytest.mark.requirement("MCP-call")
@virtually
async def test_a_call_is_told_on_a_stream_that_begins_at_once() -> None:
    """MCP: notifications, then the response; clients take a comment for a sign of life."""
    async with Server([scripted("text: It |is 3.\nusage: 10 5")]) as server:
        call = await Modern(server).ask()
    assert (call.status, call.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    assert call.bodies[0][1] == b": treadle\n\n"
    assert not any(mark in call.body for mark in (b"\r", b"id:", b"retry:", b"event:", b"[DONE]"))
    assert words(call) == ["started", "round 1", "writing"]
    result = result_of(call)
    assert (result["resultType"], result["isError"], text(call)) == ("complete", False, "It is 3.")
    assert result["_meta"]["treadle/usage"] == {"input_tokens": 10, "output_tokens": 5}
    assert messages_of(call)[-1]["id"] == 1
    assert call.is_complete


@pytest.mark.requirement("MCP-call")
@virtually
async def test_in_silence_a_stream_says_that_it_is_there() -> None:
    """Protocols: a comment at least every few seconds."""
    agent = scripted(GATED)
    async with Server([agent]) as server, Modern(server).call() as call:
        await call.until(lambda one: b"writing" in one.body)
        await pass_time(8.0)
        model_of(agent).open_gate("go")
        await call.over()
    assert call.body.count(encode_comment()) == 2
    assert text(call) == "It is 3."


@pytest.mark.requirement("MCP-call")
@virtually
async def test_a_client_that_takes_no_stream_is_answered_once() -> None:
    """MCP: the reply is JSON, or an event stream."""
    async with Server([scripted("text: It is 3.")]) as server:
        session = Session(server)
        await session.open()
        alone = await Modern(server).ask("tools/call", None, JSON_ALONE)
        async with session.call(None, JSON_ALONE) as in_session:
            await in_session.over()
    for call in (alone, in_session):
        assert (call.headers["content-type"], len(messages_of(call))) == ("application/json", 1)
        assert text(call) == "It is 3."


@virtually
async def test_a_client_that_leaves_before_its_one_answer_has_left() -> None:
    """MCP 2026-07-28: that stops the call."""
    async with Server([scripted(GATED)]) as server:
        async with Modern(server).call("tools/call", None, JSON_ALONE) as call:
            await pass_time(1.0)
            call.leave()
            await call.over()
        assert call.status == LEFT_STATUS
        (run,) = await server.runner.runs()
        assert (await server.runner.wait(run.run_id)).state.value == "cancelled"


@pytest.mark.requirement("MCP-arguments")
@pytest.mark.parametrize(
    "arguments",
    [None, {}, {"prompt": " "}, {"prompt": 3}, {"prompt": "hi", "x": 1}, {"prompt": "hi", "thread_id": "a\nb"}],
)
def test_arguments_that_are_wrong_are_a_result_that_says_so(arguments: object) -> None:
    """MCP 2025-11-25: a tool's error, so that the model can correct itself; nothing was started."""

    @virtually
    async def tried() -> None:
        async with Server([scripted("text: x")]) as server:
            session = Session(server)
            await session.open()
            params = tool_call(arguments=arguments)
            alone = await Modern(server).ask(params=params)
            async with session.call(params) as in_session:
                await in_session.over()
            for call in (alone, in_session):
                assert (call.status, result_of(call)["isError"]) == (200, True)
                assert text(call).startswith("bad_arguments: ")
            assert await server.runner.runs() == []

    tried()


@pytest.mark.requirement("MCP-arguments")
@virtually
async def test_a_conversation_goes_on_under_its_name_and_a_busy_one_is_said_to_be() -> None:
    """Design 2: a thread holds runs; design 6: one live run a thread."""
    agent = scripted("text: the \ngate: go\ntext: first")
    async with Server([agent]) as server:
        client = Modern(server)
        named = tool_call(arguments={"prompt": "hi", "thread_id": "t"})
        async with client.call(params=named) as call:
            await call.until(lambda one: b"writing" in one.body)
            busy = await client.ask(params=named)
            assert text(busy) == "thread_busy: the thread has a live run"
            assert result_of(busy)["isError"] is True
            assert server.metrics.refusals.labels("thread_busy")._value.get() == 1  # noqa: SLF001 (read, not changed)
            model_of(agent).open_gate("go")
            await call.over()
        assert result_of(call)["_meta"]["treadle/thread_id"] == "t"
        model_of(agent).open_gate("go")
        await client.ask(params=named)
        assert len(model_of(agent).asks[-1].prompt.history) == 2


@pytest.mark.requirement("MCP-retry")
@virtually
async def test_a_request_that_is_sent_again_in_its_session_is_the_same_call() -> None:
    """Ours: JSON-RPC uses an id once in a session, so the same one is a repetition; alone, each post is a call."""
    async with Server([scripted("text: x\n---\ntext: y\n---\ntext: z")]) as server:
        session, other = Session(server), Session(server)
        await session.open()
        await other.open()
        calls = []
        for one, number in ((session, 1), (session, 1), (session, "1"), (other, 1)):
            async with one.call(number=number) as call:
                calls.append(await call.over())
        runs = [result_of(call)["_meta"]["treadle/run_id"] for call in calls]
        assert runs[0] == runs[1]
        assert len(set(runs)) == 3
        assert messages_of(calls[0]) == messages_of(calls[1])
        async with session.call(tool_call("something else")) as call:
            assert error_of(await call.over()) == (400, -32600, None)
        client = Modern(server)
        before = len(await server.runner.runs())
        await client.ask()
        client._number = 0  # noqa: SLF001 (the same id once more)
        await client.ask()
        assert len(await server.runner.runs()) == before + 2


@pytest.mark.requirement("MCP-errors")
@virtually
async def test_a_run_that_fails_is_a_result_that_is_an_error() -> None:
    """MCP: the calling model sees it; design 8: a code and a fixed sentence."""
    async with Server([scripted("text: It \nerror: refused")]) as server:
        call = await Modern(server).ask()
    assert result_of(call)["isError"] is True
    assert [block["text"] for block in result_of(call)["content"]] == [
        "It ",
        "model_refused: the model refused the request",
    ]


@pytest.mark.requirement("MCP-errors")
@pytest.mark.parametrize("opens", [False, True])
def test_a_server_that_stops_says_so(*, opens: bool) -> None:
    """Ours: clients take a stream that only ends for one that broke."""

    @virtually
    async def tried() -> None:
        server = Server([scripted(GATED)], rhythm=Rhythm(drain_s=0.5))
        async with server:
            session = Session(server)
            await session.open()
            async with session.call() if opens else Modern(server).call() as call:
                await call.until(lambda one: b"writing" in one.body)
                await server.drain()
                await call.over()
        assert error_of(call) == (200, -32010, "stopping")
        assert messages_of(call)[-1]["id"] == 1

    tried()


@pytest.mark.requirement("MCP-errors")
@virtually
async def test_a_call_that_finds_no_room_starts_nothing() -> None:
    """Design 9: admission before the status line."""
    async with Server([scripted(GATED)], caps=Caps(readers=1)) as server:
        async with Modern(server).call() as call:
            await call.until(lambda one: b"writing" in one.body)
            crowded = await Modern(server).ask()
            assert error_of(crowded) == (429, -32010, "too_many_readers")
            assert crowded.headers["retry-after"]
        assert len(await server.runner.runs()) == 1
        assert server.readers == 0


@pytest.mark.requirement("MCP-due")
@virtually
async def test_where_a_decision_is_due_is_said_with_the_server_s_own_address() -> None:
    """Ours: a client that cannot ask can say where somebody else may answer."""
    till = Till()
    sites = Sites(public_url="https://agents.example/x")
    async with Server([scripted(PAY, tools=[till.pay])], sites=sites) as server:
        call = await Modern(server, capabilities={}).ask()
    run_id = result_of(call)["_meta"]["treadle/run_id"]
    assert result_of(call)["isError"] is True
    assert f"POST https://agents.example/x/v1/runs/{run_id}/answers" in text(call)
    assert "5" not in json.dumps(result_of(call)["content"]).replace(run_id, "")
    assert till.paid == []
