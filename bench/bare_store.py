"""The floor of a store on this disk: a thread that inserts what waits and commits it, and nothing else.

No lease, no check, no status, no scope, no codec; readers are handed what was committed from a list. What it costs
more to keep runs in `SqliteStore` is what that store is for.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from treadle.values.runs import Lease, NewRun, RunStatus

GAP_S = 0.002


class BareStore:
    """As much of a store as the bench asks for."""

    def __init__(self, path: Path, synchronous: str) -> None:
        self._path, self._synchronous = path, synchronous
        self._loop = asyncio.get_running_loop()
        self._changed = threading.Condition()
        self._waiting: list[tuple[asyncio.Future[RunStatus], Lease, Sequence[Any]]] = []
        self._closing = False
        self._thread = threading.Thread(target=self._run)
        self._logs: dict[str, list[Any]] = {}
        self._readers: dict[str, asyncio.Future[None]] = {}
        self._last: NewRun | None = None
        self.commits = 0

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, path: Path, synchronous: str) -> AsyncIterator[BareStore]:
        """Open it, with its thread."""
        store = cls(path, synchronous)
        store._thread.start()
        try:
            yield store
        finally:
            with store._changed:
                store._closing = True
                store._changed.notify()
            await asyncio.to_thread(store._thread.join)

    async def create(self, run: NewRun) -> None:
        """A run, kept by its name alone."""
        self._last = run
        self._logs[run.run_id] = []

    async def claim(self, *_: Any, **__: Any) -> Lease:
        """The run that was created last."""
        assert self._last is not None
        return Lease(run_id=self._last.run_id, scope=self._last.scope, epoch=1, next_seq=0, next_index=0)

    async def append(self, lease: Lease, stretches: Sequence[Any], **_: Any) -> RunStatus:
        """Have it on the disk."""
        future: asyncio.Future[RunStatus] = self._loop.create_future()
        with self._changed:
            self._waiting.append((future, lease, stretches))
            self._changed.notify()
        return await future

    async def read(self, _: str, run_id: str, after: int, *, limit: int) -> Sequence[Any]:
        """What was committed after an event; each stretch is one."""
        return self._logs[run_id][after + 1 : after + 1 + limit]

    async def wait(self, _: str, run_id: str, after: int, *, timeout_s: float) -> None:
        """Until there is more. One reader a run."""
        if len(self._logs[run_id]) <= after + 1:
            self._readers[run_id] = future = self._loop.create_future()
            async with asyncio.timeout(timeout_s):
                await future

    def _run(self) -> None:
        connection = sqlite3.connect(self._path, isolation_level=None)
        connection.execute("pragma journal_mode=wal")
        connection.execute(f"pragma synchronous={self._synchronous}")
        connection.execute("create table rows (run text, seq integer, body text, primary key (run, seq)) without rowid")
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closing)
                batch, self._waiting = self._waiting, []
            if not batch:
                break
            rows = [(lease.run_id, one.seq, one.texts[0]) for _, lease, given in batch for one in given]
            connection.execute("begin immediate")
            connection.executemany("insert into rows values (?, ?, ?)", rows)
            connection.execute("commit")
            self.commits += 1
            self._loop.call_soon_threadsafe(self._deliver, batch)
            time.sleep(GAP_S)
        connection.close()

    def _deliver(self, batch: Sequence[tuple[asyncio.Future[RunStatus], Lease, Sequence[Any]]]) -> None:
        for future, lease, stretches in batch:
            self._logs[lease.run_id].extend(stretches)
            future.set_result(RunStatus.OWNED)
            reader = self._readers.pop(lease.run_id, None)
            if reader is not None and not reader.done():
                reader.set_result(None)
