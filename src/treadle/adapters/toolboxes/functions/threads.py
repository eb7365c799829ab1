"""Blocking functions in threads of their own.

In: a function without arguments. Out: what it returns or raises, in the event loop. The threads are daemons and belong
to no executor: a function that never returns keeps neither the event loop nor the interpreter from ending.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

MAX_THREADS: Final = 64
"""How many functions of one toolbox run at once. The next one waits until one returns."""

_Waiter = tuple[asyncio.AbstractEventLoop, "asyncio.Future[None]"]
_Ended = tuple[Any, BaseException | None]


class Threads:
    """Threads for blocking functions, at most `most` of them alive at a time. Used from any number of event loops."""

    def __init__(self, most: int = MAX_THREADS) -> None:
        self._lock = threading.Lock()
        self._free = most
        self._waiting: deque[_Waiter] = deque()

    async def run(self, function: Callable[[], Any], *, name: str, stop: Callable[[], None]) -> Any:  # noqa: ANN401 (what the function returns)
        """Run a function in a thread called `name` and give what it returns.

        Raises:
            RuntimeError: The function raised what would end the process or the task (`SystemExit` and the like), or
                no thread could be started.
            Exception: What the function raised.
        Cancel:  `stop` is called, then the function is waited for, then the cancellation is raised. A second
            cancellation is raised at once and leaves the thread to itself. While it waits for a thread, at once.
        """
        loop = asyncio.get_running_loop()
        await self._take_slot(loop)
        ended: asyncio.Future[_Ended] = loop.create_future()
        thread = threading.Thread(target=self._work, args=(function, loop, ended), name=name, daemon=True)
        try:
            thread.start()
        except RuntimeError:
            self._free_slot()
            raise
        try:
            await asyncio.wait((ended,))
        except asyncio.CancelledError:
            stop()
            await asyncio.wait((ended,))
            _discard(ended.result()[0])
            raise
        value, error = ended.result()
        if error is None:
            return value
        if isinstance(error, Exception):
            raise error
        raise RuntimeError(f"the function ended with {type(error).__name__!r}") from error

    def _work(
        self, function: Callable[[], Any], loop: asyncio.AbstractEventLoop, ended: asyncio.Future[_Ended]
    ) -> None:
        try:
            made: _Ended = (function(), None)
        except BaseException as error:  # noqa: BLE001 (the border of a tool call: all of it is raised again in the loop)
            made = (None, error)
        self._free_slot()
        # A loop that is closed waits for nothing any more.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(ended.set_result, made)

    async def _take_slot(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._lock:
            if self._free > 0:
                self._free -= 1
                return
            waiter: asyncio.Future[None] = loop.create_future()
            self._waiting.append((loop, waiter))
        try:
            await waiter
        except asyncio.CancelledError:
            with self._lock, suppress(ValueError):
                self._waiting.remove((loop, waiter))
            if not waiter.cancelled():
                self._free_slot()
            raise

    def _free_slot(self) -> None:
        """Hand the slot to whoever waits longest, or keep it free."""
        while True:
            with self._lock:
                if not self._waiting:
                    self._free += 1
                    return
                loop, waiter = self._waiting.popleft()
            # Whoever waits in a loop that is closed waits no more.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._grant, waiter)
                return

    def _grant(self, waiter: asyncio.Future[None]) -> None:
        if waiter.done():
            self._free_slot()
        else:
            waiter.set_result(None)


def _discard(value: object) -> None:
    # A coroutine that nobody will await would be complained about.
    if inspect.iscoroutine(value):
        value.close()
