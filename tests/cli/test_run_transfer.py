"""Runs of a store to lines, and back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.stored_runs import Filled, fill
from treadle.cli import run_transfer
from treadle.cli.exits import CommandMisuseError
from treadle.cli.run_transfer import PIECE_CHARS, export, imported, lines_of, wanted
from treadle.cli.store_choice import opened
from treadle.errors import RecordFormatError, RunNotFoundError
from treadle.values.ids import RunId


def test_runs_are_named_or_all_of_them_are_meant() -> None:
    """docs/cli.md: one or the other."""
    assert wanted((), every=True) is None
    assert wanted(("b", "a", "b"), every=False) == ("b", "a")
    with pytest.raises(CommandMisuseError):
        wanted((), every=False)
    with pytest.raises(CommandMisuseError):
        wanted(("a",), every=True)


class Sink:
    """Keeps what it is sent."""

    def __init__(self) -> None:
        self.pieces: list[str] = []

    async def send(self, text: str) -> None:
        """Keep the piece."""
        self.pieces.append(text)


async def exported(path: Path, *run_ids: str, with_facts: bool) -> tuple[str, bool]:
    """The lines of these runs, or of all, and whether they can be imported."""
    sink = Sink()
    async with opened(path) as store:
        names = tuple(map(RunId, run_ids)) or None
        is_whole = await export(store, "default", names, with_facts=with_facts, send=sink.send)
    return "".join(sink.pieces), is_whole


async def filled(tmp_path: Path) -> tuple[Path, Filled]:
    """A store with a run of each kind."""
    path = tmp_path / "runs.db"
    return path, await fill(path)


async def test_lines_make_the_store_they_came_from(tmp_path: Path) -> None:
    """docs/cli.md: exported again they are the same bytes, with all that was escaped on the way."""
    path, runs = await filled(tmp_path)
    lines, is_whole = await exported(path, with_facts=True)
    async with opened(tmp_path / "other.db") as other:
        total = await other.import_lines(iter(lines.splitlines(keepends=True)))
    assert ((total.new, total.known), is_whole) == ((4, 0), True)
    assert await exported(tmp_path / "other.db", with_facts=True) == (lines, True)
    assert (runs.left in lines, "\\u009b" in lines, "\x9b" in lines) == (True, True, False)


async def test_an_export_that_cannot_be_imported_says_so(tmp_path: Path) -> None:
    """docs/cli.md: a run that may go on needs its facts."""
    path, runs = await filled(tmp_path)
    assert (await exported(path, with_facts=False))[1] is False
    assert (await exported(path, runs.left, with_facts=False))[1] is False
    assert (await exported(path, runs.left, with_facts=True))[1] is True
    assert (await exported(path, runs.done, runs.failed, with_facts=False))[1] is True


async def test_a_run_that_is_not_there_is_found_out_before_anything_is_sent(tmp_path: Path) -> None:
    """Ours: half an export looks like a whole one."""
    path, runs = await filled(tmp_path)
    sink = Sink()
    async with opened(path) as store:
        with pytest.raises(RunNotFoundError):
            await export(store, "default", (RunId(runs.done), RunId("nobody")), with_facts=False, send=sink.send)
    assert sink.pieces == []


async def test_lines_are_sent_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a large store is not held in memory, and a small one is one write."""
    path, _ = await filled(tmp_path)
    for bound in (PIECE_CHARS, 1):
        monkeypatch.setattr(run_transfer, "PIECE_CHARS", bound)
        sink = Sink()
        async with opened(path) as store:
            await export(store, "default", None, with_facts=True, send=sink.send)
        whole = "".join(sink.pieces)
        assert len([piece for piece in sink.pieces if piece]) == (1 if bound > 1 else len(whole.splitlines()))


@pytest.mark.parametrize(
    ("new", "known", "said"),
    [
        (0, 0, "imported 0 runs\n"),
        (1, 0, "imported 1 run\n"),
        (2, 1, "imported 2 runs; 1 was there already\n"),
        (0, 2, "imported 0 runs; 2 were there already\n"),
    ],
)
def test_what_an_import_came_to_is_one_line(new: int, known: int, said: str) -> None:
    """docs/cli.md."""
    assert imported(new, known) == said


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    """JSON: U+2028 may stand in a text as it is."""
    (tmp_path / "a").write_bytes("a\u2028b\x85c\r\nd".encode())
    with lines_of(str(tmp_path / "a")) as lines:
        assert list(lines) == ["a\u2028b\x85c\r\n", "d"]


def test_a_file_that_is_not_there_is_a_misuse_and_one_that_is_no_text_is_no_export(tmp_path: Path) -> None:
    """docs/cli.md: what is wrong with it is said in one line."""
    with pytest.raises(CommandMisuseError), lines_of(str(tmp_path / "no")):
        pass
    with pytest.raises(CommandMisuseError), lines_of(str(tmp_path)):
        pass
    (tmp_path / "a").write_bytes(b"\xff")
    with pytest.raises(RecordFormatError), lines_of(str(tmp_path / "a")) as lines:
        list(lines)


def test_the_input_is_read_and_left_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/cli.md: `-`."""
    (tmp_path / "a").write_text("a\nb\n", encoding="utf-8")
    given = os.open(tmp_path / "a", os.O_RDONLY)
    monkeypatch.setattr(run_transfer, "STDIN_FD", given)
    with lines_of("-") as lines:
        assert list(lines) == ["a\n", "b\n"]
    os.close(given)
