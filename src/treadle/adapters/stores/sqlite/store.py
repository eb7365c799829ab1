"""The store: the three ports over one file, and what its owner may do with the file."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Self

from treadle.adapters.stores.sqlite import deleting, run_table, transfer
from treadle.adapters.stores.sqlite.connection import SYNCHRONOUS, Synchronous, limit_size
from treadle.adapters.stores.sqlite.core import StoreCore
from treadle.adapters.stores.sqlite.hints import end
from treadle.adapters.stores.sqlite.inbox_port import InboxPort
from treadle.adapters.stores.sqlite.live_tails import TAIL_BYTES, Place
from treadle.adapters.stores.sqlite.log_port import LogPort
from treadle.adapters.stores.sqlite.owner_lock import OwnerLock
from treadle.adapters.stores.sqlite.table_port import TablePort
from treadle.adapters.stores.sqlite.transfer import Imported
from treadle.codec.records import RecordCodec
from treadle.ports.clock import Clock
from treadle.values.ids import RunId

RETENTION_RUNS: Final = 50
"""Runs that retention deletes in one transaction."""


class SqliteStore(LogPort, TablePort, InboxPort):
    """Runs in one file, for the process that owns it and the event loop in which it was opened.

    `open` makes it. It is closed by leaving that block, or by `close`, from any thread.
    """

    def __init__(self, core: StoreCore) -> None:
        """Of use to `open` alone."""
        self._core = core

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        path: str | os.PathLike[str],
        /,
        *,
        clock: Clock,
        codec: RecordCodec | None = None,
        synchronous: Synchronous = "FULL",
        tail_bytes: int = TAIL_BYTES,
    ) -> AsyncIterator[Self]:
        """Open a store, or make a new one. Its runs that nobody owns any more are ready again.

        Args:
            clock: Whose `now_s` leases and wake-ups go by.
            codec: Reads and writes rows; it knows the payloads of the models whose turns are in them.
            synchronous: `FULL`: what is acknowledged outlives a power cut. `NORMAL`: it outlives the process.
            tail_bytes: Bytes of memory in which the end of each live run is kept for readers that keep up.
        Raises:
            StoreOwnedError: Another process has it open, or this one has.
            SchemaTooNewError: A newer version of the library wrote it.
            RunLogError: It is an older store, no store, or cannot be opened.
        """
        if synchronous not in SYNCHRONOUS:
            raise ValueError(f"synchronous is one of {SYNCHRONOUS!r}, not {synchronous!r}")
        store_path = Path(path)
        core = StoreCore(
            store_path,
            clock=clock,
            codec=RecordCodec() if codec is None else codec,
            lock=OwnerLock(store_path),
            tail_bytes=tail_bytes,
        )
        try:
            await core.start(synchronous)
            yield cls(core)
        finally:
            await core.aclose()

    @property
    def path(self) -> Path:
        """The file."""
        return self._core.path

    @property
    def commits(self) -> int:
        """How many transactions have changed something since it was opened."""
        return self._core.writer.commits

    @property
    def live_tails(self) -> int:
        """Of how many runs the end is in memory."""
        return len(self._core.tails)

    async def aclose(self) -> None:
        """Write what waits and let go of the file. A second time does nothing."""
        await self._core.aclose()

    def close(self) -> None:
        """As `aclose`, from any thread. Whoever waits for a run waits on."""
        self._core.close()

    def serves_at(self, url: str | None, *, token: str | None = None) -> None:
        """Say beside the file where this process can be asked about its runs; None: nowhere.

        Args:
            token: What a command of the same user shows there. It is written to a file that nobody else can read.
        """
        self._core.lock.tell(url=url, token=token)

    async def limit_size(self, size_bytes: int | None) -> None:
        """Let the file grow to this size and no further: then it is full. None: as far as the disk goes."""
        await self._core.write(lambda connection: limit_size(connection, size_bytes))

    async def compact(self, scope: str, run_id: RunId, /) -> None:
        """Join the rows of a run now, and come back when that is done. It happens by itself when a run rests.

        Raises:
            RunNotFoundError: No such run in this scope.
        """
        writer, compaction = self._core.writer, self._core.compaction
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def do(connection: sqlite3.Connection) -> None:
            run_table.standing(connection, scope, run_id)
            compaction.want(scope, run_id, then=lambda: writer.tell(end, done))

        await self._core.write(do)
        await done

    async def delete_final_older_than(self, age_s: float) -> int:
        """Delete the runs, of every scope, that have been final for longer than this. Gives how many they were."""
        before_s = self._core.now_s() - age_s
        count = 0

        def do(connection: sqlite3.Connection) -> list[Place]:
            gone = run_table.final_before(connection, before_s, limit=RETENTION_RUNS)
            for scope, run_id in gone:
                deleting.delete(connection, scope, run_id)
            return gone

        while True:
            gone = await self._core.write(do, self._forget)
            count += len(gone)
            if len(gone) < RETENTION_RUNS:
                return count

    async def export(
        self, scope: str, /, *, run_ids: Collection[RunId] | None = None, with_facts: bool = False
    ) -> AsyncIterator[str]:
        """Runs of a scope as lines of JSON, oldest first: for each a header, then its rows, then its messages.

        Shape:  without facts there are events alone: no requests, no raw turns, no messages.
        Raises:
            RunNotFoundError: One of `run_ids` is not there.
            RecordFormatError: A row cannot be read; the lines of the runs before it have been given.
        """
        names = run_ids
        if names is None:
            names = await self._core.ask(lambda connection: run_table.names(connection, scope))
        for run_id in names:
            lines = await self._core.ask(
                lambda connection, run_id=run_id: transfer.exported(  # type: ignore[misc]  # bound in the loop
                    connection, scope, run_id, codec=self._core.codec, with_facts=with_facts
                )
            )
            for line in lines:
                yield line

    async def import_lines(self, lines: Iterable[str], /) -> Imported:
        """Put runs into the store that were exported, each whole or not at all. One that is there already is left.

        Raises:
            RecordFormatError: A line is none of an export, or of a version that is not known.
            SequenceConflictError: A run of that id is there with other content. Those before it are imported.
        """
        total = Imported()
        for parcel in transfer.parcels(lines):
            now_s = self._core.now_s()
            is_new = await self._core.write(
                lambda connection, parcel=parcel, now_s=now_s: transfer.put(  # type: ignore[misc]  # bound in the loop
                    connection, self._core.codec, parcel, now_s=now_s
                ),
                lambda _: self._core.hints.tell(),
            )
            total = total.plus(is_new=is_new)
        return total

    def _forget(self, places: Iterable[Place]) -> None:
        for place in places:
            self._core.tails.forget(place)
