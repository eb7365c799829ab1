"""The agent of the demos, and its script."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from treadle.app.agent import Agent
from treadle.cli.demos import loom
from treadle.cli.demos.server_process import STORE
from treadle.testing.virtual_time import run_virtually


def _ran(agent: Agent) -> tuple[str, list[str]]:
    async def run() -> tuple[str, list[str]]:
        result = await agent.run(loom.PROMPT)
        said = [outcome.status for message in result.messages for outcome in getattr(message, "outcomes", ())]
        return result.text, said

    return run_virtually(run())


def test_a_run_says_what_the_script_says() -> None:
    """docs/demos.md: what should come is known to the character, and both tools run."""
    assert _ran(loom.agent()) == (loom.TEXT, ["ok", "ok"])


def test_no_piece_reads_like_another() -> None:
    """Ours: what is lost or said twice is seen wherever it stood."""
    rows = loom.TEXT.splitlines()
    assert len(set(rows)) == len(rows) > 50


def test_its_server_keeps_its_runs_where_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/demos.md: a SQLite file in a temporary folder."""
    monkeypatch.setenv(STORE, str(tmp_path / "runs.db"))

    async def entered() -> None:
        async with loom.server() as server:
            assert await server.runner.runs() == []

    asyncio.run(entered())
    assert (tmp_path / "runs.db").is_file()
