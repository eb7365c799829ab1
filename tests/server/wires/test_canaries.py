"""What a wire may not say is in no byte of it, and what it may say is there: every mount, under every exposure."""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Final

import pytest

from tests.runtime.stores import virtually
from tests.server.calls import JSON, Call, ask
from tests.server.outbound.receivers import OWN, receiving, rules
from tests.server.wires.a2a.agents_asked import NEW, OLD, message, old_message, rpc
from tests.server.wires.a2a.test_push import until
from tests.server.wires.agui_posts import HI, Message, body, events_of, resume_of
from tests.server.wires.canaries import (
    ASKED_ARGUMENT,
    ASKED_TOOL,
    CANARIES,
    EDITED,
    FULL,
    NOTHING,
    PROVIDER_ERROR,
    REASON,
    all_of,
    decide,
    due_by,
    leaking,
    named_by,
    plant,
)
from tests.server.wires.mcp_posts import Modern, Session, has_asked, result_of
from treadle.app.mounts import WIRES
from treadle.app.server import Server
from treadle.app.webhooks import Webhook
from treadle.projections.a2a.wire import EXTENSION as DETAILS
from treadle.server.mounting import Mount
from treadle.server.pulse import Rhythm
from treadle.server.wires.a2a import A2aSettings
from treadle.values.exposure import OPAQUE, ErrorExposure, Exposure, PauseExposure, ToolExposure

pytestmark = pytest.mark.slow

EXPOSURES: Final[Mapping[str, Exposure | None]] = {
    "default": None,
    "full": FULL,
    "names": replace(FULL, tools=ToolExposure.NAMES),
    "opaque": replace(FULL, tools=ToolExposure.OPAQUE),
    "none": replace(FULL, tools=ToolExposure.NONE),
    "no-thinking": replace(FULL, thinking=False),
    "codes": replace(FULL, errors=ErrorExposure.CODE),
    "no-usage": replace(FULL, usage=False),
    "no-extensions": replace(FULL, extensions=frozenset()),
    "nothing-extracted": replace(FULL, extracted=False),
    "due": replace(FULL, pauses=PauseExposure.DUE),
    "due-and-none": replace(FULL, pauses=PauseExposure.DUE, tools=ToolExposure.NONE),
    "nothing": NOTHING,
}
Later = Callable[[], Awaitable[list[Call]]]


async def agui(server: Server, at: str) -> tuple[list[Call], Later]:
    """A run, a page that is loaded again while it waits, its answer, and a page that comes when it is over."""

    async def posted(*messages: Message, run: str, **more: object) -> Call:
        said = body(*messages, thread=at[1:], run=run, **more)
        return await ask(server.asgi, "POST", f"{at}/agui/a", JSON, body=said)

    async def again() -> list[Call]:
        return [await posted(run="run-3")]

    first = await posted(HI, run="run-1")
    asked = events_of(first)[-1]["outcome"]["interrupts"]
    says = ({"approved": True, "editedArgs": {"secret": EDITED}}, {"approved": False, "reason": REASON})
    return [first, *await again(), await posted(run="run-2", resume=resume_of(asked, says))], again


async def vercel(server: Server, at: str) -> tuple[list[Call], Later]:
    """The same."""
    path, chat = f"{at}/vercel/a", at[1:]
    hi = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "hi"}]}
    sent = {"id": chat, "messages": [hi], "trigger": "submit-message"}

    async def again() -> list[Call]:
        return [
            await ask(server.asgi, "GET", f"{path}/{chat}/stream"),
            await ask(server.asgi, "POST", path, JSON, body=sent),
            await ask(server.asgi, "POST", f"{path}/{chat}/stop"),
        ]

    first = await ask(server.asgi, "POST", path, JSON, body=sent)
    return [first, await ask(server.asgi, "GET", f"{path}/{chat}/stream")], again


async def openai(server: Server, at: str) -> tuple[list[Call], Later]:
    """Completions and responses, streamed and whole; then the responses of both segments."""
    base = f"{at}/openai/v1"
    chat = {"model": "a", "messages": [{"role": "user", "content": "hi"}]}
    given = {"model": "a", "input": "hi"}
    usage = {"stream_options": {"include_usage": True}}
    first = [
        await ask(server.asgi, "POST", f"{base}/chat/completions", JSON, body={**chat, "stream": True, **usage}),
        await ask(server.asgi, "POST", f"{base}/chat/completions", JSON, body=chat),
        await ask(server.asgi, "POST", f"{base}/responses", JSON, body={**given, "stream": True}),
        await ask(server.asgi, "POST", f"{base}/responses", JSON, body=given),
        await ask(server.asgi, "GET", f"{base}/models"),
    ]
    named = first[3].json["id"].removesuffix(".s1")

    async def again() -> list[Call]:
        return [
            await ask(server.asgi, "GET", f"{base}/responses/{named}.s{segment}{query}")
            for segment in (1, 2)
            for query in ("", "?stream=true")
        ]

    return first, again


async def a2a(server: Server, at: str) -> tuple[list[Call], Later]:
    """Streams and sends of both versions, with the details asked for; then the tasks, listed, given and watched."""
    path, details = f"{at}/a2a/a", ("a2a-extensions", DETAILS)

    async def rpc(method: str, params: object, version: tuple[str, str] = NEW) -> Call:
        asked = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        return await ask(server.asgi, "POST", path, JSON, version, details, ("x-a2a-extensions", DETAILS), body=asked)

    first = [
        await rpc("SendStreamingMessage", message()),
        await rpc("SendMessage", message()),
        await rpc("message/send", old_message(), OLD),
        await ask(server.asgi, "GET", f"{path}/.well-known/agent-card.json"),
        await rpc("GetExtendedAgentCard", {}),
    ]
    task = first[1].json["result"]["task"]["id"]

    async def again() -> list[Call]:
        return [
            await rpc("GetTask", {"id": task}),
            await rpc("tasks/get", {"id": task}, OLD),
            await rpc("ListTasks", {"includeArtifacts": True}),
            await rpc("SubscribeToTask", {"id": task}),
            await ask(server.asgi, "GET", f"{path}/tasks/{task}", NEW, details),
        ]

    return [*first, *await again()], again


async def mcp(server: Server, at: str) -> tuple[list[Call], Later]:
    """A call by itself, and one of a session; then the same again."""
    alone, session = Modern(server, mount=f"{at}/mcp"), Session(server, mount=f"{at}/mcp")
    await session.open()
    called = await alone.ask()
    async with session.call() as asked:
        await asked.until(lambda call: has_asked(call) or call.is_complete)
        place = asked.events[0].event_id
    others = [await alone.ask("tools/list", {}), await alone.ask("server/discover", {})]

    async def again() -> list[Call]:
        calls = [await session.back(place).__aenter__()]
        await calls[0].over()
        if "inputRequests" in result_of(called):
            calls.append(await alone.answer(called))
        return calls

    return [called, asked, *others], again


TOLD_OVER: Final[Mapping[str, Callable[[Server, str], Awaitable[tuple[list[Call], Later]]]]] = {
    "agui": agui,
    "vercel": vercel,
    "openai": openai,
    "a2a": a2a,
    "mcp": mcp,
}


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs with every secret in them."""
    plant(monkeypatch)


@pytest.mark.usefixtures("planted")
@pytest.mark.requirement("WIRES-canaries", "SERVE-exposure")
@pytest.mark.parametrize("wire", WIRES)
@virtually
async def test_a_wire_says_what_its_exposure_names_and_nothing_else(wire: str) -> None:
    """Promise: nothing leaks. Every byte of a wire, head and all; what is named is there, so that nothing is missed."""
    mounts = [Mount(wire=wire, path=f"/{label}/{wire}", exposure=exposure) for label, exposure in EXPOSURES.items()]
    default: Exposure = importlib.import_module(f"treadle.server.wires.{wire}").EXPOSURE
    told: dict[str, list[Call]] = {}
    later: dict[str, Later] = {}
    async with Server([leaking()], mounts=mounts) as server:
        for label in EXPOSURES:
            told[label], later[label] = await TOLD_OVER[wire](server, f"/{label}")
        await decide(server)
        for run in await server.runner.runs(limit=500):
            await server.runner.wait(run.run_id)
        for label, again in later.items():
            told[label] += await again()
    for label, calls in told.items():
        exposure = EXPOSURES[label] or default
        found = {canary for canary in CANARIES if canary in all_of(calls)}
        assert found <= named_by(exposure), (label, found - named_by(exposure))
        assert due_by(exposure, wire) <= found, (label, due_by(exposure, wire) - found)


@pytest.mark.usefixtures("planted")
@pytest.mark.requirement("WIRES-canaries", "A2A-push")
@pytest.mark.parametrize("label", ["default", "full", "nothing"])
async def test_what_is_posted_to_a_target_is_what_its_mount_may_tell(label: str) -> None:
    """Promise: nothing leaks, nor by a push: its head and its body, when the task waits and when it is over."""
    settings = A2aSettings(push=rules(networks=OWN, attempts=1))
    mount = Mount(wire="a2a", exposure=EXPOSURES[label], settings=settings)
    at_once = Rhythm(drain_s=0.0)
    async with receiving(200) as receiver, Server([leaking()], mounts=[mount], rhythm=at_once) as server:
        target = {"url": f"http://127.0.0.1:{receiver.port}/hook"}
        how = {"returnImmediately": True, "taskPushNotificationConfig": target}
        await rpc(server.asgi, "SendMessage", message(configuration=how))
        await until(lambda: receiver.received)
        await decide(server)
        await until(lambda: len(receiver.received) > 1)
    posted = "\n".join(f"{came.headers} {came.body.decode()}" for came in receiver.received)
    found = {canary for canary in CANARIES if canary in posted}
    assert found <= named_by(EXPOSURES[label] or OPAQUE)
    assert found >= {"full": {ASKED_TOOL, ASKED_ARGUMENT, PROVIDER_ERROR}}.get(label, set())


@pytest.mark.usefixtures("planted")
@pytest.mark.requirement("WIRES-canaries")
async def test_a_webhook_says_nothing_of_what_was_said() -> None:
    """Promise: nothing leaks: which run, how it stands, what it showed, and no word of anybody else's."""
    async with receiving(200) as receiver:
        webhook = Webhook(f"http://127.0.0.1:{receiver.port}/hook", rules(networks=OWN, attempts=1), text=True)
        async with Server([leaking()], observers=[webhook]) as server:
            await server.runner.start("a", "hi")
            await until(lambda: receiver.received)
            await decide(server)
            await until(lambda: len(receiver.received) > 1)
    posted = "\n".join(f"{came.headers} {came.body.decode()}" for came in receiver.received)
    assert '"state":"waiting"' in posted
    assert '"state":"error"' in posted
    assert [canary for canary in CANARIES if canary in posted] == []
