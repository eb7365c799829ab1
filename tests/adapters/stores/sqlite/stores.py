"""Open stores for tests of the ports: a bench over one in the test's folder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.adapters.stores.sqlite.harness import SqliteHarness
from treadle.adapters.stores.sqlite import SqliteStore
from treadle.testing.conformance.stores.bench import Bench
from treadle.testing.conformance.stores.clock import SettableClock


@asynccontextmanager
async def opened(
    folder: Path,
    **options: Any,  # noqa: ANN401 (those of `open`)
) -> AsyncIterator[tuple[SqliteStore, Bench]]:
    """A store, and a bench over it."""
    clock = options.pop("clock", None) or SettableClock()
    async with SqliteStore.open(folder / "runs.db", clock=clock, **{"synchronous": "NORMAL", **options}) as store:
        yield store, Bench(store, clock, SqliteHarness(folder))
