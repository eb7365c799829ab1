"""Wake-ups: futures of those who wait. They carry nothing and may come early; what they announce is read elsewhere."""

from __future__ import annotations

import asyncio


class Hints:
    """Those who wait for one thing.

    One timer serves all of them, and it is left standing while they come and go: a reader waits once for every piece of
    text, and a timer of its own each time would cost as much as the rest of the wait.
    """

    __slots__ = ("_due_s", "_loop", "_timer", "_waiters")

    def __init__(self) -> None:
        self._waiters: dict[asyncio.Future[None], float] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._due_s = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None

    def wake(self) -> None:
        """Let everyone look who waits now."""
        if self._waiters:
            waiters, self._waiters = self._waiters, {}
            for waiter in waiters:
                _end(waiter)

    async def wait(self, timeout_s: float) -> None:
        """Wait for the next wake-up, so long at most."""
        if timeout_s <= 0:
            return
        loop = asyncio.get_running_loop()
        waiter = loop.create_future()
        due_s = loop.time() + timeout_s
        self._waiters[waiter] = due_s
        # A timer of an event loop that is over never comes.
        if self._timer is None or due_s < self._due_s or loop is not self._loop:
            self._set(loop, due_s)
        try:
            await waiter
        finally:
            self._waiters.pop(waiter, None)

    def _set(self, loop: asyncio.AbstractEventLoop, due_s: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._due_s, self._loop = due_s, loop
        self._timer = loop.call_at(due_s, self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Let go of those whose time is over, and come back for the next one."""
        self._timer = None
        now_s = loop.time()
        for waiter, due_s in list(self._waiters.items()):
            if due_s <= now_s:
                del self._waiters[waiter]
                _end(waiter)
        if self._waiters:
            self._set(loop, min(self._waiters.values()))


def _end(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
