"""An older store to the newest schema, a version at a time.

Each step is one transaction: what is cut off between two steps goes on from where it stood when it is asked again.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from treadle.adapters.stores.sqlite.connection import open_writer, store_error
from treadle.adapters.stores.sqlite.owner_lock import OwnerLock
from treadle.adapters.stores.sqlite.schema import check_known, newest, steps, transaction, version_of
from treadle.errors import RunLogError
from treadle.runtime.failpoints import Failpoint, reach


def upgrade(path: str | os.PathLike[str], /) -> tuple[int, int]:
    """Move a store forward to the newest schema. Gives the version that it had, and the one that it has.

    Raises:
        StoreOwnedError: A process has the store open.
        SchemaTooNewError: A newer version of the library wrote it. Nothing changed.
        RunLogError: There is no store, or a step failed; the steps before it stand.
    """
    store = Path(path)
    if not store.is_file():
        raise RunLogError(f"there is no store at {str(store)!r}")
    lock = OwnerLock(store)
    try:
        connection = open_writer(store, synchronous="FULL")
        try:
            return _moved(connection, store)
        except sqlite3.Error as error:
            raise store_error(error, store) from error
        finally:
            connection.close()
    finally:
        lock.release()


def _moved(connection: sqlite3.Connection, store: Path) -> tuple[int, int]:
    had = version_of(connection, store)
    check_known(had, store)
    for version, script in steps().items():
        if version > had:
            try:
                connection.executescript(transaction(script, version=version))
            except sqlite3.Error:
                if connection.in_transaction:
                    connection.execute("rollback")
                raise
            reach(Failpoint.UPGRADE_BETWEEN_FILES)
    return had, newest()
