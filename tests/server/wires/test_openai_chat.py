"""Chat completions over HTTP: streamed or not, left, stopped, taken back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.runtime.agents import model_of, scripted
from tests.runtime.stores import GATED, ROUNDS, pass_time, virtually
from tests.server.calls import JSON, Call
from tests.server.wires.openai_calls import CHAT, asking, chat, code_of, frames, result, said_in
from treadle.app.agent import Agent
from treadle.app.server import Server
from treadle.server.mounting import Mount
from treadle.server.pulse import Rhythm
from treadle.values.exposure import Exposure
from treadle.values.limits import Retries
from treadle.values.runs import RunStatus

STREAM = {"stream": True, "stream_options": {"include_usage": True}}
TAKES_BACK = "text: It was\neof\n--- again\ntext: It is"


def streaming(app: Any, **more: Any) -> Call:  # noqa: ANN401 (an application, JSON)
    """A request that a test holds in its hand."""
    body = {"model": "a", "messages": [{"role": "user", "content": "hi"}], **STREAM, **more}
    return Call(app, "POST", CHAT, JSON, body=body)


def taking_back() -> Agent:
    """An agent whose first attempt is taken back."""
    return scripted(TAKES_BACK, retries=Retries(after_output=True, first_wait_s=0.0))


def text_of(told: list[Any]) -> str:
    """The text of chunks."""
    return "".join(
        one["choices"][0]["delta"].get("content") or "" for one in told if one != "[DONE]" and one.get("choices")
    )


@pytest.mark.requirement("OPENAI-chat", "OPENAI-retries")
@virtually
async def test_a_completion_streams_its_chunks_to_the_end_marker() -> None:
    """Protocol: no ids, no retry, no names of events; a comment first; nothing is to be asked again."""
    async with Server([scripted(ROUNDS)]) as server:
        call = await chat(server.asgi, "hi", **STREAM)
        told = frames(call)
        assert (call.status, text_of(told), told[-1]) == (200, "Let me see. It is 3.", "[DONE]")
        assert told[-2]["usage"]["total_tokens"] == 42
        assert call.headers["content-type"].startswith("text/event-stream")
        assert call.headers["x-should-retry"] == "false"
        assert call.headers["x-request-id"] == (await server.runner.runs())[0].run_id
        lines = call.body.decode().split("\n")
        assert {line.partition(":")[0] for line in lines if line} == {"", "data"}
        assert not any("treadle" in one for one in told[:-1])


@pytest.mark.requirement("OPENAI-chat")
@virtually
async def test_one_completion_says_what_its_stream_says() -> None:
    """Ours: the same run, told whole."""
    async with Server([scripted(ROUNDS)]) as server:
        call = await chat(server.asgi, "hi")
        assert (call.status, said_in(call), call.json["usage"]["total_tokens"]) == (200, "Let me see. It is 3.", 42)
        assert call.headers["x-should-retry"] == "false"


@pytest.mark.requirement("OPENAI-tools")
@virtually
async def test_what_tools_do_is_told_where_the_mount_says_so() -> None:
    """Design §8: an exposure of the mount; beside the choice, so that the client runs nothing."""
    async with Server([scripted(ROUNDS)], mounts=[Mount(wire="openai", exposure=Exposure())]) as server:
        told = frames(await chat(server.asgi, "hi", **STREAM))
        kinds = [one["treadle"]["kind"] for one in told[:-1] if "treadle" in one]
        assert kinds == ["tool_call", "tool_result"]
        assert not any("tool_calls" in json.dumps(one) for one in told[:-1])


@pytest.mark.requirement("OPENAI-endings")
@virtually
async def test_a_failure_is_an_error_in_the_stream_and_of_http_without_one() -> None:
    """BR-203, BR-097: one error in the protocol's form, the end marker, and no finish that was made up."""
    async with Server([scripted("text: It |is\neof")]) as server:
        told = frames(await chat(server.asgi, "hi", **STREAM))
        assert (told[-2]["error"]["code"], told[-1]) == ("upstream_truncated", "[DONE]")
        assert all(one["choices"][0]["finish_reason"] is None for one in told[:-2] if one["choices"])
        whole = await chat(server.asgi, "hi")
        assert (whole.status, code_of(whole), whole.headers["x-should-retry"]) == (500, "upstream_truncated", "false")


@pytest.mark.requirement("OPENAI-retraction")
@virtually
async def test_a_run_goes_on_when_its_completion_ended_since_it_was_taken_back() -> None:
    """Design §8: the response ends, not the run. Whoever was told nothing is told the answer."""
    async with Server([taking_back()]) as server:
        told = frames(await chat(server.asgi, "hi", **STREAM))
        assert (told[-2]["error"]["code"], text_of(told)) == ("restarted", "It was")
        (run,) = await server.runner.runs()
        assert (await server.runner.wait(run.run_id)).text == "It is"
        await pass_time(30.0)
        assert (await server.runner.state(run.run_id)).status is RunStatus.DONE
    async with Server([taking_back()]) as server:
        assert said_in(await chat(server.asgi, "hi")) == "It is"


@pytest.mark.requirement("OPENAI-leaving")
@pytest.mark.parametrize("stream", [True, False])
@virtually
async def test_a_completion_that_nobody_waits_for_is_cancelled_after_a_while(stream: bool) -> None:  # noqa: FBT001 (a parameter of a test)
    """Design §8: after 10 s with no reader at all, be it one that streams or one that waits for all of it."""
    async with Server([scripted(GATED)]) as server:
        async with streaming(server.asgi, stream=stream) as call:
            await pass_time(1.0)
            call.leave()
            await call.over()
        (run,) = await server.runner.runs()
        await pass_time(9.0)
        assert (await server.runner.state(run.run_id)).status is RunStatus.OWNED
        await pass_time(2.0)
        view = await server.runner.get(run.run_id)
        assert (view.state, view.text) == (RunStatus.CANCELLED, "It ")


@pytest.mark.requirement("OPENAI-leaving")
@virtually
async def test_another_reader_keeps_it_alive() -> None:
    """Design §8: leaving means the last reader's."""
    async with Server([scripted(GATED)]) as server:
        async with streaming(server.asgi) as call:
            await pass_time(1.0)
            (run,) = await server.runner.runs()
            watched = server.runner.watch(run.run_id)
            await anext(watched)
            call.leave()
            await call.over()
        await pass_time(30.0)
        assert (await server.runner.state(run.run_id)).status is RunStatus.OWNED
        await watched.aclose()


@pytest.mark.requirement("OPENAI-endings", "OPENAI-leaving")
@pytest.mark.parametrize("stream", [True, False])
@virtually
async def test_a_completion_whose_run_is_stopped_ends_cancelled(stream: bool) -> None:  # noqa: FBT001 (a parameter of a test)
    """BR-099: there is no frame for it: an error with the code `cancelled`."""
    async with Server([scripted(GATED)]) as server, streaming(server.asgi, stream=stream) as call:
        await pass_time(1.0)
        (run,) = await server.runner.runs()
        await server.runner.cancel(run.run_id)
        await call.over()
        if stream:
            assert (frames(call)[-2]["error"]["code"], frames(call)[-1]) == ("cancelled", "[DONE]")
        else:
            assert (call.status, code_of(call)) == (409, "cancelled")


@pytest.mark.requirement("OPENAI-chat")
@virtually
async def test_silence_is_broken_by_comments() -> None:
    """BR-137: the client can stand them, since no id was ever sent."""
    agent = scripted(GATED)
    async with Server([agent]) as server, streaming(server.asgi) as call:
        await pass_time(8.0)
        model_of(agent).open_gate("go")
        await call.over()
        assert call.body.count(b"\n\n:") >= 2
        assert text_of(frames(call)) == "It is 3."


@pytest.mark.requirement("OPENAI-endings")
@virtually
async def test_a_server_that_stops_says_so_in_the_stream() -> None:
    """Ours: a body that only ends is taken for an answer that is whole."""
    server = Server([scripted(GATED)], rhythm=Rhythm(drain_s=0.5))
    async with server, streaming(server.asgi) as call:
        await pass_time(1.0)
        await server.drain()
        await call.over()
    assert (frames(call)[-2]["error"]["code"], frames(call)[-1]) == ("stopping", "[DONE]")


@pytest.mark.requirement("OPENAI-retries")
@virtually
async def test_a_server_that_stops_in_the_middle_is_not_to_be_asked_again_for_the_same() -> None:
    """Protocol: the client repeats a 503 by itself, and the run exists: it would start a second one."""
    server = Server([scripted(GATED)], rhythm=Rhythm(drain_s=0.5))
    async with server, streaming(server.asgi, stream=False) as call:
        await pass_time(1.0)
        await server.drain()
        await call.over()
    assert (call.status, code_of(call), call.headers["x-should-retry"]) == (503, "stopping", "false")


@pytest.mark.requirement("OPENAI-pauses")
@virtually
async def test_a_stream_pauses_and_another_goes_on() -> None:
    """Protocol: `finish_reason` tool_calls; a later completion has an id of its own and its own usage."""
    async with Server([asking()]) as server:
        first = frames(await chat(server.asgi, "hi", **STREAM))
        deltas = [one["choices"][0]["delta"] for one in first[:-1] if one["choices"]]
        (asked,) = [delta["tool_calls"][0] for delta in deltas if "tool_calls" in delta]
        second = frames(await chat(server.asgi, "hi", result(asked["id"], "blue"), **STREAM))
        assert text_of(second) == "Thanks."
        assert (first[0]["id"][:-1], second[0]["id"][-3:]) == (second[0]["id"][:-1], ".s2")
