"""The example application on a real socket, and a way to it that can be cut."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import socket
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import uvicorn

from treadle.app.serving import listening, url_of

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
WAIT_S = 30.0
READ = 65_536


def loaded(name: str) -> ModuleType:
    """An example, as a module that nobody else has."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Pace:
    """Stands in for a model's pauses: each word waits until it is let go."""

    def __init__(self) -> None:
        self._left = 0
        self._changed = asyncio.Event()

    def let(self, words: int) -> None:
        """Let so many more words go."""
        self._left += words
        self._changed.set()

    async def pause(self) -> None:
        """Wait for leave."""
        while self._left <= 0:
            self._changed.clear()
            await self._changed.wait()
        self._left -= 1


@asynccontextmanager
async def served(app: Any) -> AsyncGenerator[int, None]:  # noqa: ANN401 (any ASGI application)
    """An application under uvicorn; its port."""
    listener = listening("127.0.0.1", 0)
    web = _Web(uvicorn.Config(app, lifespan="on", log_config=None, timeout_graceful_shutdown=1))
    serving = asyncio.create_task(web.serve(sockets=[listener]))
    try:
        await web.answers.wait()
        yield int(url_of(listener).rpartition(":")[2])
    finally:
        web.should_exit = True
        await serving


class _Web(uvicorn.Server):
    """uvicorn, which says when it answers, and leaves the signals to the tests."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.answers = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave them alone."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Say when it answers."""
        await super().startup(sockets=sockets)
        self.answers.set()


class Way:
    """A way to a port: it passes bytes on, and breaks where it is told to.

    Shape: `asked` are the first lines of the requests that came by it, each with the cursor it came back with.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._open: set[asyncio.StreamWriter] = set()
        self._cut_at: bytes | None = None
        self.asked: list[tuple[str, str | None]] = []
        self.cuts = 0

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[tuple[Way, str], None]:
        """The way, for the block, and its address."""
        server = await asyncio.start_server(self._pass, "127.0.0.1", 0)
        try:
            yield self, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        finally:
            server.close()
            for writer in [*self._open]:
                writer.transport.abort()

    def cut_at(self, said: str) -> None:
        """Break the connection that carries these words, in the middle of the event that they stand in."""
        self._cut_at = said.encode()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._port)
        self._open |= {writer, back}
        try:
            await asyncio.wait(
                [
                    asyncio.create_task(_pump(reader, back, self._note)),
                    asyncio.create_task(_pump(there, writer, self._look)),
                ],
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            for end in (writer, back):
                self._open.discard(end)
                end.transport.abort()

    def _note(self, piece: bytes) -> bytes:
        head = piece.decode("latin-1").split("\r\n")
        if head[0].endswith(" HTTP/1.1"):
            cursor = next((line.partition(": ")[2] for line in head if line.lower().startswith("last-event-id:")), None)
            self.asked.append((head[0], cursor))
        return piece

    def _look(self, piece: bytes) -> bytes:
        if self._cut_at is None or (at := piece.find(self._cut_at)) < 0:
            return piece
        self._cut_at = None
        self.cuts += 1
        return piece[:at]


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, look: Callable[[bytes], bytes]) -> None:
    """Pass bytes on until one side ends, or less is to be passed than came."""
    with contextlib.suppress(OSError):
        while piece := await reader.read(READ):
            passed = look(piece)
            writer.write(passed)
            await writer.drain()
            if len(passed) < len(piece):
                return
