"""A whole lap, with clients of the tests' own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

import pytest

from treadle.cli.conformance import page, working
from treadle.cli.conformance.cells import Absent, Cell
from treadle.cli.conformance.installing import Kit, pins, source
from treadle.cli.conformance.rows import filled
from treadle.cli.conformance.wires.a2a_control import CONTROL
from treadle.cli.conformance.wires.probing import ONLY_READS
from treadle.cli.conformance.wires.table import cells
from treadle.cli.conformance.working import Asked, lap
from treadle.cli.demos.outcome import DemoFailedError
from treadle.cli.exits import CommandMisuseError, ExitCode

pytestmark = pytest.mark.requirement("CONF-command")


Use = Callable[..., None]


def _right(cell: Cell) -> dict[str, Any]:
    """The report that is expected."""
    wanted = cell.wanted
    assert not isinstance(wanted, Absent)
    return {"verdict": wanted.verdict, "text": filled(wanted.says or "", cell.prompt)}


OTHERWISE: Mapping[str, Mapping[str, Any]] = {
    "verdict": {},
    "violations": {"violations": [{"by": "kit", "rule": "other", "detail": "other"}]},
    "steps": {"events": [{"e": "status", "state": "OTHER"}]},
    "tasks": {"events": [{"e": "task", "state": "OTHER", "artifacts": 0, "history": 0}]},
    "text": {"aggregated": [{"artifact_id": "response", "text": "other"}]},
    "task": {"task": {"status": "other", "history": ["other"]}},
    "history": {"task": {"history": ["other"]}},
}


def _otherwise(cell: Cell, report: Mapping[str, Any]) -> dict[str, Any]:
    """The report that is expected of a control: in what is stated to differ it does."""
    assert cell.beside is not None
    told = {**report, "verdict": cell.beside.verdict(report["verdict"])}
    for one in cell.beside.stated:
        for field in () if one.is_chance else sorted(one.fields):
            told |= OTHERWISE[field]
    return told


class _Serving:
    url = "http://nowhere"
    serves: object = "treadle.testing.scenarios"

    def __init__(self, served: object, **_: object) -> None:
        assert served == self.serves

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None


class _ServingAnother(_Serving):
    url = "http://elsewhere"
    serves = Kit(scripts=Path("nowhere")).control_line(CONTROL)


@pytest.fixture
def reported(monkeypatch: pytest.MonkeyPatch) -> Use:
    """Say what clients report, of our server and of a control; no server, no client and no kit is real."""

    def use(
        report: Callable[[Cell], dict[str, Any]],
        report_beside: Callable[[Cell, Mapping[str, Any]], dict[str, Any]] | None = None,
    ) -> None:
        monkeypatch.setattr(working, "ServerProcess", _Serving)
        monkeypatch.setattr(working, "ListeningProcess", _ServingAnother)
        monkeypatch.setattr(working, "installed", lambda _, **__: Kit(scripts=Path("nowhere")))
        calls = {
            _Serving.url: report,
            _ServingAnother.url: lambda cell: (report_beside or _otherwise)(cell, report(cell)),
        }
        monkeypatch.setattr(working, "Calls", lambda _, url, **__: calls[url])

    return use


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
    assert absent["beside"] is None
    assert (tmp_path / "kept").is_dir()


@pytest.mark.requirement("CONF-beside")
def test_a_control_that_says_something_else_is_an_error_and_is_told_with_both(
    tmp_path: Path, reported: Use, capfd: pytest.CaptureFixture[str]
) -> None:
    """docs/cli.md: a line that names cell, place, and what each server said; the reports of both are kept."""
    asked = Asked(wires=["a2a"], agents=["text", "ask_user"], as_json=True, cache=tmp_path, reports=tmp_path / "kept")
    reported(_right)
    assert lap(asked) is ExitCode.DONE
    assert (tmp_path / "kept" / "a2a-sdk").is_dir()
    told = [json.loads(line)["beside"] for line in capfd.readouterr().out.splitlines()]
    (text, *_) = [one for one in told if one is not None]
    assert text == {"server": CONTROL.name, "verdict": "done", "differs": [], "stated": [], "problems": []}
    assert any(one["stated"] and one["differs"] for one in told if one is not None)

    def others(cell: Cell, report: Mapping[str, Any]) -> dict[str, Any]:
        return {**_otherwise(cell, report), "cancel": "other"} if cell.row.agent == "text" else {**report}

    reported(_right, others)
    assert lap(asked) is ExitCode.ERROR
    said = capfd.readouterr().err
    assert 'error: a2a Python, REST text: a2a-sdk\'s server differs in cancel: "other" there, nothing here' in said
    assert "error: a2a Python, REST ask_user answer: a2a-sdk's server no longer differs in tasks: " in said


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


def test_a_server_that_does_not_come_up_is_told(tmp_path: Path, reported: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: nothing was tried, so nothing was found."""
    reported(_right)

    def broken(*_: object, **__: object) -> object:
        raise DemoFailedError("a server did not come up: no")

    monkeypatch.setattr(working, "ServerProcess", broken)
    with pytest.raises(CommandMisuseError, match="did not come up"):
        lap(Asked(cache=tmp_path))
