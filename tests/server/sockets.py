"""Servers on real sockets, in a thread of their own: for what cannot be seen in process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager

from treadle.app.server import Server
from treadle.app.serving import listening, serve

LONGEST_S = 20.0


@contextmanager
def served(server: Server) -> Generator[str, None, None]:
    """A server on a free port of this machine, for the block; its address."""
    listener = listening("127.0.0.1", 0)
    ready, address, loops = threading.Event(), list[str](), list[tuple[asyncio.AbstractEventLoop, asyncio.Event]]()
    failures: list[BaseException] = []

    async def main() -> None:
        end = asyncio.Event()
        loops.append((asyncio.get_running_loop(), end))

        async def asked() -> None:
            await end.wait()

        def told(url: str) -> None:
            address.append(url)
            ready.set()

        await serve(server, listener, told=told, asked=asked)

    def run() -> None:
        try:
            asyncio.run(main())
        except BaseException as failure:  # noqa: BLE001 (told to the test)
            failures.append(failure)
            ready.set()

    thread = threading.Thread(target=run, name="served")
    thread.start()
    try:
        assert ready.wait(LONGEST_S), "the server did not start"
        assert not failures, failures
        yield address[0]
    finally:
        loop, end = loops[0]
        if thread.is_alive():
            loop.call_soon_threadsafe(end.set)
        thread.join(LONGEST_S)
        assert not thread.is_alive(), "the server did not stop"
        assert not failures, failures
