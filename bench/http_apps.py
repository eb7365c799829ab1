"""The two sides of the race over HTTP, each as an ASGI application for a process of its own.

`raw`: prebuilt frames and nothing else. `memory`, `sqlite`: `Server(...).asgi` over a store. A request says how many
deltas are wanted and how the model behaves; the same words mean the same on both sides. Beside it every side answers
for its own process: CPU seconds and resident bytes.

Served by `http_load.Served`; which side it is stands in `BENCH_HTTP_SIDE`.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from http_asking import USED, Asked
from workload import deltas

from treadle.app.agent import Agent
from treadle.app.server import Server
from treadle.ports.model import ModelRequest
from treadle.server.access.admission import Caps
from treadle.values.model import TEXT, ModelItem, ModelTurn, TurnEnded

Send = Callable[[Mapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Application = Callable[[Any, Receive, Send], Awaitable[None]]

SIDE: Final = "BENCH_HTTP_SIDE"
DATABASE: Final = "BENCH_HTTP_DATABASE"
ROOM: Final = Caps(live_runs=10_000, readers=20_000, all_readers=20_000)
STATM: Final = Path("/proc/self/statm")
BESIDE: Final = 4
"""Events of a run beside its deltas: it starts, its round starts and ends, it is done."""


@cache
def script(count: int) -> tuple[str, ...]:
    """What is said, made once: raw frames are, too."""
    return deltas(count)


class Gate:
    """Where models wait after their first delta, for as long as the process lives."""

    def __init__(self) -> None:
        self._never: asyncio.Event | None = None

    async def wait(self) -> None:
        """Wait."""
        if self._never is None:
            self._never = asyncio.Event()
        await self._never.wait()


GATE: Final = Gate()


class AskedModel:
    """Says what the prompt asks for: one list a delta, as from a provider that sends one delta a read."""

    name = "asked"

    async def ask(self, request: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
        """Play it."""
        asked = Asked.read(request.prompt.prompt)
        said = script(asked.deltas)
        for number, piece in enumerate(said):
            if asked.yields:
                await asyncio.sleep(0)
            yield [(TEXT, piece)]
            if asked.holds and number == 0:
                await GATE.wait()
        yield [TurnEnded(turn=ModelTurn(text="".join(said)))]

    async def aclose(self) -> None:
        """Nothing is held."""


def ours(store: str) -> Application:
    """Our server: one agent, nothing set but room for the load."""
    return Server([Agent(name="bench", model=AskedModel())], store=store, caps=ROOM).asgi


def frame(index: int, text: str) -> bytes:
    """A delta as our plain wire says it."""
    said = {"kind": "text_delta", "index": index, "run_id": f"r_{'0' * 22}", "passage": 1, "text": text}
    return f"id: 1:{index}\nevent: text_delta\ndata: {json.dumps(said, separators=(',', ':'))}\n\n".encode()


class Raw:
    """The least that ASGI can do: frames made beforehand, one `send` each, in the turns that the model would take."""

    HEADERS: Final = ((b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache"))

    def __init__(self) -> None:
        self._bodies: dict[int, list[dict[str, Any]]] = {}

    def bodies(self, count: int) -> list[dict[str, Any]]:
        """The messages of a whole stream."""
        if count not in self._bodies:
            frames = [frame(index, text) for index, text in enumerate(deltas(count + BESIDE))]
            self._bodies[count] = [{"type": "http.response.body", "body": made, "more_body": True} for made in frames]
        return self._bodies[count]

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:  # noqa: ANN401 (ASGI's own)
        """Answer the start of a run with its stream."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        asked = Asked.read(json.loads((await receive())["body"])["prompt"])
        await send({"type": "http.response.start", "status": 200, "headers": self.HEADERS})
        for number, body in enumerate(self.bodies(asked.deltas)):
            if asked.yields:
                await asyncio.sleep(0)
            await send(body)
            if asked.holds and number == 0:
                await GATE.wait()
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _live(receive: Receive, send: Send) -> None:
    while (kind := (await receive())["type"]) != "lifespan.shutdown":
        await send({"type": f"{kind}.complete"})
    await send({"type": "lifespan.shutdown.complete"})


def measured(app: Application) -> Application:
    """The application, and beside its own path what its process has used by now."""

    async def answered(scope: Any, receive: Receive, send: Send) -> None:  # noqa: ANN401 (ASGI's own)
        if scope["type"] != "http" or scope["path"] != USED:
            await app(scope, receive, send)
            return
        pages = int(STATM.read_text().split()[1]) if STATM.exists() else 0
        told = {"cpu_s": time.process_time(), "rss_bytes": pages * os.sysconf("SC_PAGE_SIZE")}
        body = json.dumps(told).encode()
        headers = [(b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    return answered


def _side(name: str) -> Application:
    if name == "raw":
        return Raw()
    return ours("memory://" if name == "memory" else f"sqlite:///{os.environ[DATABASE]}")


if SIDE in os.environ:
    app = measured(_side(os.environ[SIDE]))
