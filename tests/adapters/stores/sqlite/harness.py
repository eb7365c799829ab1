"""Makes SQLite stores for the suite, and hurts them in every way it asks for."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

from treadle.adapters.stores.sqlite import SqliteStore
from treadle.adapters.stores.sqlite.live_tails import TAIL_BYTES
from treadle.ports.clock import Clock
from treadle.testing.conformance.stores.harness import LostAcknowledgementError, Store, StoreHarness
from treadle.values.ids import RunId
from treadle.values.runs import Lease, RunStatus
from treadle.values.stretches import Stretch


class DeafStore:
    """A store one of whose acknowledgements may get lost on the way."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store
        self.loses_next = False

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (whatever the store has)
        return getattr(self._store, name)

    async def append(
        self,
        lease: Lease,
        stretches: Sequence[Stretch],
        /,
        **rest: Any,  # noqa: ANN401 (as the port has it)
    ) -> RunStatus:
        """As the store's, but that its answer may get lost."""
        given = await self._store.append(lease, stretches, **rest)
        if self.loses_next:
            self.loses_next = False
            raise LostAcknowledgementError
        return given


class SqliteHarness(StoreHarness):
    """One file in the check's folder."""

    tail_bytes = TAIL_BYTES

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.made = 0
        self.stores: list[DeafStore] = []

    def make(self, clock: Clock, /) -> AbstractAsyncContextManager[Store]:
        """A store in a file of its own."""
        self.made += 1
        return self._opened(clock)

    @asynccontextmanager
    async def _opened(self, clock: Clock) -> AsyncIterator[Any]:
        async with SqliteStore.open(self.path, clock=clock, synchronous="NORMAL", tail_bytes=self.tail_bytes) as store:
            self.stores.append(DeafStore(store))
            yield self.stores[-1]

    @property
    def path(self) -> Path:
        """The file of the last store."""
        return self.folder / f"runs{self.made}.db"

    @asynccontextmanager
    async def reopen(self, clock: Clock, /) -> AsyncIterator[Any]:
        """Close the file under its user and open it again."""
        self.stores[-1].close()
        async with self._opened(clock) as store:
            yield store

    def lose_acknowledgement(self) -> None:
        """Let the answer to the next append get lost."""
        self.stores[-1].loses_next = True

    @asynccontextmanager
    async def fill_disk(self) -> AsyncIterator[None]:
        """The file may not grow."""
        await self.stores[-1].limit_size(0)
        yield
        await self.stores[-1].limit_size(None)

    async def compact(self, scope: str, run_id: RunId, /) -> None:
        """Join all rows of a run."""
        await self.stores[-1].compact(scope, run_id)


class TaillessHarness(SqliteHarness):
    """A store that keeps next to nothing in memory, so that its readers read rows."""

    tail_bytes = 0

    async def corrupt(self, run_id: RunId, seq: int, /) -> None:
        """Write rubbish over the body of a row."""
        connection = sqlite3.connect(self.path)
        with connection:
            connection.execute(
                "update rows set body = x'7b' where run_id = ? and seq <= ? and seq + records > ?", (run_id, seq, seq)
            )
        connection.close()
