"""The thread that writes: all that waits becomes one transaction.

In: work, which is done with the connection on this thread. Out: its results, on the event loop, once the transaction
is on the disk; one wake-up of the loop a commit. Between two commits lie `GAP_S`, counted from the last one, so a
store that rests adds no wait. Between the commits, where nobody waits, idle work gets its turns.

Work that refuses has written nothing: its checks come first. Where something else fails, all that was written with it
is taken back, and each work is tried alone.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Protocol

from treadle.adapters.stores.sqlite.connection import store_error
from treadle.errors import StateError, StoreFullError, TreadleError
from treadle.runtime.failpoints import Failpoint, reach

GAP_S: Final = 0.002
"""Seconds between two commits at least."""
CHECKPOINT_IDLE: Final = 1_000
"""Changes after which the log beside the file is written back into it when nothing came for `REST_S`."""
REST_S: Final = 0.1
CHECKPOINT_BUSY: Final = 8_000
"""Changes after which that is done although somebody does."""
PATIENCE: Final = 8
"""Group commits after which idle work gets a turn although somebody waits."""


class Idle(Protocol):
    """Work for when nobody waits, in slices of a bounded size."""

    def is_due(self) -> bool:
        """Whether there is any."""
        ...

    def slice(self, connection: sqlite3.Connection, /) -> None:
        """Do one slice, within a transaction."""
        ...

    def done(self) -> None:
        """Hear that the slice is committed."""
        ...

    def failed(self) -> None:
        """Hear that the slice was taken back."""
        ...


class Buffer(Protocol):
    """What is written at the end of a transaction, or before anything else is done in it."""

    def write(self, connection: sqlite3.Connection, /) -> None:
        """Write what there is."""
        ...

    def taken_back(self) -> None:
        """Hear that the transaction is undone."""
        ...


class Work:
    """One thing to do with the connection. `heed` hears of its result on the loop, before whoever asked.

    It is done at least once and may be done again where its first try was taken back. `is_buffered`: it needs nothing
    of what the buffer holds.
    """

    __slots__ = ("do", "future", "heed", "is_buffered")

    def __init__(
        self,
        do: Callable[[sqlite3.Connection], Any],
        heed: Callable[[Any], None] | None,
        future: asyncio.Future[Any],
        *,
        is_buffered: bool,
    ) -> None:
        self.do = do
        self.heed = heed
        self.future = future
        self.is_buffered = is_buffered


_Settled = tuple[Work, Any, Exception | None]


class WriterThread:
    """Owns the connection that writes.

    `commits` counts the transactions that changed something. `close` may be called from any thread.
    """

    def __init__(self, path: Path, *, connect: Callable[[], sqlite3.Connection], idle: Idle, buffer: Buffer) -> None:
        self._path = path
        self._connect = connect
        self._idle = idle
        self._buffer = buffer
        self._loop = asyncio.get_running_loop()
        self._changed = threading.Condition()
        self._waiting: list[Work] = []
        self._closing = False
        self._committed_s = 0.0
        self._since_idle = 0
        self._unwritten = 0
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._thread = threading.Thread(target=self._run, name=f"treadle writer of {path.name}", daemon=True)
        self.commits = 0

    async def start(self) -> None:
        """Open the connection.

        Raises:
            RunLogError: It cannot be opened, or holds no store of this version.
        """
        self._thread.start()
        await self._ready

    def submit(
        self,
        do: Callable[[sqlite3.Connection], Any],
        heed: Callable[[Any], None] | None = None,
        /,
        *,
        is_buffered: bool = False,
    ) -> asyncio.Future[Any]:
        """Have work done with the next commit. Its future is set once it is on the disk.

        Raises:
            StateError: The store is closed.
        """
        work = Work(do, heed, self._loop.create_future(), is_buffered=is_buffered)
        with self._changed:
            if self._closing:
                raise StateError(f"store {str(self._path)!r} is closed", state="closed")
            self._waiting.append(work)
            self._changed.notify()
        return work.future

    def close(self) -> None:
        """Write what waits and end. It comes back when the connection is closed; a second time does nothing."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join()

    def tell(self, call: Callable[..., None], *arguments: Any) -> None:  # noqa: ANN401 (those of the call)
        """Have something called on the event loop, from any thread; by nobody where the loop is closed."""
        try:
            self._loop.call_soon_threadsafe(call, *arguments)
        except RuntimeError:
            return

    def _run(self) -> None:
        try:
            connection = self._connect()
        except Exception as error:  # noqa: BLE001 (whoever opens the store is told, whatever it is)
            with self._changed:
                self._closing = True
            self.tell(_fail, self._ready, self._told(error))
            return
        self.tell(_succeed, self._ready)
        try:
            self._serve(connection)
        finally:
            connection.close()

    def _serve(self, connection: sqlite3.Connection) -> None:
        while self._has_work(connection):
            self._keep_gap()
            with self._changed:
                turn = self._idle.is_due() and (not self._waiting or self._since_idle >= PATIENCE)
                batch: list[Work] = []
                if not turn:
                    batch, self._waiting = self._waiting, batch
            if turn:
                self._since_idle = 0
                self._give_turn(connection)
            else:
                self._since_idle += 1
                self._commit(connection, batch)
            if self._unwritten >= CHECKPOINT_BUSY:
                self._write_back(connection)

    def _has_work(self, connection: sqlite3.Connection) -> bool:
        """Wait for work; False where the store is to be closed and there is none."""
        while True:
            with self._changed:
                rest_s = REST_S if self._unwritten >= CHECKPOINT_IDLE else None
                is_woken = self._changed.wait_for(self._is_awaited, rest_s)
                if is_woken:
                    return bool(self._waiting) or not self._closing
            self._write_back(connection)

    def _is_awaited(self) -> bool:
        return bool(self._waiting) or self._closing or self._idle.is_due()

    def _keep_gap(self) -> None:
        left_s = self._committed_s + GAP_S - time.monotonic()
        if left_s > 0:
            time.sleep(left_s)

    def _commit(self, connection: sqlite3.Connection, batch: Sequence[Work]) -> None:
        reach(Failpoint.BEFORE_BEGIN)
        try:
            settled = self._transaction(connection, batch)
        except Exception as error:  # noqa: BLE001 (this thread outlives whatever its work fails with)
            settled = self._one_by_one(connection, batch, error)
        reach(Failpoint.AFTER_COMMIT_BEFORE_ACK)
        self.tell(_deliver, settled)

    def _one_by_one(self, connection: sqlite3.Connection, batch: Sequence[Work], failure: Exception) -> list[_Settled]:
        if len(batch) == 1 or isinstance(self._told(failure), StoreFullError):
            return [(work, None, self._told(failure)) for work in batch]
        settled: list[_Settled] = []
        for work in batch:
            try:
                settled += self._transaction(connection, [work])
            except Exception as error:  # noqa: BLE001 (as above; each work has its own end)
                settled.append((work, None, self._told(error)))
        return settled

    def _transaction(self, connection: sqlite3.Connection, batch: Sequence[Work]) -> list[_Settled]:
        settled: list[_Settled] = []
        before = connection.total_changes
        try:
            connection.execute("begin immediate")
            for work in batch:
                if not work.is_buffered:
                    self._buffer.write(connection)
                try:
                    settled.append((work, work.do(connection), None))
                except TreadleError as refusal:
                    settled.append((work, None, refusal))
            self._buffer.write(connection)
            reach(Failpoint.BEFORE_COMMIT)
            connection.execute("commit")
        except BaseException:
            self._take_back(connection)
            raise
        self._count(connection.total_changes - before)
        return settled

    def _give_turn(self, connection: sqlite3.Connection) -> None:
        before = connection.total_changes
        try:
            connection.execute("begin immediate")
            self._idle.slice(connection)
            reach(Failpoint.COMPACTION_BEFORE_COMMIT)
            connection.execute("commit")
        except Exception:  # noqa: BLE001 (what nobody asked for fails nobody; it is tried when there is reason again)
            self._take_back(connection)
            self._idle.failed()
            return
        self._count(connection.total_changes - before)
        self._idle.done()

    def _count(self, changes: int) -> None:
        if changes:
            self.commits += 1
            self._unwritten += changes
            self._committed_s = time.monotonic()

    def _write_back(self, connection: sqlite3.Connection) -> None:
        """Checkpoint, once whoever asked has been told. What cannot be written back now is the next time."""
        self._unwritten = 0
        with suppress(sqlite3.Error):
            connection.execute("pragma wal_checkpoint(passive)").fetchall()

    def _take_back(self, connection: sqlite3.Connection) -> None:
        self._buffer.taken_back()
        # SQLite ends some failed transactions by itself. Where even this fails, the next one says so.
        if connection.in_transaction:
            with suppress(sqlite3.Error):
                connection.execute("rollback")

    def _told(self, error: Exception) -> Exception:
        return store_error(error, self._path) if isinstance(error, sqlite3.Error) else error


def _deliver(settled: Sequence[_Settled]) -> None:
    """Tell the store, then whoever asked."""
    try:
        for work, result, error in settled:
            if error is None and work.heed is not None:
                work.heed(result)
    finally:
        for work, result, error in settled:
            if work.future.done():
                continue
            if error is None:
                work.future.set_result(result)
            else:
                work.future.set_exception(error)
    reach(Failpoint.AFTER_ACK)


def _fail(future: asyncio.Future[None], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)


def _succeed(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
