"""Wake-ups: futures of those who wait. They carry nothing and may come early; what they announce is read elsewhere."""

from __future__ import annotations

import asyncio


class Hints:
    """Those who wait for one thing."""

    __slots__ = ("_waiters",)

    def __init__(self) -> None:
        self._waiters: set[asyncio.Future[None]] = set()

    def wake(self) -> None:
        """Let everyone look who waits now."""
        if self._waiters:
            waiters, self._waiters = self._waiters, set()
            for waiter in waiters:
                _end(waiter)

    async def wait(self, timeout_s: float) -> None:
        """Wait for the next wake-up, so long at most."""
        if timeout_s <= 0:
            return
        loop = asyncio.get_running_loop()
        waiter = loop.create_future()
        self._waiters.add(waiter)
        timer = loop.call_later(timeout_s, _end, waiter)
        try:
            await waiter
        finally:
            timer.cancel()
            self._waiters.discard(waiter)


def _end(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
