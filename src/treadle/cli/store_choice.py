"""Which store a command is about, and that store, open.

In: what `--db` or TREADLE_DB says. Out: the store of that file, for one command. A store that is not there is a
misuse: a file that a mistyped path makes would look like a store that has lost its runs.

Source: docs/cli.md.
"""

from __future__ import annotations

import importlib
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final, Protocol

from treadle.adapters.system import SystemClock
from treadle.cli.exits import CommandMisuseError
from treadle.errors import StoreOwnedError
from treadle.ports.runs_seen import RunsSeen
from treadle.values.ids import RunId

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


class CommandStore(RunsSeen, Protocol):
    """A store as commands use one: of this process, or at the other end of its owner's address."""

    def export(
        self, scope: str, /, *, run_ids: Collection[RunId] | None = None, with_facts: bool = False
    ) -> AsyncIterator[str]:
        """Runs as lines of JSON."""
        ...

    async def import_lines(self, lines: Iterable[str], /) -> ImportCount:
        """Put exported runs in."""
        ...


class ImportCount(Protocol):
    """How many runs were put in, and how many were there before."""

    @property
    def new(self) -> int:
        """Put in."""
        ...

    @property
    def known(self) -> int:
        """There before."""
        ...


@asynccontextmanager
async def opened(path: Path) -> AsyncGenerator[CommandStore, None]:
    """The store of this file for the block: owned by this process, or asked through the process that serves it.

    Raises:
        CommandMisuseError: This Python has no SQLite.
        StoreOwnedError: Another process has the store and does not serve it, or not to this user.
        SchemaTooNewError: A newer version of the library wrote it.
        RunLogError: It is an older store, no store, or cannot be opened.
    """
    adapter = sqlite()
    async with AsyncExitStack() as stack:
        store: CommandStore
        try:
            store = await stack.enter_async_context(adapter.SqliteStore.open(path, clock=SystemClock()))
        except StoreOwnedError:
            found = served_by(path)
            if found is None:
                raise
            store = found
        yield store


def served_by(path: Path) -> CommandStore | None:
    """The store of this file through the process that serves it; None where none does, or not to this user."""
    adapter = sqlite()
    url, token = adapter.owner_of(path).get("url"), adapter.token_of(path)
    if not isinstance(url, str) or token is None:
        return None
    served: CommandStore = importlib.import_module("treadle.adapters.stores.served").ServedStore(url, token)
    return served


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
