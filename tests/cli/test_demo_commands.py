"""The command `demo` and its subcommands: what they exit with, and what they are told."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.cli.command import treadle
from treadle.cli import demo_commands
from treadle.cli.commands import main
from treadle.cli.demo_commands import check_installed, shown
from treadle.cli.demos.outcome import DemoFailedError, Teller
from treadle.cli.demos.tab import AWAY
from treadle.cli.exits import CommandMisuseError, ExitCode

pytestmark = pytest.mark.requirement("DEMO-verdict")


def _demo(monkeypatch: pytest.MonkeyPatch, name: str, demo: Callable[..., list[str]]) -> None:
    """Put a demo of this name in the place of the real one."""
    module = ModuleType(name)
    setattr(module, name, demo)
    monkeypatch.setitem(sys.modules, f"treadle.cli.demos.{name}", module)


def test_a_kept_promise_is_done_and_a_broken_one_an_error(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """docs/demos.md: what it did and found on stdout, what is broken on stderr, and nothing left of its folder."""
    folders: list[Path] = []

    def demo(*, folder: Path, teller: Teller, broken: list[str]) -> list[str]:
        folders.append(folder)
        assert folder.is_dir()
        teller.tell("looked", looked=1)
        return broken

    _demo(monkeypatch, "tab", demo)
    assert shown("tab", json=False, broken=[]) is ExitCode.DONE
    assert capfd.readouterr() == ("looked\n", "")
    assert shown("tab", json=True, broken=["one is missing", "two is"]) is ExitCode.ERROR
    said = capfd.readouterr()
    assert json.loads(said.out) == {"demo": "tab", "looked": 1}
    assert said.err.splitlines() == [
        "error: the promise is broken: one is missing",
        "error: the promise is broken: two is",
    ]
    assert not any(folder.exists() for folder in folders)


def test_a_demo_that_cannot_go_on_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """docs/demos.md: what could not be looked at was not kept."""

    def demo(*, folder: Path, teller: Teller) -> list[str]:
        teller.tell(f"{folder.name.partition('-')[0]}")
        raise DemoFailedError("a server did not come up")

    _demo(monkeypatch, "slow", demo)
    assert main(["demo", "slow"]) == ExitCode.ERROR
    assert capfd.readouterr() == ("treadle\n", "error: the demo could not go on: a server did not come up\n")


def test_rounds_and_seed_are_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/demos.md: a seed of its own where none is given, so that no two demos kill at the same points."""
    asked: list[tuple[int, int]] = []

    def demo(*, folder: Path, teller: Teller, rounds: int, seed: int) -> list[str]:
        assert (folder.is_dir(), teller.for_scripts) == (True, False)
        asked.append((rounds, seed))
        return []

    _demo(monkeypatch, "kill9", demo)
    assert main(["demo", "kill9", "--rounds", "7", "--seed", "42"]) == ExitCode.DONE
    assert main(["demo", "kill9"]) == main(["demo", "kill9"]) == ExitCode.DONE
    assert asked[0] == (7, 42)
    assert {rounds for rounds, _ in asked[1:]} == {demo_commands.ROUNDS}
    assert all(0 <= seed < demo_commands.SEEDS for _, seed in asked[1:])


def test_an_extra_that_is_missing_is_a_misuse_with_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/demos.md: the module, and the command that installs it; nothing is started."""
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "openai" else real(name))
    check_installed("server")
    with pytest.raises(CommandMisuseError, match=r"'openai'; install: .* -m pip install 'treadle\[openai\]'"):
        check_installed("openai")
    assert main(["demo", "truncate"]) == ExitCode.MISUSE


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["demo", "--json", "tab"], "treadle: options of a demo stand behind its name: treadle demo tab --json\n"),
        (["demo", "kill9", "--rounds", "0"], "see 'treadle demo kill9 --help'\n"),
        (["demo", "kill"], "see 'treadle demo --help'\n"),
        (["demo", "--json", "--events"], "treadle: --json and --events cannot be given together\n"),
    ],
)
def test_what_no_demo_takes_is_a_misuse(words: list[str], told: str, capfd: pytest.CaptureFixture[str]) -> None:
    """docs/cli.md: one line on stderr, nothing on stdout, exit 2."""
    assert main(words) == ExitCode.MISUSE
    said = capfd.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert said.err.endswith(told)


@pytest.mark.slow
@pytest.mark.requirement("DEMO-tab")
def test_the_command_shows_a_promise(tmp_path: Path) -> None:
    """docs/demos.md: in a process of its own, with servers of its own, whatever the folder it is started in."""
    ran = treadle("demo", "tab", "--json", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    _, away, last = map(json.loads, ran.stdout.splitlines())
    assert away["events_while_away"] >= AWAY
    assert (last["broken"], last["state"], last["missing_characters"], last["repeated_indexes"]) == ([], "done", 0, 0)
    assert list(tmp_path.iterdir()) == []
