"""The command `serve`: words to a server, and an exit code."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

from tests.cli.command import treadle
from treadle.cli.commands import main
from treadle.cli.exits import ExitCode


def test_what_cannot_be_served_is_told_in_one_line(tmp_path: Path) -> None:
    """Issue: words and exit codes as of every command."""
    (tmp_path / "mine.py").write_text("import treadle\nnumber = 5\n")
    (tmp_path / "broken.py").write_text("def server():\n    return 1 / 0\n")
    twin = "Agent(name='one', model='scripted:one.script')"
    (tmp_path / "twins.py").write_text(f"from treadle import Agent\na = {twin}\nb = {twin}\n")
    (tmp_path / "one.script").write_text("text: hi\n")
    for words, said in (
        (["mine:number"], "must be an Agent, a list of them, a Server"),
        (["mine:nothing"], "has no 'nothing'"),
        (["mine.py:number"], "takes the name of a module"),
        (["mine"], "module 'mine' offers nothing to serve"),
        (["mine.py"], "not of a file: mine"),
        (["nowhere"], "no module named 'nowhere'"),
        (["mine:"], "must be MODULE:NAME"),
        (["broken"], "calling 'broken:server' failed: ZeroDivisionError"),
        (["twins"], "agents need different names"),
        (["mine:number", "--port", "99999"], "--port"),
    ):
        ran = treadle("serve", *words, cwd=tmp_path)
        assert (ran.returncode, ran.stdout) == (ExitCode.MISUSE, "")
        assert said in ran.stderr
        assert len(ran.stderr.splitlines()) == 1


def test_without_its_extra_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ours: the other commands need no server."""

    def missing(name: str) -> ModuleType:
        raise ModuleNotFoundError(f"No module named {name!r}", name="starlette")

    monkeypatch.setattr(importlib, "import_module", missing)
    assert main(["serve", "x:y"]) == ExitCode.MISUSE
    assert "-m pip install 'treadle[server]'" in capsys.readouterr().err
