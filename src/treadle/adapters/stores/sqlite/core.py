"""What the three ports of the store share: the file, its one writer, its readers, and what is live.

Each call that writes becomes one thing to do for the writer's thread; calls that read are answered from the tails of
live runs, else by a thread that reads.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from treadle.adapters.stores.sqlite import run_table, schema
from treadle.adapters.stores.sqlite.appending import Appending
from treadle.adapters.stores.sqlite.compaction import Compaction
from treadle.adapters.stores.sqlite.connection import Synchronous, open_writer
from treadle.adapters.stores.sqlite.hints import WorkHints
from treadle.adapters.stores.sqlite.live_tails import LiveTails, Place
from treadle.adapters.stores.sqlite.owner_lock import OwnerLock
from treadle.adapters.stores.sqlite.reading import Reading
from treadle.adapters.stores.sqlite.writer_thread import WriterThread
from treadle.codec.records import RecordCodec
from treadle.errors import StateError
from treadle.ports.clock import Clock
from treadle.runtime.failpoints import Failpoint, reach
from treadle.values.runs import RunStatus

T = TypeVar("T")


class StoreCore:
    """An open file. `start` makes it so; `close` ends it, from any thread."""

    def __init__(self, path: Path, *, clock: Clock, codec: RecordCodec, lock: OwnerLock, tail_bytes: int) -> None:
        self.path = path
        self.codec = codec
        self.tails = LiveTails(max_bytes=tail_bytes)
        self.hints = WorkHints()
        self.compaction = Compaction(codec)
        self.appending = Appending(codec)
        self.reading = Reading(path)
        self.lock = lock
        self._clock = clock
        self._now_s = clock.now_s()
        self._writer: WriterThread | None = None

    async def start(self, synchronous: Synchronous) -> None:
        """Open the file, and make the runs of its dead owner ready.

        Raises:
            RunLogError: It cannot be opened, or is no store of this version.
        """

        def connect() -> sqlite3.Connection:
            connection = open_writer(self.path, synchronous=synchronous)
            try:
                schema.make_ready(connection, self.path)
                run_table.recover(connection, self._now_s)
                self.compaction.want_loose(connection)
            except BaseException:
                connection.close()
                raise
            reach(Failpoint.OPEN_AFTER_RECOVERY)
            return connection

        self._writer = WriterThread(self.path, connect=connect, idle=self.compaction, buffer=self.appending)
        await self._writer.start()

    async def aclose(self) -> None:
        """As `close`, and let everybody go on who waits. Whoever is cancelled here has closed it all the same."""
        closing = asyncio.get_running_loop().run_in_executor(None, self.close)
        try:
            await asyncio.shield(closing)
        finally:
            self.hints.wake()
            self.tails.wake_all()

    def close(self) -> None:
        """Write what waits and let go of the file. A second time does nothing."""
        if self._writer is not None:
            self._writer.close()
        self.compaction.abandon()
        self.reading.close()
        self.lock.release()

    @property
    def writer(self) -> WriterThread:
        """The thread that writes.

        Raises:
            StateError: The store is not open.
        """
        if self._writer is None:
            raise StateError(f"store {str(self.path)!r} is not open", state="new")
        return self._writer

    def now_s(self) -> float:
        """The time by the store's clock, which does not go back while it is open."""
        self._now_s = max(self._now_s, self._clock.now_s())
        return self._now_s

    async def write(self, do: Callable[[sqlite3.Connection], T], heed: Callable[[T], Any] | None = None, /) -> T:
        """Have something written with the next commit, and what came of it."""
        result: T = await self.writer.submit(do, heed)
        return result

    async def ask(self, query: Callable[[sqlite3.Connection], T], /) -> T:
        """What a query finds in what is committed."""
        return await self.reading.ask(query)

    def rested(self, place: Place, status: RunStatus, *, now_s: float, wake_at_s: float | None = None) -> None:
        """A run that nobody owns has a status: there may be work, and its readers may look."""
        self.tails.rested(place, status, changed_s=now_s, wake_at_s=wake_at_s)
        self.hints.tell()
