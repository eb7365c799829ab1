"""The tables of a store, by ordered SQL files: a file a version.

In: a connection that writes. Out: a store of the newest version, or the words why it is none. A new file is made
whole in one transaction; an older store is moved forward only when it is asked for.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from treadle.errors import RunLogError, SchemaTooNewError

_SQL: Final = Path(__file__).parent / "sql"
_NAME: Final = re.compile(r"(\d{4})_\w+\.sql")


@cache
def steps() -> Mapping[int, str]:
    """The SQL of each version, in order, from 1."""
    found = {int(match[1]): path for path in _SQL.iterdir() if (match := _NAME.fullmatch(path.name))}
    return {version: found[version].read_text(encoding="utf-8") for version in sorted(found)}


def newest() -> int:
    """The version that this library writes."""
    return max(steps())


def version_of(connection: sqlite3.Connection, path: Path) -> int:
    """The version of a store; 0 for an empty file.

    Raises:
        RunLogError: The file holds something else.
    """
    tables = {name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")}
    if "schema_version" in tables:
        row = connection.execute("select version from schema_version").fetchone()
        if row is not None and type(row[0]) is int:
            return int(row[0])
    if tables:
        raise RunLogError(f"{str(path)!r} is a database, and not a store of runs; its tables are {sorted(tables)!r}")
    return 0


def make_ready(connection: sqlite3.Connection, path: Path) -> None:
    """See to it that the file is a store of the newest version.

    Raises:
        SchemaTooNewError: A newer version of the library wrote it.
        RunLogError: An older one did, or the file holds something else.
    """
    version = version_of(connection, path)
    check_known(version, path)
    if version == 0:
        connection.executescript(transaction(*steps().values(), version=newest()))
    elif version < newest():
        raise RunLogError(
            f"store {str(path)!r} has schema {version}, this version needs {newest()}: "
            f"run `treadle db upgrade {path}`, which moves it forward"
        )


def check_known(version: int, path: Path) -> None:
    """Refuse a store of a newer version than this library knows.

    Raises:
        SchemaTooNewError: It is.
    """
    if version > newest():
        raise SchemaTooNewError(
            f"store {str(path)!r} has schema {version}, this version knows {newest()} at most: "
            "use the version of Treadle that wrote it, or a newer one"
        )


def transaction(*scripts: str, version: int) -> str:
    """One script that does all of these and writes the version, or nothing."""
    return "\n".join(
        [
            "begin immediate;",
            *scripts,
            "create table if not exists schema_version (version integer not null);",
            "delete from schema_version;",
            f"insert into schema_version values ({version});",
            "commit;",
        ]
    )
