"""A whole lap, with clients of the tests' own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import pytest

from treadle.cli.conformance import page, working
from treadle.cli.conformance.cells import Absent, Cell
from treadle.cli.conformance.installing import Kit, pins, source
from treadle.cli.conformance.rows import filled
from treadle.cli.conformance.wires.probing import ONLY_READS
from treadle.cli.conformance.wires.table import cells
from treadle.cli.conformance.working import Asked, lap
from treadle.cli.demos.outcome import DemoFailedError
from treadle.cli.exits import CommandMisuseError, ExitCode

pytestmark = pytest.mark.requirement("CONF-command")


def _right(cell: Cell) -> dict[str, Any]:
    """The report that is expected."""
    wanted = cell.wanted
    assert not isinstance(wanted, Absent)
    return {"verdict": wanted.verdict, "text": filled(wanted.says or "", cell.prompt)}


class _Serving:
    url = "http://nowhere"

    def __init__(self, served: str, **_: object) -> None:
        assert served == "treadle.testing.scenarios"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Cell], dict[str, Any]]], None]:
    """Say what clients report; no server, no client and no kit is real."""

    def use(report: Callable[[Cell], dict[str, Any]]) -> None:
        monkeypatch.setattr(working, "ServerProcess", _Serving)
        monkeypatch.setattr(working, "installed", lambda _, **__: Kit(scripts=Path("nowhere")))
        monkeypatch.setattr(working, "Calls", lambda *_, **__: report)

    return use


Use = Callable[[Callable[[Cell], dict[str, Any]]], None]


def test_a_lap_in_which_all_is_as_expected_is_done_and_writes_its_page(
    tmp_path: Path, reported: Use, capfd: pytest.CaptureFixture[str]
) -> None:
    """docs/cli.md: `--write` writes the page that stands in the docs."""
    reported(_right)
    written = tmp_path / "matrix.md"
    assert lap(Asked(write=written, cache=tmp_path)) is ExitCode.DONE
    every = cells(list(working.WIRES))
    assert written.read_text() == page.markdown(page.expected(every), pins(source()))
    out, err = capfd.readouterr()
    assert out.startswith("PLAIN")
    assert err == ""


def test_one_cell_that_is_not_as_expected_is_an_error_and_leaves_the_page_alone(
    tmp_path: Path, reported: Use, capfd: pytest.CaptureFixture[str]
) -> None:
    """docs/cli.md: exit 0 only where each cell has its verdict and nobody complains."""

    def wrong(cell: Cell) -> dict[str, Any]:
        return {**_right(cell), "verdict": "error"} if cell.row.agent == "tool" else _right(cell)

    reported(wrong)
    assert lap(Asked(write=tmp_path / "matrix.md", cache=tmp_path)) is ExitCode.ERROR
    assert not (tmp_path / "matrix.md").exists()
    out, err = capfd.readouterr()
    assert "error !" in out
    assert "error: plain plain_client tool: verdict error, expected done" in err


def test_wires_and_agents_may_be_chosen_and_told_as_json(
    tmp_path: Path, reported: Use, capfd: pytest.CaptureFixture[str]
) -> None:
    """docs/cli.md: an object a cell."""
    reported(_right)
    asked = Asked(wires=["plain"], agents=["text"], as_json=True, cache=tmp_path, reports=tmp_path / "kept")
    assert lap(asked) is ExitCode.DONE
    told = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert {(one["wire"], one["agent"]) for one in told} == {("plain", "text")}
    assert {one["verdict"] for one in told} == {"done", "no_active_stream", None}
    absent = next(one for one in told if one["verdict"] is None)
    assert (absent["expected"], absent["absent"], absent["problems"]) == (None, ONLY_READS.reason, [])
    assert (tmp_path / "kept").is_dir()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (Asked(wires=["gopher"]), "no wire is called 'gopher'; there are plain"),
        (Asked(agents=["nobody"]), "no scripted agent is called 'nobody'; there are text"),
        (Asked(wires=["plain"], write=Path("x")), "writes the whole page"),
    ],
)
def test_words_that_name_nothing_are_a_misuse(asked: Asked, said: str) -> None:
    """docs/cli.md: exit 2."""
    with pytest.raises(CommandMisuseError, match=said):
        lap(asked)


def test_a_server_that_does_not_come_up_is_told(
    tmp_path: Path, reported: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: nothing was tried, so nothing was found."""
    reported(_right)

    def broken(*_: object, **__: object) -> object:
        raise DemoFailedError("a server did not come up: no")

    monkeypatch.setattr(working, "ServerProcess", broken)
    with pytest.raises(CommandMisuseError, match="did not come up"):
        lap(Asked(cache=tmp_path))
