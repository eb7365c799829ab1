"""A stored run in the words of a wire: where it comes from, and what is said of it beside."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.stored_runs import Filled, fill
from tests.cli.test_run_transfer import exported
from treadle.cli.exits import CommandMisuseError
from treadle.cli.output import OutputError
from treadle.cli.run_replaying import Replaying, Source, values_of, write
from treadle.errors import RecordFormatError, RunNotFoundError
from treadle.server.replaying import NO_KEY
from treadle.server.wires.replays import REPLAYS


def source(named: str, *, run_id: str | None = None, db: Path | None = None) -> Source:
    """Where a run is looked for."""
    return Source(named=named, run_id=run_id, db=None if db is None else str(db), scope="default")


async def filled(tmp_path: Path) -> tuple[Path, Filled]:
    """A store with a run of each kind."""
    path = tmp_path / "runs.db"
    return path, await fill(path)


async def said(source: Source, wire: str, environment: dict[str, str] | None = None) -> tuple[str, list[str]]:
    """What is said of a run, and beside it."""
    replaying = Replaying(await source.run(), source.keys(environment or {}))
    text = "".join(replaying.frames(replaying.responses(wire, {}, segment=None)))
    return text, list(replaying.remarks())


@pytest.mark.requirement("CLI-replay")
async def test_a_run_says_the_same_from_its_store_and_from_a_file(tmp_path: Path) -> None:
    """docs/cli.md: in every wire, with facts or without."""
    path, runs = await filled(tmp_path)
    file = tmp_path / "lines.jsonl"
    for with_facts in (True, False):
        file.write_text((await exported(path, runs.done, with_facts=with_facts))[0], encoding="utf-8")
        for wire in REPLAYS:
            told = await said(source(runs.done, db=path), wire)
            assert await said(source(str(file)), wire) == told
            assert told[0] != ""
            assert told[1] == []


@pytest.mark.requirement("CLI-replay")
async def test_what_is_missing_is_said_beside(tmp_path: Path) -> None:
    """docs/cli.md: a run that is at work, and tokens without a key. Neither is a failure."""
    path, runs = await filled(tmp_path)
    _, remarks = await said(source(runs.left, db=path), "agui")
    assert remarks == ["ready: the run has not come to rest: this is what there is of it"]
    with_token, remarks = await said(source(runs.paused, db=path), "agui")
    assert remarks == [NO_KEY]
    known, remarks = await said(source(runs.paused, db=path), "agui", {"TREADLE_SECRET": "0123456789abcdef" * 2})
    assert remarks == []
    assert len(known) > len(with_token)
    assert not (tmp_path / "runs.db.key").exists()


async def test_a_file_with_several_runs_needs_a_name(tmp_path: Path) -> None:
    """docs/cli.md: it says which there are."""
    path, runs = await filled(tmp_path)
    file = tmp_path / "lines.jsonl"
    file.write_text((await exported(path, with_facts=True))[0], encoding="utf-8")
    with pytest.raises(CommandMisuseError, match=f"the file holds 4: {runs.done}, .*; --run ID names one"):
        await source(str(file)).run()
    assert (await source(str(file), run_id=runs.failed).run()).state.run_id == runs.failed
    with pytest.raises(RunNotFoundError):
        await source(str(file), run_id="r_none").run()
    file.write_text("")
    with pytest.raises(RunNotFoundError, match="the file holds no run"):
        await source(str(file)).run()
    file.write_text("no line\n")
    with pytest.raises(RecordFormatError, match="line 1 of an export cannot be read"):
        await source(str(file)).run()


async def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    """docs/cli.md: a run, a store, a file, a response."""
    path, runs = await filled(tmp_path)
    with pytest.raises(RunNotFoundError):
        await source("r_none", db=path).run()
    with pytest.raises(CommandMisuseError, match="is not there"):
        await source("r_none", db=tmp_path / "none.db").run()
    with pytest.raises(CommandMisuseError, match="cannot be read"):
        await source("none.jsonl", run_id="r_none").run()
    replaying = Replaying(await source(runs.done, db=path).run(), None)
    assert len(replaying.responses("agui", {}, segment=1)) == 1
    with pytest.raises(CommandMisuseError, match="--segment 2: the run was told in 1 as agui"):
        replaying.responses("agui", {}, segment=2)


def test_values_are_named_once() -> None:
    """docs/cli.md: NAME=VALUE; a value may hold an = and may be empty."""
    assert values_of(["id=1", "text=a=b", "none="]) == {"id": "1", "text": "a=b", "none": ""}
    for wrong in (["id"], ["=1"], ["id=1", "id=2"]):
        with pytest.raises(CommandMisuseError):
            values_of(wrong)


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """docs/cli.md: a name that is none is a misuse, and a full disk a failure."""
    write(iter(["a", "«"]), tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == "a«".encode()
    with pytest.raises(CommandMisuseError, match="cannot be written"):
        write(iter(["a"]), tmp_path)
    if Path("/dev/full").exists():
        with pytest.raises(OutputError):
            write(iter(["a"]), Path("/dev/full"))
