"""A fault server in a thread of its own, for tests that are not in its event loop.

    with FaultThread() as server:
        ...  # any client, in any event loop or in none

Knows nothing of pytest.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from types import TracebackType
from typing import Final, Self

from treadle.errors import StateError
from treadle.testing.faults.ledger import Stats
from treadle.testing.faults.scenario import Scenario
from treadle.testing.faults.server import WAIT_S, FaultServer

_MARGIN_S: Final = 1.0
"""How much longer than the server the caller's thread waits, so that the server's own words are what it raises."""


class FaultThread:
    """`FaultServer` while a plain `with` lasts.

    Shape: what the ledger holds may be read at any time; it changes while requests are under way.
    """

    def __init__(self, *, scenarios: Mapping[str, Scenario] | None = None) -> None:
        self._server = FaultServer(scenarios=scenarios)
        self._stop = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def base_url(self) -> str:
        """What a client takes for its base URL."""
        return self._server.base_url

    @property
    def scenarios(self) -> Mapping[str, Scenario]:
        """What it can be asked for, by name."""
        return self._server.scenarios

    @property
    def stats(self) -> Stats:
        """All that was asked, and how it ended."""
        return self._server.stats

    def release(self) -> None:
        """Let every response that is stalled now go on."""
        self._running().call_soon_threadsafe(self._server.release)

    def wait_for(self, condition: Callable[[Stats], bool]) -> None:
        """Wait until the ledger says so.

        Raises:
            TimeoutError: It did not within five seconds; the message holds the ledger.
        """
        asyncio.run_coroutine_threadsafe(self._server.wait_for(condition), self._running()).result(WAIT_S + _MARGIN_S)

    def __enter__(self) -> Self:
        """Listen."""
        ready: Future[asyncio.AbstractEventLoop] = Future()
        self._thread = threading.Thread(target=self._run, args=(ready,), name="treadle fault server", daemon=True)
        self._thread.start()
        self._loop = ready.result(WAIT_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop listening, drop every connection, and wait for the thread."""
        loop, self._loop = self._running(), None
        loop.call_soon_threadsafe(self._stop.set)
        if self._thread is not None:
            self._thread.join()

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            raise StateError("a fault server runs while its `with` lasts")
        return self._loop

    def _run(self, ready: Future[asyncio.AbstractEventLoop]) -> None:
        asyncio.run(self._serve(ready))

    async def _serve(self, ready: Future[asyncio.AbstractEventLoop]) -> None:
        try:
            async with self._server:
                ready.set_result(asyncio.get_running_loop())
                await self._stop.wait()
        except OSError as error:
            if ready.done():
                raise
            ready.set_exception(error)
