"""Wake-ups: futures of those who wait for news. They carry nothing and may come early; what is new is read elsewhere.

Only the event loop comes here.
"""

from __future__ import annotations

import asyncio
from weakref import WeakKeyDictionary


class Hints:
    """Those who wait for one thing."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: dict[asyncio.Future[None], asyncio.TimerHandle] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def enter(self, timeout_s: float) -> asyncio.Future[None]:
        """What is set at the next wake-up, and after so long at the latest. Who enters leaves."""
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[None] = loop.create_future()
        self._waiting[waiter] = loop.call_later(max(0.0, timeout_s), end, waiter)
        return waiter

    def leave(self, waiter: asyncio.Future[None]) -> None:
        """Somebody waits no more."""
        timer = self._waiting.pop(waiter, None)
        if timer is not None:
            timer.cancel()

    def wake(self) -> None:
        """Let everyone look who waits now."""
        for waiter in self._waiting:
            end(waiter)


class WorkHints(Hints):
    """Those who wait for work. News that come between a worker's look and its wait are not slept through."""

    __slots__ = ("_news", "_seen")

    def __init__(self) -> None:
        super().__init__()
        self._news = 0
        self._seen: WeakKeyDictionary[asyncio.Task[object], int] = WeakKeyDictionary()

    def look(self) -> None:
        """This task is about to look for work."""
        task = asyncio.current_task()
        if task is not None:
            self._seen[task] = self._news

    def has_news(self) -> bool:
        """Whether there may be work that this task has not looked at. False for one that never looked."""
        task = asyncio.current_task()
        return task is not None and self._seen.get(task, self._news) != self._news

    def tell(self) -> None:
        """There may be work."""
        self._news += 1
        self.wake()


def end(waiter: asyncio.Future[None]) -> None:
    """Let one go on, if it still waits."""
    if not waiter.done():
        waiter.set_result(None)
