"""The store in one SQLite file: for one process with its event loop.

In: the calls of the three ports. Out: rows on the disk, committed before anyone is told. One connection writes, on a
thread of its own, and all that waits shares its transactions; other connections only read.

Source: docs/sqlite.md, ADR 0014 (three ports of a store).
"""

from treadle.adapters.stores.sqlite.connection import sqlite_advice
from treadle.adapters.stores.sqlite.owner_lock import owner_of, token_of
from treadle.adapters.stores.sqlite.store import SqliteStore
from treadle.adapters.stores.sqlite.transfer import runs_of
from treadle.adapters.stores.sqlite.upgrade import upgrade

__all__ = ["SqliteStore", "owner_of", "runs_of", "sqlite_advice", "token_of", "upgrade"]
