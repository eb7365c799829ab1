"""A stored run in the words of a wire, as they were first sent.

In: a run of a store, or of a file that `export` wrote; a wire, and what is its reader's own. Out: frames, in pieces;
and what there is to say of them beside.

Source: docs/cli.md (replay).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from treadle.app.pause_keys import PauseKeys
from treadle.cli.exits import CommandMisuseError
from treadle.cli.output import OutputError, for_scripts
from treadle.cli.run_transfer import INPUT, lines_of
from treadle.cli.store_choice import SCHEME, existing, opened, sqlite
from treadle.codec.pause_tokens import TokenKeys
from treadle.errors import RunNotFoundError
from treadle.runtime.thread_history import stored_run
from treadle.server.replaying import NO_KEY, Played, StoredRun, Tokens
from treadle.server.wires.replays import responses
from treadle.values.ids import RunId

UNFINISHED: Final = "the run has not come to rest: this is what there is of it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a run is: `named` is a run of a store, or a file of exported ones, of which `run_id` says which."""

    named: str
    run_id: str | None
    db: str | None
    scope: str

    @property
    def is_file(self) -> bool:
        """Whether it is a file: where one of this name is there, or a run in it is named."""
        return self.run_id is not None or self.named == INPUT or Path(self.named).is_file()

    def keys(self, environment: Mapping[str, str]) -> TokenKeys | None:
        """The keys of the store whose run it is; None where there are none. None are made.

        Raises:
            PlanError: Those that are there are of no use.
            CommandMisuseError: There is no such store.
        """
        has_store = not self.is_file or self.db is not None
        return PauseKeys(f"{SCHEME}{existing(self.db)}" if has_store else None, environment).known

    async def run(self) -> StoredRun:
        """The run.

        Raises:
            RunNotFoundError: There is none of this name.
            RecordFormatError: A row, or a line, cannot be read.
            CommandMisuseError: There is no such file or store, or the file holds several runs and none was named.
        """
        if self.is_file:
            return self._exported()
        async with opened(existing(self.db)) as store:
            return StoredRun(*await stored_run(store, self.scope, RunId(self.named)))

    def _exported(self) -> StoredRun:
        with lines_of(self.named) as lines:
            found = [StoredRun(*one) for one in sqlite().runs_of(lines) if self.run_id in (None, one[0].run_id)]
        if not found:
            raise RunNotFoundError("no such run" if self.run_id else "the file holds no run")
        if len(found) > 1:
            runs = ", ".join(one.state.run_id for one in found[:5])
            raise CommandMisuseError(f"which run? the file holds {len(found)}: {runs}; --run ID names one")
        return found[0]


class Replaying:
    """One run, as one reader was told it."""

    def __init__(self, run: StoredRun, keys: TokenKeys | None) -> None:
        self._run = run
        self._tokens = Tokens(run.state, keys)

    def responses(self, wire: str, own: Mapping[str, str], *, segment: int | None) -> Sequence[Played]:
        """Its responses, or one of them.

        Raises:
            PlanError: The wire, or what is a reader's own, is none that there is.
            CommandMisuseError: There are not so many responses.
        """
        found = responses(wire, self._run, own=own, tokens=self._tokens)
        if segment is None:
            return found
        if segment > len(found):
            raise CommandMisuseError(f"--segment {segment}: the run was told in {len(found)} as {wire}")
        return found[segment - 1 : segment]

    def frames(self, played: Sequence[Played]) -> Iterator[str]:
        """All frames, in pieces."""
        for one in played:
            yield from one.frames(self._run)

    def remarks(self) -> Iterator[str]:
        """What there is to say when all was told."""
        if not self._run.is_at_rest:
            yield f"{self._run.state.status.value}: {UNFINISHED}"
        if self._tokens.were_missed:
            yield NO_KEY


def values_of(given: Sequence[str]) -> dict[str, str]:
    """What is a reader's own, by name.

    Raises:
        CommandMisuseError: It is not written as NAME=VALUE, or a name stands there twice.
    """
    own: dict[str, str] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not (name and equals):
            raise CommandMisuseError(f"--with takes NAME=VALUE, not {one[:40]!r}")
        if name in own:
            raise CommandMisuseError(f"--with {name} stands there twice")
        own[name] = value
    return own


def write(pieces: Iterator[str], path: Path | None) -> None:
    """Put pieces into a file, or out.

    Raises:
        CommandMisuseError: The file cannot be opened.
        OutputError: It cannot be written.
        ReaderGoneError: Nobody reads the output any more.
    """
    if path is None:
        with for_scripts() as output:
            for piece in pieces:
                output.write(piece)
        return
    try:
        file = path.open("wb")
    except OSError as error:
        raise CommandMisuseError(f"{str(path)!r} cannot be written: {error.strerror}") from None
    try:
        with file:
            for piece in pieces:
                file.write(piece.encode())
    except OSError as error:
        raise OutputError(error.strerror or type(error).__name__) from error
