"""Where the name of a store becomes a store."""

from __future__ import annotations

import importlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from treadle.errors import PlanError
from treadle.ports.clock import Clock
from treadle.ports.store import Store


@asynccontextmanager
async def opened_store(given: str | Store, clock: Clock) -> AsyncGenerator[Store, None]:
    """The store of this name, open for the block; a store object is handed on as it is and is not closed.

    Raises:
        PlanError: There is no such kind of store, or its name holds no path.
        StoreOwnedError: Another process has it.
    """
    if not isinstance(given, str):
        yield given
    elif given == "memory://":
        memory = importlib.import_module("treadle.adapters.stores.memory")
        yield memory.MemoryStore(clock)
    elif given.startswith("sqlite:///") and given != "sqlite:///":
        sqlite = importlib.import_module("treadle.adapters.stores.sqlite")
        async with sqlite.SqliteStore.open(given.removeprefix("sqlite:///"), clock=clock) as store:
            yield store
    else:
        raise PlanError((f"a store is 'sqlite:///PATH' or 'memory://', not {given!r}",))
