"""A server in a process of its own that says what it holds, and clients that drop their streams and come back.

    PYTHONMALLOC=malloc MALLOC_ARENA_MAX=1 python -m tests.server.many_clients memory|sqlite FOLDER

The server says its address, and for every line that it is given, what it holds; it ends with its input.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import urlsplit

from tests.behaviour.many_runs import SCRIPT, left
from tests.runtime.agents import add
from treadle.adapters.models.scripted import ScriptedModel
from treadle.app.agent import Agent
from treadle.app.server import Server
from treadle.app.serving import listening, serve
from treadle.cli.demos.paced_model import PacedModel
from treadle.framing.sse import SseEvent, SseParser
from treadle.server.pulse import Rhythm

DROPS = 3
PAUSE_S = 0.005


async def main(kind: str, folder: str) -> None:
    """Serve until the input ends."""
    store = "memory://" if kind == "memory" else f"sqlite:///{folder}/runs.db"
    # It takes its time for each piece, so that whoever drops a stream drops it in mid-answer.
    model = PacedModel(ScriptedModel.from_text(SCRIPT), first_s=PAUSE_S, piece_s=PAUSE_S)
    agent = Agent(name="a", model=model, tools=[add])
    server = Server([agent], store=store, rhythm=Rhythm(drain_s=0))
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[str]()

    def listen() -> None:
        for line in iter(sys.stdin.readline, ""):
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, "")

    async def asked() -> None:
        while await lines.get():
            say({**left(), "metrics": server.metrics.text().decode()})

    threading.Thread(target=listen, daemon=True).start()
    await serve(server, listening("127.0.0.1", 0), told=lambda url: say({"url": url}), asked=asked)


def say(told: dict[str, Any]) -> None:
    """A line of JSON, at once."""
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


@dataclass
class Seen:
    """What a client got over all its connections."""

    events: list[SseEvent] = field(default_factory=list)
    connections: int = 0

    @property
    def text(self) -> str:
        """The text that they say."""
        return "".join(json.loads(event.data)["text"] for event in self.events if event.event == "text_delta")


class Client:
    """One that asks a server over plain sockets, and reads nothing with the code of any HTTP library."""

    def __init__(self, url: str) -> None:
        split = urlsplit(url)
        self._at = split.hostname or "", split.port or 0

    async def asked(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:  # noqa: ANN401 (any JSON)
        """One request; what it is answered with, None for an empty body."""
        reader, writer, status = await self._open(method, path, b"" if body is None else json.dumps(body).encode())
        try:
            answer = await reader.read()
            assert status in (200, 201, 202, 204), answer
            return json.loads(answer) if answer else None
        finally:
            await _close(writer)

    async def read(self, run_id: str, dice: Random) -> Seen:
        """Read a run to its end, and drop the connection three times on the way."""
        seen, drops = Seen(), DROPS
        while True:
            last = [f"last-event-id: {seen.events[-1].event_id}"] if seen.events else []
            reader, writer, status = await self._open("GET", f"/v1/runs/{run_id}/events", b"", *last)
            seen.connections += 1
            try:
                if status == 204:
                    return seen
                assert status == 200, status
                most = len(seen.events) + dice.randrange(1, 20) if drops else sys.maxsize
                await _take(reader, seen, most)
            finally:
                await _close(writer)
            if len(seen.events) < most and seen.events[-1].event == "done":
                return seen
            drops -= 1

    async def _open(
        self, method: str, path: str, body: bytes, *headers: str
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, int]:
        reader, writer = await asyncio.open_connection(*self._at)
        lines = [
            f"{method} {path} HTTP/1.1", "host: localhost", "connection: close", "content-type: application/json",
            f"content-length: {len(body)}", *headers, "", "",
        ]  # fmt: skip
        writer.write("\r\n".join(lines).encode() + body)
        head = await reader.readuntil(b"\r\n\r\n")
        return reader, writer, int(head.split()[1])


async def _take(reader: asyncio.StreamReader, seen: Seen, most: int) -> None:
    """Take events until there are so many, or the stream is over."""
    parser = SseParser()
    while size := int((await reader.readline()).strip() or b"0", 16):
        piece = await reader.readexactly(size)
        await reader.readexactly(2)
        for event in parser.feed(piece):
            seen.events.append(event)
            if len(seen.events) == most:
                return


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    try:
        await writer.wait_closed()
    except OSError:
        return  # It is closed, if not in good order.


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
