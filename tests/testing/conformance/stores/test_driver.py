"""A loop that is stepped through."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from treadle.adapters.stores.memory import MemoryStore
from treadle.ports.store import Store
from treadle.testing.conformance.stores.clock import SettableClock
from treadle.testing.conformance.stores.driver import Driver


def test_the_store_is_entered_and_left_by_one_task() -> None:
    """Ours: whatever a store holds open belongs to whoever opened it."""
    tasks: list[object] = []

    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        tasks.append(asyncio.current_task())
        yield MemoryStore(SettableClock())
        tasks.append(asyncio.current_task())

    async def step() -> object:
        return asyncio.current_task()

    driver = Driver(opened())
    stepped = driver.run(step())
    driver.close()
    assert tasks[0] is tasks[1]
    assert stepped is not tasks[0]


def test_a_store_that_cannot_be_opened_is_told() -> None:
    """Ours: a broken harness is no hang."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        raise OSError("no room")
        yield MemoryStore(SettableClock())

    with pytest.raises(OSError, match="no room"):
        Driver(opened())
