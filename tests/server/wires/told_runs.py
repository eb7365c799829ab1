"""Runs of every scripted agent as servers told them in every wire: what a replay is held against.

Each client takes one agent's run to its end, with an answer wherever it waits, and keeps what it was sent.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.server.calls import JSON, NDJSON, SSE, Call, ask
from tests.server.wires import agui_posts, mcp_posts, ui_page
from tests.server.wires.a2a.agents_asked import OLD, message, rpc
from tests.server.wires.openai_calls import chat, decision, frames, output, respond, result
from treadle.app.server import Server
from treadle.projections.a2a.wire import EXTENSION
from treadle.server.mounting import Mount
from treadle.testing.scenarios import SCRIPTED_AGENTS, scenario_agents
from treadle.values.exposure import UI
from treadle.values.pauses import Answer, Decision, PauseKind
from treadle.values.runs import FINAL_STATUSES

PROMPT: Final = "say «it» again"
ANSWER: Final = {"q1": "red"}
YES: Final = {"approved": True}
EVERY_WIRE: Final = ("agui", "mcp", "openai", "vercel", Mount(wire="a2a", exposure=UI))
_COMMENT: Final = re.compile(rb"^:[^\n]*\n\n", re.MULTILINE)

Own = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One run as it was told.

    Shape: `bodies` are its responses without comments; `own` what was the client's own in each.
    """

    agent: str
    run_id: str
    bodies: tuple[bytes, ...]
    own: tuple[Own, ...]


Client = Callable[[Server, str], Awaitable[tuple[Sequence[Call], Sequence[Own]]]]


async def told_runs(path: Path, client: Client) -> list[Told]:
    """A run of each scripted agent, told to such a client by a server over this store."""
    told = []
    async with Server(scenario_agents(wait=_at_once), mounts=EVERY_WIRE, store=f"sqlite:///{path}") as server:
        for agent in SCRIPTED_AGENTS:
            calls, own = await client(server, agent.name)
            assert all(call.status == 200 and call.is_complete for call in calls), [call.body for call in calls]
            newest = (await server.runner.runs(limit=1))[0]
            assert newest.agent == agent.name
            # A response may be over before its run: what it said is void.
            assert (await server.runner.wait(newest.run_id)).state in FINAL_STATUSES
            bodies = tuple(without_comments(call.body) for call in calls)
            told.append(Told(agent=agent.name, run_id=newest.run_id, bodies=bodies, own=tuple(own)))
    return told


def without_comments(body: bytes) -> bytes:
    """What of a stream is more than a sign of life."""
    return _COMMENT.sub(b"", body)


async def _at_once(_: float) -> None:
    """No time passes between two pieces, and others get their turn."""
    await asyncio.sleep(0)


async def plain(server: Server, agent: str, *, form: tuple[str, str] = SSE) -> tuple[Sequence[Call], Sequence[Own]]:
    """Reads kernel events to the end of the run."""
    body = {"agent": agent, "prompt": PROMPT}
    async with Call(server.asgi, "POST", "/v1/runs?follow=run", JSON, form, body=body) as call:
        await call.until(lambda one: one.is_complete or b'"ask_user"' in one.body or b'"interrupt"' in one.body)
        if not call.is_complete:
            run_id = call.headers["location"].rpartition("/")[2]
            await server.runner.wait(run_id)
            answers = [
                Answer(interrupt_id=one.interrupt_id, token=one.token, decision=Decision.APPROVE)
                if one.kind is PauseKind.APPROVAL
                else Answer(interrupt_id=one.interrupt_id, token=one.token, decision=Decision.ANSWER, value=ANSWER)
                for one in await server.runner.pauses(run_id)
            ]
            await server.runner.answer(run_id, answers, principal="ann")
        return [await call.over()], [{}]


async def plain_lines(server: Server, agent: str) -> tuple[Sequence[Call], Sequence[Own]]:
    """The same, as lines."""
    return await plain(server, agent, form=NDJSON)


async def agui(server: Server, agent: str) -> tuple[Sequence[Call], Sequence[Own]]:
    """A page of AG-UI, with a message before."""
    page = agui_posts.Page(server, agent=agent, thread=f"thread of {agent}")
    page.client.messages.append({"id": "before", "role": "assistant", "content": "What?"})
    await page.say(PROMPT, parentRunId="run-0")
    while page.interrupts:
        await page.answer({"approved": True} if agent == "approval" else ANSWER)
    return page.calls, [
        {
            "thread_id": call.posted["threadId"],
            "run_id": call.posted["runId"],
            "messages": json.dumps(call.posted["messages"]),
            **({"parent_run_id": call.posted["parentRunId"]} if "parentRunId" in call.posted else {}),
        }
        for call in page.calls
    ]


async def vercel(server: Server, agent: str, *, query: str = "") -> tuple[Sequence[Call], Sequence[Own]]:
    """A page with `useChat`."""
    page = await ui_page.Page(server.asgi, chat=f"chat of {agent}", agent=agent, query=query).send(PROMPT)
    calls = [page.call]
    if agent in ("approval", "ask_user"):
        await (page.approve() if agent == "approval" else page.give(ANSWER))
        calls.append(page.call)
    return [call for call in calls if call is not None], [{"reset_step": "true"} if query else {}] * len(calls)


async def vercel_that_resets(server: Server, agent: str) -> tuple[Sequence[Call], Sequence[Own]]:
    """The same, of a client that knows `reset-step`."""
    return await vercel(server, agent, query="?reset_step=true")


async def openai_chat(server: Server, agent: str) -> tuple[Sequence[Call], Sequence[Own]]:
    """A client of chat completions."""
    more: dict[str, Any] = {"model": agent, "stream": True, "stream_options": {"include_usage": True}}
    calls = [await chat(server.asgi, PROMPT, **more)]
    deltas = [one["choices"][0]["delta"] for one in frames(calls[0]) if one != "[DONE]" and one.get("choices")]
    tokens = [call["id"] for delta in deltas for call in delta.get("tool_calls", ()) if "id" in call]
    if tokens:
        called = [{"id": one, "type": "function", "function": {"name": "x", "arguments": "{}"}} for one in tokens]
        said = "approve" if agent == "approval" else "red"
        results = [result(one, said) for one in tokens]
        calls.append(await chat(server.asgi, PROMPT, {"role": "assistant", "tool_calls": called}, *results, **more))
    return calls, [{"include_usage": "true"}] * len(calls)


async def openai_responses(server: Server, agent: str) -> tuple[Sequence[Call], Sequence[Own]]:
    """A client of responses."""
    more = {"model": agent, "stream": True, "metadata": {"mine": "yes"}}
    calls = [await respond(server.asgi, PROMPT, **more)]
    whole = frames(calls[0])[-1]["response"]
    said = [
        decision(one["id"], approve=True) if one["type"] == "mcp_approval_request" else output(one["call_id"], "red")
        for one in whole["output"]
        if one["type"] in ("mcp_approval_request", "function_call")
    ]
    if said:
        calls.append(await respond(server.asgi, said, previous_response_id=whole["id"], **more))
    return calls, [{}] * len(calls)


async def mcp(server: Server, agent: str) -> tuple[Sequence[Call], Sequence[Own]]:
    """A client of MCP whose requests stand alone."""
    client = mcp_posts.Modern(server, agent=agent)
    calls = [await client.ask(params=mcp_posts.tool_call(PROMPT, name=agent))]
    if "inputRequests" in mcp_posts.result_of(calls[0]):
        said = YES if agent == "approval" else ANSWER
        calls.append(await client.answer(calls[0], said, name=agent))
    return calls, [{"id": str(call.posted["id"]), "progress_token": "p"} for call in calls]


async def mcp_in_session(server: Server, agent: str) -> tuple[Sequence[Call], Sequence[Own]]:
    """A client of MCP with a session, asked in the midst of its call."""
    session = mcp_posts.Session(server, agent=agent)
    await session.open()
    params = mcp_posts.tool_call(PROMPT, name=agent, token=None, meta={"progressToken": 5})
    async with session.call(params, number="call") as call:
        if agent in ("approval", "ask_user"):
            await call.until(mcp_posts.has_asked)
            await session.reply(call, YES if agent == "approval" else ANSWER)
        await call.over()
    return [call], [{"protocol_version": "2025-11-25", "id": "call", "progress_token": "5"}]


async def a2a(server: Server, agent: str) -> tuple[Sequence[Call], Sequence[Own]]:
    """A client of A2A 1.0 over JSON-RPC, which asks for the details."""
    extension = ("a2a-extensions", EXTENSION)

    async def sent(text: str, **more: Any) -> Call:  # noqa: ANN401 (members of a message)
        return await rpc(
            server.asgi, "SendStreamingMessage", message(text, **more), extension, agent=agent, call_id="c-1"
        )

    calls = [await sent(PROMPT)]
    if agent in ("approval", "ask_user"):
        task = json.loads(calls[0].events[0].data)["result"]["task"]
        calls.append(await sent("approve" if agent == "approval" else "red", taskId=task["id"]))
    return calls, [{"id": "c-1", "details": "true", "exposure": "ui"}] * len(calls)


async def a2a_by_paths(server: Server, agent: str) -> tuple[Sequence[Call], Sequence[Own]]:
    """A client of A2A 0.3 over paths."""

    async def sent(text: str, **more: Any) -> Call:  # noqa: ANN401 (members of a message)
        said = {"message_id": f"{agent} {text}", "role": "ROLE_USER", "content": [{"text": text}], **more}
        body = {"request": said, "configuration": {"history_length": 1}}
        return await ask(server.asgi, "POST", f"/a2a/{agent}/v1/message:stream", JSON, OLD, body=body)

    calls = [await sent(PROMPT)]
    if agent in ("approval", "ask_user"):
        task = json.loads(calls[0].events[0].data)["task"]
        calls.append(await sent("approve" if agent == "approval" else "red", task_id=task["id"]))
    own = {"version": "0.3", "binding": "rest", "history_length": "1", "exposure": "ui"}
    return calls, [own] * len(calls)


CLIENTS: Final[Mapping[str, tuple[str, Client]]] = {
    "plain": ("plain", plain),
    "plain-ndjson": ("plain-ndjson", plain_lines),
    "agui": ("agui", agui),
    "vercel": ("vercel", vercel),
    "vercel reset-step": ("vercel", vercel_that_resets),
    "openai-chat": ("openai-chat", openai_chat),
    "openai-responses": ("openai-responses", openai_responses),
    "mcp": ("mcp", mcp),
    "mcp session": ("mcp", mcp_in_session),
    "a2a": ("a2a", a2a),
    "a2a 0.3 paths": ("a2a", a2a_by_paths),
}
"""By name, each with the wire that it speaks."""
