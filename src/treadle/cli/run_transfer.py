"""Runs of a store to lines of a file, and lines of a file to runs of a store.

In: a store, and where lines go to or come from. Out: lines, in pieces of a bounded size; or how many runs were put in.
What a line holds is the store's affair. A control code in it is written as JSON's escape, which says the same.

Source: docs/cli.md.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

from treadle.cli.exits import CommandMisuseError
from treadle.cli.foreign_text import json_escaped
from treadle.cli.store_choice import CommandStore
from treadle.errors import RecordFormatError
from treadle.values.ids import RunId
from treadle.values.runs import LIVE_STATUSES

PIECE_CHARS: Final = 64 * 1024
"""Characters after which lines are sent on."""
INPUT: Final = "-"
STDIN_FD: Final = 0


def wanted(run_ids: Sequence[str], *, every: bool) -> tuple[RunId, ...] | None:
    """The runs to export, each once, in the order given; None: all.

    Raises:
        CommandMisuseError: Neither is said, or both are.
    """
    if every and run_ids:
        raise CommandMisuseError("--all and the names of runs cannot be given together")
    if not every and not run_ids:
        raise CommandMisuseError("which runs? name them, or give --all")
    return None if every else tuple(dict.fromkeys(map(RunId, run_ids)))


async def export(
    store: CommandStore,
    scope: str,
    run_ids: Collection[RunId] | None,
    *,
    with_facts: bool,
    send: Callable[[str], Awaitable[None]],
) -> bool:
    """Send the lines of these runs. Says whether each of them can be imported again.

    Raises:
        RunNotFoundError: One of them is not there. Nothing was sent.
        RecordFormatError: A row cannot be read. The runs before it were sent.
    """
    if run_ids is None:
        live = list(await store.find(scope, statuses=LIVE_STATUSES, limit=1))
    else:
        live = [state for run_id in run_ids if not (state := await store.state(scope, run_id)).is_final]
    piece, size = [], 0
    try:
        async for line in store.export(scope, run_ids=run_ids, with_facts=with_facts):
            piece.append(f"{json_escaped(line)}\n")
            size += len(line)
            if size >= PIECE_CHARS:
                whole, piece, size = "".join(piece), [], 0
                await send(whole)
    finally:
        await send("".join(piece))
    return with_facts or not live


@contextmanager
def lines_of(name: str) -> Iterator[Iterator[str]]:
    """The lines of a file of this name, or of the input, read as they are asked for.

    Raises:
        CommandMisuseError: There is no such file, or it cannot be opened.
        RecordFormatError: From the lines: they are no text.
    """
    try:
        file = _opened(name)
    except OSError as error:
        raise CommandMisuseError(f"{name!r} cannot be read: {error.strerror}") from None
    with file:
        yield _text(file, name)


def imported(new: int, known: int) -> str:
    """What an import came to, as one line."""
    there = f"; {known} {'was' if known == 1 else 'were'} there already" if known else ""
    return f"imported {new} {'run' if new == 1 else 'runs'}{there}\n"


def _opened(name: str) -> TextIO:
    if name == INPUT:
        return os.fdopen(STDIN_FD, encoding="utf-8", newline="\n", closefd=False)
    return Path(name).open(encoding="utf-8", newline="\n")


def _text(file: TextIO, name: str) -> Iterator[str]:
    try:
        yield from file
    except UnicodeDecodeError:
        raise RecordFormatError(f"{name!r} is no export: it is not UTF-8") from None
