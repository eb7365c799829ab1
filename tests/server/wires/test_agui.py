"""AG-UI over HTTP: how a run is streamed, and what is refused before it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.behaviour.answers import PAY, Till
from tests.projections.agui.rules import violations
from tests.runtime.agents import model_of, scripted
from tests.runtime.stores import pass_time, virtually
from tests.server.calls import JSON, Call, ask
from tests.server.wires.agui_posts import HI, Page, body, events_of, types
from treadle.app.agent import Agent
from treadle.app.server import Server
from treadle.server.access import Action, ApiKeys, Principal
from treadle.server.mounting import Mount
from treadle.server.pulse import Rhythm
from treadle.testing.faults import LEAK_MARK
from treadle.testing.scenarios import scenario_agents
from treadle.values.exposure import TEXT_ONLY, Exposure

READER = "key-of-reader-0123456789"
STARTER = "key-of-starter-0123456789"
ACCESS = ApiKeys(
    {
        READER: Principal(name="reader", scope="acme", may=[Action.READ]),
        STARTER: Principal(name="starter", scope="acme", may=[Action.START, Action.READ]),
    }
)
TOOLED = (
    'think: hm\ntext: Let me |see.\\s\ncall: add cut=3 {"a": 1, "b": 2}\nusage: 10 5\n---\ntext: It is 3.\nusage: 20 7'
)


@pytest.mark.requirement("AGUI-stream")
@virtually
async def test_a_run_is_streamed_from_its_start_to_its_end() -> None:
    """Spec: POST, an event stream, one data line an event, a terminal event, then the end of the body."""
    async with Server([scripted(TOOLED)]) as server:
        page = Page(server)
        call = await page.say("1+2?")
        assert (call.status, call.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        assert not any(mark in call.body for mark in (b"\r", b"id:", b"retry:"))
        assert call.is_complete
        (run,) = await server.runner.runs()
        assert call.headers["location"] == f"/v1/runs/{run.run_id}"
    assert types(events_of(call)) == [
        "RUN_STARTED",
        "STEP_STARTED",
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_END",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "CUSTOM",
        "TOOL_CALL_RESULT",
        "STEP_FINISHED",
        "STEP_STARTED",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "STEP_FINISHED",
        "RUN_FINISHED",
    ]
    assert page.client.text == "Let me see. It is 3."
    assert page.ending["usage"] == [{"model": "scripted", "inputTokens": 30, "outputTokens": 12}]
    assert run.thread_id == "t"


@pytest.mark.requirement("AGUI-binary")
@virtually
async def test_a_client_that_asks_for_the_binary_form_is_given_the_event_stream() -> None:
    """A gap, pinned: the official client reads it as well."""
    async with Server([scripted("text: x")]) as server:
        wants = ("accept", "application/vnd.ag-ui.event+proto")
        call = await ask(server.asgi, "POST", "/agui/a", JSON, wants, body=body(HI))
    assert call.headers["content-type"].startswith("text/event-stream")
    assert events_of(call)[-1]["type"] == "RUN_FINISHED"


@pytest.mark.requirement("AGUI-error")
@virtually
async def test_a_run_that_fails_ends_with_a_code_and_a_fixed_sentence() -> None:
    """Spec: RUN_ERROR last (BR-093, BR-097); ours: nobody else's words."""
    async with Server([scripted("text: It\nerror: refused")]) as server:
        page = Page(server)
        await page.say()
    assert (page.ending["type"], page.ending["code"]) == ("RUN_ERROR", "model_refused")
    assert page.client.text == "It"


@pytest.mark.requirement("AGUI-stream")
@virtually
async def test_a_stop_ends_the_stream_as_cancelled() -> None:
    """Spec: an outcome of its own (BR-099); the route of a stop is ours."""
    server = Server([scripted("text: It \ngate: go\ntext: is 3.")])
    async with server, Call(server.asgi, "POST", "/agui/a", JSON, body=body(HI)) as call:
        await call.until(lambda one: b"TEXT_MESSAGE_CONTENT" in one.body)
        run_id = events_of(call)[0]["metadata"]["treadle"]["runId"]
        await ask(server.asgi, "POST", f"/v1/runs/{run_id}/cancel", JSON, body={"reason": "enough"})
        await call.over()
    events = events_of(call)
    assert violations(events) == []
    assert events[-1]["outcome"] == {"type": "cancelled"}


@pytest.mark.requirement("AGUI-leaving")
@virtually
async def test_who_leaves_stops_nothing() -> None:
    """Design §8: a client's stop closes its connection, and that is leaving."""
    agent = scripted("text: It \ngate: go\ntext: is 3.")
    async with Server([agent]) as server:
        async with Call(server.asgi, "POST", "/agui/a", JSON, body=body(HI)) as call:
            await call.until(lambda one: b"TEXT_MESSAGE_CONTENT" in one.body)
            call.leave()
            await call.over()
        await pass_time(60.0)
        model_of(agent).open_gate("go")
        (run,) = await server.runner.runs()
        assert (await server.runner.wait(run.run_id)).answer == "It is 3."


@pytest.mark.requirement("AGUI-stream")
@virtually
async def test_a_server_that_stops_says_so() -> None:
    """Ours: a stream that only ends would resolve as a success."""
    server = Server([scripted("text: It \ngate: go\ntext: ok")], rhythm=Rhythm(drain_s=0.5))
    async with server, Call(server.asgi, "POST", "/agui/a", JSON, body=body(HI)) as call:
        await call.until(lambda one: b"TEXT_MESSAGE_CONTENT" in one.body)
        await server.drain()
        await call.over()
    assert events_of(call)[-1] == {
        "type": "RUN_ERROR",
        "message": "this server stops; the run goes on without it",
        "code": "stopping",
    }


@pytest.mark.requirement("AGUI-refusals")
@pytest.mark.parametrize(
    ("path", "posted", "status", "code", "pointer"),
    [
        ("/agui/b", body(HI), 404, "agent_not_found", None),
        ("/agui/a", {"runId": "r", "messages": [HI]}, 400, "bad_request", "/threadId"),
        ("/agui/a", {"threadId": "t", "messages": [HI]}, 400, "bad_request", "/runId"),
        ("/agui/a", {"threadId": "t", "runId": "r"}, 400, "bad_request", "/messages"),
        ("/agui/a", body(HI, thread=""), 400, "bad_request", "/threadId"),
        ("/agui/a", body(HI, run="a\nb"), 400, "bad_request", "/runId"),
        ("/agui/a", body(), 400, "bad_request", "/messages"),
        ("/agui/a", body({**HI, "content": " "}), 400, "bad_request", "/messages/0/content"),
        ("/agui/a", body({**HI, "id": "x" * 300}), 400, "bad_request", "/messages/0/id"),
        ("/agui/a", body({**HI, "content": 3}), 400, "bad_request", "/messages/0/content"),
        ("/agui/a", body(HI, resume=[{"interruptId": "i", "status": "maybe"}]), 400, "bad_request", "/resume/0/status"),
        ("/agui/a", body(HI, resume=[{"interruptId": "i", "status": "resolved"}]), 404, "token_invalid", None),
    ],
)
def test_what_cannot_be_done_is_refused_before_the_stream(
    path: str, posted: dict[str, Any], status: int, code: str, pointer: str | None
) -> None:
    """Ours: bad input gets a clear error, and starts nothing."""

    @virtually
    async def tried() -> None:
        async with Server([scripted("text: x")]) as server:
            call = await ask(server.asgi, "POST", path, JSON, body=posted)
            assert (call.status, call.json["code"], call.json.get("pointer")) == (status, code, pointer)
            assert await server.runner.runs() == []

    tried()


@pytest.mark.requirement("AGUI-exposure")
@virtually
async def test_a_mount_says_what_it_may() -> None:
    """Design §8: brackets stay balanced under each exposure."""
    mounts = [Mount(wire="agui", path="/shy", exposure=TEXT_ONLY), Mount(wire="agui", exposure=Exposure(usage=False))]
    async with Server([scripted(TOOLED)], mounts=mounts) as server:
        shy = await ask(server.asgi, "POST", "/shy/a", JSON, body=body(HI))
        other = await ask(server.asgi, "POST", "/agui/a", JSON, body=body(HI, thread="u"))
    assert not {"REASONING_START", "TOOL_CALL_START", "CUSTOM"} & set(types(events_of(shy)))
    assert violations(events_of(shy)) == []
    assert "usage" not in events_of(other)[-1]


@pytest.mark.requirement("AGUI-interrupt")
@virtually
async def test_who_may_not_answer_is_given_no_token_and_takes_no_answer() -> None:
    """Design §7: tokens go to whoever may answer."""
    till = Till()
    async with Server([scripted(PAY, tools=[till.pay])], access=ACCESS) as server:
        barred = await ask(server.asgi, "POST", "/agui/a", JSON, ("x-api-key", READER), body=body(HI))
        assert barred.status == 403
        page = Page(server, ("x-api-key", STARTER))
        await page.say()
        (interrupt,) = page.interrupts
        assert interrupt["id"] == interrupt["metadata"]["treadle"]["interruptId"]
        assert (await page.answer({"approved": True})).json["code"] == "token_invalid"
    assert till.paid == []


@virtually
async def test_files_reach_the_model() -> None:
    """Spec: a user's message may have parts."""
    agent: Agent = scripted("text: a picture")
    async with Server([agent]) as server:
        source = {"type": "data", "value": "aGk=", "mimeType": "image/png"}
        content = [{"type": "text", "text": "what?"}, {"type": "image", "source": source}]
        await ask(server.asgi, "POST", "/agui/a", JSON, body=body({**HI, "content": content}))
    (asked,) = model_of(agent).asks
    assert [(one.media_type, one.data) for one in asked.prompt.attachments] == [("image/png", b"hi")]


@pytest.mark.requirement("AGUI-access")
@virtually
async def test_to_start_to_come_back_and_to_answer_are_three_rights() -> None:
    """Design §9: one choke point; whoever is refused changed nothing. A foreign run is none."""
    till = Till()
    keys = {
        f"key-that-is-of-{action.value}": Principal(name=action.value, scope="acme", may=[action]) for action in Action
    }
    keys["key-that-is-of-owner"] = Principal(name="owner", scope="acme", may=list(Action))
    keys["key-that-is-of-foreign"] = Principal(name="foreign", scope="globex", may=list(Action))
    async with Server([scripted(PAY, tools=[till.pay])], access=ApiKeys(keys)) as server:
        page = Page(server, ("x-api-key", "key-that-is-of-owner"))
        await page.say("pay")
        entries = [{"interruptId": page.interrupts[0]["id"], "status": "resolved", "payload": {"approved": True}}]
        posts = {
            "new": body({**HI, "id": "user-9"}, thread="other"),
            "back": body(*page.client.messages),
            "answer": body(*page.client.messages, resume=entries),
        }
        expected = dict.fromkeys(Action, (403, 403, 403)) | {Action.START: (200, 403, 403), "foreign": (200, 400, 404)}
        for who, wanted in expected.items():
            calls = [
                await ask(server.asgi, "POST", "/agui/a", JSON, ("x-api-key", f"key-that-is-of-{who}"), body=posted)
                for posted in posts.values()
            ]
            assert (who, tuple(call.status for call in calls)) == (who, wanted)
        assert (await ask(server.asgi, "POST", "/agui/a", JSON, body=posts["new"])).status == 401
    assert till.paid == []


@pytest.mark.requirement("AGUI-error")
@pytest.mark.parametrize("agent", ["failing_tool", "error", "provider_cut"])
def test_what_a_tool_or_a_provider_said_is_in_no_stream(agent: str) -> None:
    """Promise: nothing leaks: a stable code and a fixed sentence (ours)."""

    @virtually
    async def tried() -> None:
        async with Server(scenario_agents(wait=pass_time)) as server:
            call = await ask(server.asgi, "POST", f"/agui/{agent}", JSON, body=body(HI))
        assert violations(events_of(call)) == []
        assert LEAK_MARK.encode() not in call.body

    tried()
