"""The command `replay`: words to frames, and an exit code."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.cli.command import treadle
from tests.cli.stored_runs import fill
from treadle.cli.exits import ExitCode

pytestmark = pytest.mark.slow


@pytest.mark.requirement("CLI-replay")
def test_a_run_is_written_out_or_into_a_file(tmp_path: Path) -> None:
    """docs/cli.md: frames alone on stdout; from a store, a file and the input the same."""
    runs = asyncio.run(fill(tmp_path / "runs.db"))
    words = ("--as", "openai-chat", "--with", "include_usage=true")
    ran = treadle("replay", runs.done, *words, cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (ExitCode.DONE, "")
    assert ran.stdout.startswith('data: {"id":"chatcmpl-')
    assert ran.stdout.endswith("data: [DONE]\n\n")
    assert '"usage":{' in ran.stdout
    filed = treadle("replay", runs.done, *words, "--out", "frames", cwd=tmp_path)
    assert (filed.returncode, filed.stdout, (tmp_path / "frames").read_text()) == (0, "", ran.stdout)
    lines = treadle("export", runs.done, cwd=tmp_path).stdout
    assert treadle("replay", "-", *words, cwd=tmp_path, given=lines).stdout == ran.stdout


@pytest.mark.requirement("CLI-replay")
def test_what_cannot_be_replayed_is_one_line_and_a_code(tmp_path: Path) -> None:
    """docs/cli.md: exit codes as of the other commands; nothing is on stdout."""
    runs = asyncio.run(fill(tmp_path / "runs.db"))
    for words, code, said in (
        ((runs.done, "--as", "soap"), ExitCode.MISUSE, "no wire is called 'soap'"),
        (
            (runs.done, "--as", "agui", "--with", "model=x"),
            ExitCode.MISUSE,
            "agui knows no 'model'; it knows thread_id",
        ),
        ((runs.done, "--as", "agui", "--with", "x"), ExitCode.MISUSE, "--with takes NAME=VALUE"),
        ((runs.done, "--as", "agui", "--segment", "2"), ExitCode.MISUSE, "--segment 2"),
        ((runs.done,), ExitCode.MISUSE, "--as"),
        (("r_none", "--as", "agui"), ExitCode.ERROR, "run_not_found"),
        (("r_none", "--as", "agui", "--db", "none.db"), ExitCode.MISUSE, "is not there"),
    ):
        ran = treadle("replay", *words, cwd=tmp_path)
        assert (ran.returncode, ran.stdout) == (code, "")
        assert said in ran.stderr
        assert len(ran.stderr.splitlines()) == 1
