"""An event loop that a test without one steps through: one store, held open between the steps."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

from treadle.ports.store import Store

T = TypeVar("T")


class Driver:
    """Runs one coroutine after another on the same loop.

    The store is entered and left by one task of its own, as in a program, whatever task uses it.
    """

    def __init__(self, opened: AbstractAsyncContextManager[Store]) -> None:
        self._runner = asyncio.Runner()
        self._opened = opened
        try:
            self.store = self.run(self._open())
        except BaseException:
            self._runner.close()
            raise

    def run(self, step: Coroutine[Any, Any, T]) -> T:
        """Run a step to its end."""
        return self._runner.run(step)

    def close(self) -> None:
        """Leave the store, then end the loop."""
        try:
            self.run(self._close())
        finally:
            self._runner.close()

    async def _open(self) -> Store:
        loop = asyncio.get_running_loop()
        entered: asyncio.Future[Store] = loop.create_future()
        self._leave = asyncio.Event()
        self._home = loop.create_task(self._hold(entered))
        waits: list[asyncio.Future[Any]] = [entered, self._home]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        if self._home.done():
            self._home.result()
        return entered.result()

    async def _hold(self, entered: asyncio.Future[Store]) -> None:
        async with self._opened as store:
            entered.set_result(store)
            await self._leave.wait()

    async def _close(self) -> None:
        self._leave.set()
        await self._home
