"""The threads that read: each with a connection that can do nothing else.

In: a query. Out: its result, from one snapshot of what is committed. Nothing here waits for the writer.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

from treadle.adapters.stores.sqlite.connection import open_reader, store_error
from treadle.errors import StateError

T = TypeVar("T")

READERS: Final = 2
"""Threads that read."""


class Reading:
    """A small pool of readers of one file."""

    def __init__(self, path: Path, *, threads: int = READERS) -> None:
        self._path = path
        self._own = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=f"treadle reader of {path.name}")
        self._closed = False

    async def ask(self, query: Callable[[sqlite3.Connection], T], /) -> T:
        """What a query finds.

        Raises:
            StateError: The store is closed.
            RunLogError: The file cannot be read.
        """
        if self._closed:
            raise StateError(f"store {str(self._path)!r} is closed", state="closed")
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._answer, query)

    def close(self) -> None:
        """Wait for the queries at hand and close the connections. It may be called from any thread."""
        self._closed = True
        self._pool.shutdown(wait=True)
        while self._connections:
            self._connections.pop().close()

    def _answer(self, query: Callable[[sqlite3.Connection], T]) -> T:
        try:
            connection = self._connection()
            connection.execute("begin")
            try:
                return query(connection)
            finally:
                connection.execute("rollback")
        except sqlite3.Error as error:
            raise store_error(error, self._path) from error

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._own, "connection", None)
        if connection is None:
            connection = open_reader(self._path)
            self._own.connection = connection
            self._connections.append(connection)
        return connection
