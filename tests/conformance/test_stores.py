"""The suite for stores over the memory store, and which requirements its checks hold."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from treadle.adapters.stores.memory import MemoryStore
from treadle.ports.clock import Clock
from treadle.testing.conformance.stores import Store, StoreConformance, StoreHarness


class MemoryHarness(StoreHarness):
    """Makes memory stores. There is nothing to reopen, to damage or to fill."""

    @asynccontextmanager
    async def make(self, clock: Clock, /) -> AsyncIterator[Store]:
        """A memory store."""
        yield MemoryStore(clock)


class TestMemoryStore(StoreConformance):
    """The memory store keeps what the ports promise."""

    harness = MemoryHarness
