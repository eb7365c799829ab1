"""The server of the slow reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from treadle.cli.demos import flood
from treadle.cli.demos.server_process import STORE
from treadle.testing.virtual_time import run_virtually


def test_it_says_all_its_pieces_past_the_limits_of_an_agent() -> None:
    """docs/demos.md: megabytes of text, none of it twice."""
    said = list(flood.pieces())

    async def run() -> str:
        return (await flood.agent().run(flood.PROMPT)).text

    assert run_virtually(run()) == "".join(said)
    assert len(set(said)) == len(said) == flood.PIECES


def test_its_server_has_the_store_of_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: nothing is opened before the server is entered."""
    monkeypatch.setenv(STORE, str(tmp_path / "runs.db"))
    assert flood.server().readers == 0
    assert list(tmp_path.iterdir()) == []
