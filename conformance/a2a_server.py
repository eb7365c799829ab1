#!/usr/bin/env python3
"""Serves agents with the official Python SDK's own server of A2A: what a server that is not ours tells the same clients.

  python a2a_server.py [--port N]      0, as without it: a free one; `serving at URL` stands on stdout once it answers

Every part of the server is the SDK's: its request handler, its task store, its routes for JSON-RPC and HTTP+JSON with the layer
for 0.3, its card. What is written here are agents, one for each way a run can go, as the author of such an agent would write
them with `TaskUpdater`: they say the words of the scripted agents, at their pace, in the shapes of docs/protocols/a2a.md. Each
is at URL/a2a/NAME.

Beside them are the routes by which an operator of these agents finds a run and stops it: GET /v1/runs?state=owned,
GET /v1/runs/ID, POST /v1/runs/ID/cancel.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import uvicorn
from a2a.helpers import get_data_parts, new_data_part, new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.context import ServerCallContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types.a2a_pb2 import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    CancelTaskRequest,
    Message,
    Part,
    TaskState,
)
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

RESPONSE, OUTPUT = "response", "output"
JSON_TYPE = "application/json"
CALLS = 64
STEP_S, SLOW_S, LONG_S, SILENCE_S, AGAIN_S = 0.03, 0.25, 0.002, 8.0, 0.05
SLOW_PIECES, LONG_PIECES = 240, 2_400
COLOURS = ("red", "green", "blue")
ASKED_CHARS = 200
WORD = re.compile(r"\s*\S+|\s+$")


class Stopped(Exception):
    """Somebody has stopped the task: what is left of its script is not said."""


class Telling:
    """One run of an agent: what it says, with the SDK's own updater, a piece at a time."""

    def __init__(self, context: RequestContext, queue: EventQueue, events: list[str], pace_s: float) -> None:
        task, message = context.current_task, context.message
        assert message is not None
        self.asked = (task.history[0] if task else message).parts[0].text
        self.reply: Message | None = message if task else None
        self.task_id = message.task_id
        self.updater = TaskUpdater(queue, message.task_id, message.context_id)
        self.has_said = task is not None and any(one.artifact_id == RESPONSE for one in task.artifacts)
        self.pace_s = pace_s
        self.steps = 0
        self.events = events
        self.is_stopped = False

    async def say(self, *pieces: str) -> None:
        """Some text, each piece after a while."""
        for piece in pieces:
            await asyncio.sleep(self.pace_s)
            await self.chunk(piece, append=self.has_said)
            self.has_said = True

    async def chunk(self, text: str, *, append: bool, last: bool = False) -> None:
        self.goes_on("text")
        await self.updater.add_artifact([Part(text=text)], artifact_id=RESPONSE, append=append, last_chunk=last)

    async def works(self, words: str = "") -> None:
        self.goes_on("status")
        message = self.updater.new_agent_message([new_text_part(words)]) if words else None
        await self.updater.start_work(message)

    async def call(self, *, times: int = 1) -> None:
        """Some tools, called at once: each is a step, and a step that is over is told without words."""
        for _ in range(times):
            self.steps += 1
            await self.works(f"step {self.steps}/{CALLS}")
        for _ in range(times):
            await self.works()

    async def take_back(self) -> None:
        """Nothing of the response stands."""
        await self.chunk("", append=False)

    async def ends(self) -> None:
        """No more of the response comes."""
        if self.has_said:
            await self.chunk("", append=True, last=True)

    async def completes(self, output: dict[str, Any] | None = None) -> None:
        await self.ends()
        if output is not None:
            part = new_data_part(output, media_type=JSON_TYPE)
            await self.updater.add_artifact([part], artifact_id=OUTPUT, last_chunk=True)
        await self.updater.complete()

    async def fails(self, code: str) -> None:
        await self.ends()
        words = self.updater.new_agent_message([new_text_part("The task failed. What was said until then is kept.")])
        facts = {"code": code, "reference": f"{self.task_id}.1"}
        await self.updater.update_status(TaskState.TASK_STATE_FAILED, words, metadata=facts)

    def goes_on(self, event: str) -> None:
        if self.is_stopped:
            raise Stopped
        self.events.append(event)


def echo(asked: str) -> list[str]:
    """The question, a word a piece."""
    return ["You", " said:", *WORD.findall(f" {asked}")]


async def text(run: Telling) -> None:
    await run.say(*echo(run.asked), "\nThat", " is all: é, 日本, 𝄞.")
    await run.completes()


async def thinking(run: Telling) -> None:
    await run.say(*echo(run.asked))
    await run.say(" I have", " thought.")
    await run.completes()


async def tool(run: Telling) -> None:
    await run.say("Let me", " count. ")
    await run.call()
    await run.say(f"{run.asked!r}", f" has {len(run.asked)}", " characters.")
    await run.completes()


async def parallel_tools(run: Telling) -> None:
    await run.say("Three", " at once. ")
    await run.call(times=3)
    await run.say(f"{len(run.asked)} characters,", " 0 in nothing,", f" {' '.join(run.asked.split()).upper()}")
    await run.completes()


async def failing_tool(run: Telling) -> None:
    await run.say("Let me", " try. ")
    await run.call()
    await run.say("It", " failed:", f" {run.asked}")
    await run.completes()


async def ask_user(run: Telling) -> None:
    if run.reply is None:
        await run.say("One", " question. ")
        await run.updater.requires_input(run.updater.new_agent_message(question(run)))
        return
    said = get_data_parts(run.reply.parts)
    colour = said[0]["q1"] if said else run.reply.parts[0].text
    await run.works()
    await run.works()
    await run.say("It is", f" {colour}", f" for {run.asked!r}.")
    await run.completes()


def question(run: Telling) -> list[Part]:
    """What the run asks, in words and for programs."""
    asked = f"Which colour for {run.asked[:ASKED_CHARS]!r}?"
    words = "\n".join([asked, *(f"- {colour}" for colour in COLOURS)])
    options = [{"label": colour, "description": ""} for colour in COLOURS]
    chosen = {"type": "array", "items": {"enum": list(COLOURS)}, "uniqueItems": True, "maxItems": 1}
    other = {"type": "string", "minLength": 1, "maxLength": 1000}
    answer = {"type": "object", "properties": {"chosen": chosen, "other": other}, "additionalProperties": False}
    pause = {
        "interrupt_id": f"{run.task_id}.i1",
        "kind": "ask_user",
        "request": {
            "questions": [
                {
                    "question_id": "q1",
                    "text": asked,
                    "header": "Colour",
                    "options": options,
                    "multi_select": False,
                    "allow_other": True,
                }
            ]
        },
        "response_schema": {
            "type": "object",
            "properties": {"q1": answer},
            "required": ["q1"],
            "additionalProperties": False,
        },
        "on_expiry": "decline",
    }
    return [new_text_part(words), new_data_part({"pauses": [pause]}, media_type=JSON_TYPE)]


async def approval(run: Telling) -> None:
    await run.say("I would", " publish it. ")
    due = "A decision is due, which is taken elsewhere. The task goes on when it is there."
    await run.updater.requires_auth(run.updater.new_agent_message([new_text_part(due)]))


async def cancel(run: Telling) -> None:
    await run.say(*echo(run.asked), *(f" {number}" for number in range(1, SLOW_PIECES + 1)))
    await run.completes()


async def error(run: Telling) -> None:
    await run.say(*echo(run.asked), " And", " then")
    await run.fails("upstream_error")


async def provider_cut(run: Telling) -> None:
    await run.say(*echo(run.asked), " And", " then")
    await run.fails("upstream_truncated")


async def silence_8s(run: Telling) -> None:
    await run.say("Wait", " for")
    await asyncio.sleep(SILENCE_S)
    await run.say(" it:", f" {run.asked}", ".")
    await run.completes()


async def long(run: Telling) -> None:
    await run.say(*echo(run.asked), *(f" {number}" for number in range(1, LONG_PIECES + 1)))
    await run.completes()


async def retraction(run: Telling) -> None:
    await run.say("It was", " wrong", f" to say {run.asked!r}")
    await run.take_back()
    await asyncio.sleep(AGAIN_S)
    await run.say(*echo(run.asked), " This", " stands.")
    await run.completes()


async def structured(run: Telling) -> None:
    output = {"prompt": run.asked, "characters": len(run.asked), "words": run.asked.split()}
    said = json.dumps(output, ensure_ascii=False)
    await run.say(*(said[at : at + 7] for at in range(0, len(said), 7)))
    await run.completes(output)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """A script and its pace."""

    script: Callable[[Telling], Awaitable[None]]
    pace_s: float = STEP_S


AGENTS = {
    "text": Agent(script=text),
    "thinking": Agent(script=thinking),
    "tool": Agent(script=tool),
    "parallel_tools": Agent(script=parallel_tools),
    "failing_tool": Agent(script=failing_tool),
    "ask_user": Agent(script=ask_user),
    "approval": Agent(script=approval),
    "cancel": Agent(script=cancel, pace_s=SLOW_S),
    "error": Agent(script=error),
    "provider_cut": Agent(script=provider_cut),
    "silence_8s": Agent(script=silence_8s),
    "long": Agent(script=long, pace_s=LONG_S),
    "retraction": Agent(script=retraction),
    "structured": Agent(script=structured),
}


class Executor(AgentExecutor):
    """Runs one agent for the SDK's request handler.

    `runs` are those at work, by the ids of their tasks; `asked` is what every run was asked.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.runs: dict[str, Telling] = {}
        self.asked: dict[str, str] = {}

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        run = Telling(context, event_queue, [], self.agent.pace_s)
        if run.reply is None:
            assert context.message is not None
            run.events.append("task")
            await event_queue.enqueue_event(new_task_from_user_message(context.message))
            await run.works()
        self.runs[run.task_id], self.asked[run.task_id] = run, run.asked
        try:
            await self.agent.script(run)
        except Stopped:
            return
        finally:
            del self.runs[run.task_id]

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        run = self.runs[context.task_id or ""]
        run.is_stopped = True
        if run.has_said:
            await run.updater.add_artifact([Part(text="")], artifact_id=RESPONSE, append=True, last_chunk=True)
        await run.updater.cancel()


def card_of(name: str, url: str) -> AgentCard:
    return AgentCard(
        name=name,
        description=f"The agent {name}.",
        version="1",
        supported_interfaces=[
            AgentInterface(url=url, protocol_binding=binding, protocol_version=version)
            for version in ("1.0", "0.3")
            for binding in ("JSONRPC", "HTTP+JSON")
        ],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain", JSON_TYPE],
        default_output_modes=["text/plain", JSON_TYPE],
        skills=[AgentSkill(id=name, name=name, description=f"The agent {name}.", tags=["agent"])],
    )


class Served:
    """All agents, each behind a request handler of its own, and the operator's routes."""

    def __init__(self, url: str) -> None:
        self.executors = {name: Executor(agent) for name, agent in AGENTS.items()}
        self.cards = {name: card_of(name, f"{url}/a2a/{name}") for name in AGENTS}
        self.handlers = {
            name: DefaultRequestHandler(executor, InMemoryTaskStore(), self.cards[name])
            for name, executor in self.executors.items()
        }

    def app(self) -> Starlette:
        routes: list[BaseRoute] = [
            Route("/v1/runs", self.listed),
            Route("/v1/runs/{id}", self.told),
            Route("/v1/runs/{id}/cancel", self.stopped, methods=["POST"]),
        ]
        for name, handler in self.handlers.items():
            card = self.cards[name]
            routes += create_jsonrpc_routes(handler, f"/a2a/{name}", enable_v0_3_compat=True)
            below = [
                *create_agent_card_routes(card),
                *create_agent_card_routes(card, card_url="/.well-known/agent.json"),
                *create_rest_routes(handler, enable_v0_3_compat=True),
            ]
            routes.append(Mount(f"/a2a/{name}", routes=below))
        return Starlette(routes=routes)

    async def listed(self, _: Request) -> Response:
        runs = [
            {"run_id": run_id, "agent": name, "events": len(run.events)}
            for name, executor in self.executors.items()
            for run_id, run in executor.runs.items()
        ]
        return JSONResponse({"runs": runs})

    async def told(self, request: Request) -> Response:
        run_id = request.path_params["id"]
        found = [executor.asked[run_id] for executor in self.executors.values() if run_id in executor.asked]
        return JSONResponse({"prompt": found[0]} if found else {}, 200 if found else 404)

    async def stopped(self, request: Request) -> Response:
        run_id = request.path_params["id"]
        for name, executor in self.executors.items():
            if run_id in executor.runs:
                await self.handlers[name].on_cancel_task(CancelTaskRequest(id=run_id), ServerCallContext())
                return JSONResponse({}, 202)
        return JSONResponse({}, 404)


class Announced(uvicorn.Server):
    """A server that says when it answers."""

    def __init__(self, config: uvicorn.Config, url: str) -> None:
        super().__init__(config)
        self.url = url

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        print(f"serving at {self.url}", flush=True)


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--port", type=int, default=0)
    a = p.parse_args()
    listening = socket.create_server(("127.0.0.1", a.port))
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    config = uvicorn.Config(Served(url).app(), log_level="critical", timeout_graceful_shutdown=1)
    asyncio.run(Announced(config, url).serve(sockets=[listening]))


if __name__ == "__main__":
    main()
