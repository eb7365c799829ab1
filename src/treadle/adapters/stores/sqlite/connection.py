"""Connections to the file, and SQLite's failures in our words.

There is one connection that writes; it alone checkpoints. The others are read-only twice over, and no connection maps
the file into memory: some versions of SQLite can damage a file where two connections write or checkpoint at one moment.

Source: https://sqlite.org/wal.html (the WAL-reset bug).
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final, Literal

from treadle.adapters.stores.sqlite.schema import version_of
from treadle.errors import RunLogError, StoreFullError

Synchronous = Literal["FULL", "NORMAL"]
SYNCHRONOUS: Final = ("FULL", "NORMAL")

_OLDEST: Final = (3, 35, 0)
_MENDED: Final = (3, 51, 3)
_MOST_PAGES: Final = 0xFFFFFFFE
_LOG_PAGES: Final = 32_768
_FULL_CODES: Final = frozenset({sqlite3.SQLITE_FULL})
_PRIMARY_CODE: Final = 0xFF


def open_writer(path: Path, *, synchronous: Synchronous) -> sqlite3.Connection:
    """The connection that writes. Its transactions are begun and ended by hand.

    Raises:
        RunLogError: The file cannot be opened, is no store of runs, or cannot have a write-ahead log.
    """
    if sqlite3.sqlite_version_info < _OLDEST:
        raise RunLogError(f"the store needs SQLite {_said(_OLDEST)} or newer, came {sqlite3.sqlite_version}")
    try:
        # What people say to agents is nobody else's; SQLite gives the files beside it the same rights.
        path.touch(mode=0o600)
        connection = sqlite3.connect(path, isolation_level=None, cached_statements=256)
    except OSError as error:
        raise RunLogError(f"store {str(path)!r} cannot be opened: {error.strerror}") from error
    except sqlite3.Error as error:
        raise store_error(error, path) from error
    try:
        # Another program's database is looked at and left as it is.
        version_of(connection, path)
        _set_up(connection, path, synchronous)
    except sqlite3.Error as error:
        connection.close()
        raise store_error(error, path) from error
    except RunLogError:
        connection.close()
        raise
    return connection


def open_reader(path: Path) -> sqlite3.Connection:
    """A connection that can only read. It may be closed by another thread than its own."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None, check_same_thread=False
    )
    connection.execute("pragma query_only = on")
    connection.execute("pragma mmap_size = 0")
    return connection


def limit_size(connection: sqlite3.Connection, size_bytes: int | None) -> None:
    """Let the file grow to this size and no further, or without a bound. It is never made smaller."""
    (page_bytes,) = connection.execute("pragma page_size").fetchone()
    pages = _MOST_PAGES if size_bytes is None else max(1, size_bytes // page_bytes)
    connection.execute(f"pragma max_page_count = {pages}")


def store_error(error: sqlite3.Error, path: Path) -> RunLogError:
    """What a failure of SQLite means to whoever asked the store."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is not None and code & _PRIMARY_CODE in _FULL_CODES:
        return StoreFullError(f"store {str(path)!r} has no room: {error}")
    return RunLogError(f"store {str(path)!r} failed: {error}")


def sqlite_advice() -> str | None:
    """What to know about the SQLite that this Python has; None where there is nothing to say."""
    if sqlite3.sqlite_version_info >= _MENDED:
        return None
    return (
        f"SQLite {sqlite3.sqlite_version} can, rarely, damage a file that two connections write or checkpoint at one "
        f"moment; {_said(_MENDED)} mends it. One connection of Treadle's writes: let no other program write the file"
    )


def _set_up(connection: sqlite3.Connection, path: Path, synchronous: Synchronous) -> None:
    connection.execute("pragma mmap_size = 0")
    mode = connection.execute("pragma journal_mode = wal").fetchone()[0]
    if mode != "wal":
        raise RunLogError(f"store {str(path)!r} needs a write-ahead log, and its file system gives {mode!r}")
    connection.execute(f"pragma synchronous = {synchronous}")
    # The writer writes the log back at a moment of its own choice; this is the bound that it must not reach.
    connection.execute(f"pragma wal_autocheckpoint = {_LOG_PAGES}")
    # What is deleted is overwritten, in the pages that rows leave as in those that are given back.
    connection.execute("pragma secure_delete = on")


def _said(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
