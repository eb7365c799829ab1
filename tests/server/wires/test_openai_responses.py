"""Responses over HTTP: asked for, streamed, read again from a number, gone on from, and stopped."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.behaviour.answers import Till, said
from tests.runtime.agents import model_of, scripted
from tests.runtime.stores import GATED, ROUNDS, LoopClock, StoreInHand, pass_time, virtually
from tests.server.calls import JSON, Call, ask
from tests.server.wires.openai_calls import (
    ACCESS,
    ANN,
    BOB,
    RESPONSES,
    asking,
    code_of,
    decision,
    frames,
    key,
    output,
    respond,
    said_in,
    tokens,
)
from tests.server.wires.test_openai_chat import taking_back
from treadle.adapters.stores.memory import MemoryStore
from treadle.app.server import Server
from treadle.server.mounting import Mount
from treadle.server.pulse import Rhythm
from treadle.server.wires.openai_responses import named_frames, run_of
from treadle.values.exposure import Exposure
from treadle.values.runs import RunStatus


def streaming(app: Any, said: Any = "hi", **more: Any) -> Call:  # noqa: ANN401 (an application, JSON)
    """A request that a test holds in its hand."""
    return Call(app, "POST", RESPONSES, JSON, body={"model": "a", "input": said, "stream": True, **more})


async def read(app: Any, named: str, *headers: tuple[str, str], query: str = "") -> Call:  # noqa: ANN401 (an application)
    """Ask for a response anew."""
    return await ask(app, "GET", f"{RESPONSES}/{named}{query}", *headers)


def text_of(told: list[Any]) -> str:
    """The text of deltas."""
    return "".join(one["delta"] for one in told if one["type"] == "response.output_text.delta")


@pytest.mark.requirement("OPENAI-responses")
@pytest.mark.parametrize(
    "types", [[], ["a"], ["a", "a", "a"], ["a", "b.c", "b.c", "a"], ["a", "ab"], ["ab", "a"]], ids=str
)
def test_an_event_is_called_as_its_type_is(types: list[str]) -> None:
    """Protocol: events stand under `event: <type>`, whatever is in them."""
    payloads = [f'{{"type":"{one}","x":{{"type":"a"}}}}' for one in types]
    expected = [f"event: {one}\ndata: {payload}\n\n" for one, payload in zip(types, payloads, strict=True)]
    assert named_frames(payloads) == "".join(expected)


def test_a_path_names_a_run_or_none() -> None:
    """Ours: what is no id of a response names nothing."""
    assert run_of({"response_id": "resp_r1.s2"}) == "r1"
    assert run_of({"response_id": "r1"}) is None


@pytest.mark.requirement("OPENAI-responses", "OPENAI-sequence", "OPENAI-retries")
@virtually
async def test_a_response_streams_its_events_by_name_and_number() -> None:
    """Protocol: dense numbers, no ids of events, no retry; nothing is to be asked again."""
    async with Server([scripted(ROUNDS)]) as server:
        call = await respond(server.asgi, "hi", stream=True, metadata={"a": "b"})
        told = frames(call)
        assert [one["sequence_number"] for one in told] == list(range(len(told)))
        assert (told[0]["type"], told[-1]["type"], text_of(told)) == (
            "response.created",
            "response.completed",
            "Let me see. It is 3.",
        )
        assert call.kinds == [one["type"] for one in told]
        assert call.headers["x-should-retry"] == "false"
        assert {line.partition(":")[0] for line in call.body.decode().split("\n") if line} == {"", "data", "event"}
        last = told[-1]["response"]
        assert (last["metadata"], last["background"], last["store"]) == ({"a": "b"}, False, True)
        again = await read(server.asgi, last["id"])
        assert (again.status, again.json) == (200, last)
        whole = await respond(server.asgi, "hi")
        assert (said_in(whole), whole.json["usage"]) == ("Let me see. It is 3.", last["usage"])


@pytest.mark.requirement("OPENAI-tools")
@virtually
async def test_what_tools_do_is_told_where_the_mount_says_so() -> None:
    """Design §8: an exposure of the mount; a call of the server is an `mcp_call`."""
    async with Server([scripted(ROUNDS)], mounts=[Mount(wire="openai", exposure=Exposure())]) as server:
        output_items = (await respond(server.asgi, "hi")).json["output"]
        assert [item["type"] for item in output_items] == ["reasoning", "message", "mcp_call", "message"]
        assert (output_items[2]["name"], output_items[2]["arguments"], output_items[2]["output"]) == (
            "add",
            '{"a":1,"b":2}',
            "3",
        )


@pytest.mark.requirement("OPENAI-background", "OPENAI-sequence")
@virtually
async def test_a_response_in_the_background_goes_on_and_is_taken_up_again_by_number() -> None:
    """Protocol: it is answered at once, read whenever, and streamed from any number, live."""
    agent = scripted(GATED)
    async with Server([agent]) as server:
        begun = await respond(server.asgi, "hi", background=True)
        named = begun.json["id"]
        assert (begun.status, begun.json["status"] in ("queued", "in_progress"), begun.json["background"]) == (
            200,
            True,
            True,
        )
        await pass_time(60.0)
        standing = (await read(server.asgi, named)).json
        assert (standing["status"], standing["output"][0]["content"][0]["text"]) == ("in_progress", "It ")
        target = f"{RESPONSES}/{named}?stream=true&starting_after=1"
        async with Call(server.asgi, "GET", target) as call:
            await call.until(lambda one: b"output_text.delta" in one.body)
            model_of(agent).open_gate("go")
            await call.over()
        told = frames(call)
        assert [one["sequence_number"] for one in told] == list(range(2, 2 + len(told)))
        assert (told[-1]["response"]["status"], text_of(told)) == ("completed", "It is 3.")
        whole = frames(await read(server.asgi, named, query="?stream=true"))
        assert whole[2:] == told
        assert frames(await read(server.asgi, named, query="?stream=true&starting_after=999")) == []


@pytest.mark.requirement("OPENAI-background", "OPENAI-leaving")
@pytest.mark.parametrize(
    ("more", "state"),
    [
        ({"background": True, "stream": True}, RunStatus.OWNED),
        ({"stream": True}, RunStatus.CANCELLED),
        ({"stream": False}, RunStatus.CANCELLED),
    ],
)
@virtually
async def test_who_leaves_stops_a_response_unless_it_is_in_the_background(more: Any, state: RunStatus) -> None:  # noqa: ANN401 (any JSON)
    """Design §8: background goes on; else as chat."""
    async with Server([scripted(GATED)]) as server:
        async with streaming(server.asgi, **more) as call:
            await pass_time(1.0)
            call.leave()
            await call.over()
        await pass_time(12.0)
        (run,) = await server.runner.runs()
        assert run.status is state


@pytest.mark.requirement("OPENAI-background", "OPENAI-endings")
@virtually
async def test_a_response_is_stopped_by_its_id() -> None:
    """Protocol: `cancel` says how it stands then, and the stream ends so. Asking again changes nothing."""
    async with Server([scripted(GATED)]) as server, streaming(server.asgi) as call:
        await call.until(lambda one: b"output_text.delta" in one.body)
        named = frames(call)[0]["response"]["id"]
        stopped = await ask(server.asgi, "POST", f"{RESPONSES}/{named}/cancel")
        assert (stopped.status, stopped.json["status"]) == (200, "cancelled")
        await call.over()
        last = frames(call)[-1]
        assert (last["type"], last["response"]["status"]) == ("response.incomplete", "cancelled")
        assert (await ask(server.asgi, "POST", f"{RESPONSES}/{named}/cancel")).json == stopped.json


@pytest.mark.requirement("OPENAI-background")
@virtually
async def test_to_stop_a_response_that_is_over_does_not_stop_the_one_behind_it() -> None:
    """Ours: each id is its own; the last one of a run that waits gives the run up."""
    script = 'text: May I? \ncall: pay {"cents": 5}\n---\ntext: It is \ngate: go\ntext: done.'
    agent = scripted(script, tools=[Till().pay])
    async with Server([agent]) as server:
        first = await respond(server.asgi, "hi")
        named = first.json["id"]
        (token,) = tokens(first)
        second = await respond(
            server.asgi, [decision(token, approve=True)], previous_response_id=named, background=True
        )
        await pass_time(1.0)
        old = await ask(server.asgi, "POST", f"{RESPONSES}/{named}/cancel")
        assert (old.json["status"], old.json["output"]) == ("completed", first.json["output"])
        assert (await read(server.asgi, second.json["id"])).json["status"] == "in_progress"
        stopped = await ask(server.asgi, "POST", f"{RESPONSES}/{second.json['id']}/cancel")
        assert stopped.json["status"] == "cancelled"
        waits = await respond(server.asgi, "hi")
        given_up = await ask(server.asgi, "POST", f"{RESPONSES}/{waits.json['id']}/cancel")
        assert given_up.json["status"] == "completed"
        await pass_time(1.0)
        assert (await server.runner.runs())[0].status is RunStatus.CANCELLED


@virtually
async def test_what_does_not_stop_in_time_is_told_as_it_stands() -> None:
    """Ours: whoever stops it is not kept waiting for a store that has no room, or a tool that does not hear."""
    store = StoreInHand(MemoryStore(LoopClock()))
    async with Server([scripted("text: It \nhang")], store=store) as server:
        begun = await respond(server.asgi, "hi", background=True)
        await pass_time(1.0)
        store.gate.clear()
        stopped = await ask(server.asgi, "POST", f"{RESPONSES}/{begun.json['id']}/cancel")
        assert (stopped.status, stopped.json["status"]) == (200, "in_progress")
        store.gate.set()
        await pass_time(2.0)
        assert (await read(server.asgi, begun.json["id"])).json["status"] == "cancelled"


@pytest.mark.requirement("OPENAI-conversation")
@virtually
async def test_a_conversation_is_gone_on_with_from_its_last_response() -> None:
    """Protocol: the thread of the response before; what was said stands in it, and is not sent again."""
    agent = scripted("text: one\n---\ntext: two")
    async with Server([agent]) as server:
        before = {"role": "user", "content": "I am Ann."}
        first = await respond(server.asgi, [before, {"role": "user", "content": "hi"}])
        second = await respond(server.asgi, "and?", previous_response_id=first.json["id"])
        assert (second.status, second.json["previous_response_id"]) == (200, first.json["id"])
        told = model_of(agent).asks[-1].prompt
        told_before = [getattr(message, "text", None) or message.turn.text for message in told.history]  # type: ignore[union-attr]  # either class
        assert (told_before, told.prompt) == (["I am Ann.", "hi", "one"], "and?")
        branch = await respond(server.asgi, "or?", previous_response_id=first.json["id"])
        assert (branch.status, branch.json["error"]["param"]) == (400, "previous_response_id")
        for unknown in ("resp_r_none.s1", "x", f"{second.json['id'][:-1]}2"):
            missing = await respond(server.asgi, "x", previous_response_id=unknown)
            assert (missing.status, code_of(missing)) == (404, "run_not_found")


@pytest.mark.requirement("OPENAI-conversation", "PAUSE-message")
@virtually
async def test_a_message_to_a_response_that_asks_is_no_answer() -> None:
    """BR-084: refused; the pause is open as before, and no earlier response is gone on from instead."""
    async with Server([asking()]) as server:
        first = await respond(server.asgi, "hi")
        on = {"previous_response_id": first.json["id"]}
        message = await respond(server.asgi, "red", **on)
        assert (message.status, code_of(message)) == (409, "pause_open")
        second = await respond(server.asgi, [output(tokens(first)[0], "red")], **on)
        assert said_in(second) == "Thanks."
        old = await respond(server.asgi, "more", **on)
        assert old.status == 400


@pytest.mark.requirement("OPENAI-pauses")
@virtually
async def test_a_client_that_keeps_its_own_items_answers_without_naming_a_response() -> None:
    """Ours: the token names its run; all before it is the client's own copy."""
    async with Server([asking()]) as server:
        first = await respond(server.asgi, "hi", store=False)
        (call,) = [item for item in first.json["output"] if item["type"] == "function_call"]
        kept = [{"role": "user", "content": "hi"}, *first.json["output"], output(call["call_id"], "red")]
        assert said_in(await respond(server.asgi, kept, store=False)) == "Thanks."


@pytest.mark.requirement("OPENAI-store")
@virtually
async def test_what_is_not_stored_cannot_be_had_again() -> None:
    """Ours: not by its id, and not as what a conversation goes on from; to stop it is another matter."""
    async with Server([scripted(GATED)]) as server, streaming(server.asgi, store=False) as call:
        await call.until(lambda one: b"output_text.delta" in one.body)
        response = frames(call)[0]["response"]
        assert response["store"] is False
        assert (await read(server.asgi, response["id"])).status == 404
        assert (await respond(server.asgi, "x", previous_response_id=response["id"])).status == 404
        stopped = await ask(server.asgi, "POST", f"{RESPONSES}/{response['id']}/cancel")
        assert stopped.json["status"] == "cancelled"
        (run,) = await server.runner.runs()
        assert await server.runner.delete(run.run_id, facts_only=True)
        assert (await read(server.asgi, response["id"])).status == 404


@pytest.mark.requirement("OPENAI-scope")
@virtually
async def test_a_response_of_another_scope_is_not_there() -> None:
    """Promise 7: ids are names in a scope and never rights."""
    async with Server([scripted(GATED)], access=ACCESS) as server:
        named = (await respond(server.asgi, "hi", headers=(key(ANN),), background=True)).json["id"]
        assert (await read(server.asgi, named, key(ANN))).status == 200
        for call in (
            await read(server.asgi, named, key(BOB)),
            await read(server.asgi, named, key(BOB), query="?stream=true"),
            await ask(server.asgi, "POST", f"{RESPONSES}/{named}/cancel", key(BOB)),
            await respond(server.asgi, "x", headers=(key(BOB),), previous_response_id=named),
        ):
            assert (call.status, code_of(call)) == (404, "run_not_found")
        for missing in ("resp_r_none.s1", f"{named[:-1]}2", "nonsense"):
            assert (await read(server.asgi, missing, key(ANN))).status == 404
        assert (await server.runner.within("acme").runs())[0].status is RunStatus.OWNED


@pytest.mark.requirement("OPENAI-retraction", "OPENAI-background")
@virtually
async def test_a_response_that_was_taken_back_is_had_whole_when_it_is_asked_for_again() -> None:
    """Design §8: its stream ends, the run goes on; a replay leaves void text out."""
    async with Server([taking_back()]) as server:
        told = frames(await respond(server.asgi, "hi", stream=True, background=True))
        last = told[-1]["response"]
        assert (last["status"], last["error"]["code"]) == ("failed", "restarted")
        (run,) = await server.runner.runs()
        await server.runner.wait(run.run_id)
        again = await read(server.asgi, last["id"])
        assert (again.json["status"], said_in(again)) == ("completed", "It is")
        assert frames(await read(server.asgi, last["id"], query="?stream=true")) == told


@pytest.mark.requirement("OPENAI-endings")
@virtually
async def test_a_failure_is_an_end_of_the_stream_and_of_http_without_one() -> None:
    """Promise 3: whoever asks for one answer looks at the status alone. What was said is had by its id."""
    async with Server([scripted("text: It |is\neof")]) as server:
        told = frames(await respond(server.asgi, "hi", stream=True))
        assert (told[-1]["type"], told[-1]["response"]["error"]["code"]) == ("response.failed", "upstream_truncated")
        whole = await respond(server.asgi, "hi")
        assert (whole.status, code_of(whole), whole.headers["x-should-retry"]) == (500, "upstream_truncated", "false")
        kept = await read(server.asgi, whole.json["error"]["response_id"])
        assert (kept.status, kept.json["status"], said_in(kept)) == (200, "failed", "It is")


@pytest.mark.requirement("OPENAI-endings")
@virtually
async def test_a_server_that_stops_says_so_in_the_stream() -> None:
    """Ours: a body that only ends is taken for an answer that is whole; clients raise at a frame with an error."""
    server = Server([scripted(GATED)], rhythm=Rhythm(drain_s=0.5))
    async with server, streaming(server.asgi) as call:
        await pass_time(1.0)
        await server.drain()
        await call.over()
    assert json.loads(call.events[-1].data)["error"]["code"] == "stopping"


@pytest.mark.parametrize(
    "query", ["starting_after=x", "starting_after=-1", "stream=maybe", "starting_after=9999999999"]
)
@virtually
async def test_what_is_no_number_is_refused(query: str) -> None:
    """Ours: a clear refusal that says where."""
    async with Server([scripted("text: ok")]) as server:
        named = (await respond(server.asgi, "hi")).json["id"]
        assert (await read(server.asgi, named, query=f"?{query}")).status == 400


@pytest.mark.requirement("OPENAI-pauses")
@virtually
async def test_whoever_decides_in_part_of_what_is_hidden_may_ask_for_what_comes() -> None:
    """Ours: another person has still to decide; the response to come is there, and waits."""
    till = Till()
    script = 'call: pay {"cents": 5}\ncall: pay {"cents": 6}\n---\ntext: ok'
    async with Server([scripted(script, tools=[till.pay])]) as server:
        first = await respond(server.asgi, "hi")
        run_id = first.json["id"].removeprefix("resp_").removesuffix(".s1")
        five, _ = await server.runner.pauses(run_id)
        await server.runner.answer(run_id, [said(five, "approve")], principal="ann")
        queued = await read(server.asgi, f"{first.json['id'][:-1]}2")
        assert (queued.status, queued.json["status"]) == (200, "queued")
        last = await respond(
            server.asgi, [decision(tokens(first)[1], approve=True)], previous_response_id=first.json["id"]
        )
        assert (said_in(last), sorted(till.paid)) == ("ok", [5, 6])
        assert (await read(server.asgi, first.json["id"])).json["output"] == first.json["output"]
