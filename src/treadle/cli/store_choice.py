"""Which store a command is about, and that store, open.

In: what `--db` or TREADLE_DB says. Out: the store of that file, for one command. A store that is not there is a
misuse: a file that a mistyped path makes would look like a store that has lost its runs.

Source: docs/cli.md.
"""

from __future__ import annotations

import importlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from treadle.adapters.system import SystemClock
from treadle.cli.exits import CommandMisuseError

if TYPE_CHECKING:
    # Not every Python has SQLite; without it the commands that keep no runs must work.
    from treadle.adapters.stores.sqlite import SqliteStore

VARIABLE: Final = "TREADLE_DB"
DEFAULT: Final = "runs.db"
SCHEME: Final = "sqlite:///"
"""How the same store is named to a runner."""


def path_of(given: str | None) -> Path:
    """The file that this names; `runs.db` where nothing is said. It need not be there."""
    return Path((given or DEFAULT).removeprefix(SCHEME) or DEFAULT)


def existing(given: str | None) -> Path:
    """The same, of a store that is there.

    Raises:
        CommandMisuseError: There is no such file.
    """
    path = path_of(given)
    if not path.is_file():
        wrong = "is no file" if path.exists() else "is not there"
        raise CommandMisuseError(f"store {str(path)!r} {wrong}; --db PATH or {VARIABLE} names another one")
    return path


@asynccontextmanager
async def opened(path: Path) -> AsyncGenerator[SqliteStore, None]:
    """The store of this file, owned by this process for the block.

    Raises:
        CommandMisuseError: This Python has no SQLite.
        StoreOwnedError: Another process has the store.
        SchemaTooNewError: A newer version of the library wrote it.
        RunLogError: It is an older store, no store, or cannot be opened.
    """
    store: SqliteStore
    async with sqlite().SqliteStore.open(path, clock=SystemClock()) as store:
        yield store


def upgraded(path: Path) -> tuple[int, int]:
    """Move a store to the newest schema. Gives the version that it had, and the one that it has.

    Raises:
        CommandMisuseError: This Python has no SQLite.
        StoreOwnedError: Another process has the store.
        SchemaTooNewError: A newer version of the library wrote it.
        RunLogError: It is no store, or a step failed.
    """
    had, has = sqlite().upgrade(path)
    return int(had), int(has)


def sqlite() -> Any:  # noqa: ANN401 (a module that may not be there)
    """The adapter of SQLite.

    Raises:
        CommandMisuseError: This Python has none.
    """
    try:
        return importlib.import_module("treadle.adapters.stores.sqlite")
    except ImportError as missing:
        raise CommandMisuseError(f"stored runs need the module {missing.name!r}, and this Python lacks it") from missing
