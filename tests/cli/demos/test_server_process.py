"""A server in a process of its own, from its start to SIGKILL."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.demos.showing import PROGRAMS
from treadle.cli.demos.outcome import DemoFailedError
from treadle.cli.demos.reader import asked
from treadle.cli.demos.server_process import STORE, ListeningProcess, ServerProcess, place_of_store
from treadle.cli.store_choice import VARIABLE


@pytest.mark.slow
def test_a_server_answers_until_it_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/demos.md: on a free port, over a file in its folder; a store that the user has named is left alone."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "other.db"))
    with ServerProcess("treadle.cli.demos.loom:server", folder=tmp_path) as server:
        assert asked(server.url, "/v1/runs")["runs"] == []
        assert not server.has_ended
        server.kill()
        assert server.has_ended
        assert server.last_words == f"serving at {server.url}"
        with pytest.raises(DemoFailedError):
            asked(server.url, "/v1/runs")
    assert (tmp_path / "runs.db").is_file()
    assert not (tmp_path / "other.db").exists()


@pytest.mark.slow
def test_a_server_that_does_not_come_up_is_told_in_its_own_words(tmp_path: Path) -> None:
    """docs/demos.md: the demo could not look, and says why."""
    with (
        pytest.raises(DemoFailedError, match="must be an Agent"),
        ServerProcess(f"{PROGRAMS}:ends_at_once", folder=tmp_path),
    ):
        pass


def test_another_program_may_listen_if_it_says_where(tmp_path: Path) -> None:
    """Ours: `serving at URL` is all that is asked of it."""
    program = "import threading; print('serving at http://127.0.0.1:1', flush=True); threading.Event().wait()"
    with ListeningProcess([sys.executable, "-c", program], folder=tmp_path) as other:
        assert other.url == "http://127.0.0.1:1"
    assert other.has_ended
    with (
        pytest.raises(DemoFailedError, match="no port"),
        ListeningProcess([sys.executable, "-c", "raise SystemExit('no port')"], folder=tmp_path),
    ):
        pass


def test_the_place_of_the_store_is_told_by_whoever_starts_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a program of a demo keeps its runs where the demo looks for them."""
    monkeypatch.setenv(STORE, "/a/b.db")
    assert place_of_store() == "sqlite:////a/b.db"
