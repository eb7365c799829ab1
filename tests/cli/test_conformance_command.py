"""The command `conformance`: words to a lap, and an exit code."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from tests.cli.command import treadle
from treadle.cli.commands import main
from treadle.cli.conformance.installing import cache_folder, is_installed
from treadle.cli.conformance.wires.table import WIRES
from treadle.cli.exits import ExitCode

pytestmark = pytest.mark.requirement("CONF-command")


@pytest.mark.slow
def test_the_plain_wire_is_held_against_its_readers(tmp_path: Path) -> None:
    """docs/cli.md: it needs nothing but this package, and every cell is tried over a real server."""
    ran = treadle("conformance", "plain", "--agent", "approval", "--cache", "cache", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (ExitCode.DONE, "")
    assert [line.split()[-2:] for line in ran.stdout.splitlines()] == [
        ["plain_client", "sse_probe"],
        ["paused", "done"],
        ["done", "n/a"],
        ["done", "n/a"],
    ]


@pytest.mark.slow
@pytest.mark.skipif(
    not is_installed(cache_folder(os.environ)), reason="platform: the official clients are not installed here"
)
@pytest.mark.parametrize("wire", WIRES)
def test_the_official_clients_find_nothing_wrong(tmp_path: Path, wire: str) -> None:
    """docs/matrix.md: one agent of each wire; `treadle conformance` tries them all."""
    caches = {"XDG_CACHE_HOME": str(cache_folder(os.environ).parent)}
    ran = treadle("conformance", wire, "--agent", "tool", cwd=tmp_path, env=caches)
    assert (ran.returncode, ran.stderr) == (ExitCode.DONE, "")


def test_words_that_name_nothing_are_told_in_one_line(tmp_path: Path) -> None:
    """docs/cli.md: exit 2."""
    for words in (["gopher"], ["--agent", "nobody"], ["plain", "--write", "x.md"]):
        ran = treadle("conformance", *words, cwd=tmp_path)
        assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (ExitCode.MISUSE, "", 1)


def test_without_its_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ours: the scripted agents are served."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert main(["conformance", "plain"]) == ExitCode.MISUSE
    assert "serving the scripted agents needs the module" in capsys.readouterr().err
