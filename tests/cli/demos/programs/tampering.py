"""Servers that break a promise, each in one way: the demos must find it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from treadle.app.agent import Agent
from treadle.app.server import Server
from treadle.cli.demos import cut_provider, flood, loom
from treadle.cli.demos.server_process import place_of_store

Edit = Callable[[dict[str, Any]], dict[str, Any]]
Frames = Callable[[list[bytes]], list[bytes]]


class Tampering(Server):
    """A server whose wire is changed by somebody: the body of a start, or the frames that are sent."""

    def __init__(self, agent: Agent, *, start: Edit = dict, frames: Frames = list) -> None:
        super().__init__([agent], store=place_of_store())
        self._start, self._frames = start, frames

    @property
    def asgi(self) -> ASGIApp:
        """The application behind the wire."""
        inner = super().asgi

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            async def received() -> Message:
                message = await receive()
                if scope["method"] == "POST" and message.get("body"):
                    return {**message, "body": json.dumps(self._start(json.loads(message["body"]))).encode()}
                return message

            async def sent(message: Message) -> None:
                body = message.get("body")
                if body and body.endswith(b"\n\n") and scope["path"].startswith("/v1/runs"):
                    frames = body.removesuffix(b"\n\n").split(b"\n\n")
                    message = {**message, "body": b"".join(frame + b"\n\n" for frame in self._frames(frames))}
                await send(message)

            await inner(scope, received, sent)

        return app


def loses_and_repeats() -> Server:
    """Of every stream the event with index 20 is lost, and the one with index 30 is sent twice."""

    def frames(sent: list[bytes]) -> list[bytes]:
        kept = [frame for frame in sent if b'"index":20,' not in frame]
        return [frame for one in kept for frame in ([one, one] if b'"index":30,' in one else [one])]

    return Tampering(loom.agent(), frames=frames)


def stops_when_left() -> Server:
    """Leaving is stopping."""
    return Tampering(loom.agent(), start=lambda body: {**body, "on_disconnect": "cancel"})


def forgets_the_thread() -> Server:
    """Each run is told nothing of those before it."""
    return Tampering(cut_provider.agent(), start=lambda body: {**body, "thread_id": None})


def ends_no_reader() -> Server:
    """Whoever takes nothing is left for half a minute."""
    return Server([flood.agent()], store=place_of_store())


def ends_at_once() -> None:
    """Nothing is served."""
    asyncio.run(asyncio.sleep(0))
