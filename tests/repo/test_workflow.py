"""The commands that people are told are the commands there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.repo.rules.tree import ROOT

FENCE = re.compile(r"^```(?:console|sh|bash|shell)\n(.*?)^```", re.MULTILINE | re.DOTALL)
TOLD_IN = [path for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")] if path.is_file()]


def make_targets(makefile: str) -> set[str]:
    """List the targets of a Makefile that a person may name."""
    return set(re.findall(r"^([a-z]+):(?!=)", makefile, re.MULTILINE))


def told_targets(text: str) -> set[str]:
    """List the make targets that a page tells its reader to run, in fences and between backticks."""
    fenced = "\n".join(FENCE.findall(text))
    return set(re.findall(r"^(?:\$ )?(?:[A-Z]\w*=\S+ )*make ([a-z]+)", fenced, re.MULTILINE)) | set(
        re.findall(r"`(?:[A-Z]\w*=\S+ )*make ([a-z]+)[^`\n]*`", text)
    )


@pytest.mark.parametrize("page", TOLD_IN, ids=lambda path: path.name)
def test_every_command_a_page_tells_is_there(page: Path) -> None:
    """Ours: a newcomer types what is written."""
    targets = make_targets((ROOT / "Makefile").read_text(encoding="utf-8"))
    assert told_targets(page.read_text(encoding="utf-8")) - targets == set()


def test_the_readme_tells_the_two_commands() -> None:
    """Ours: one to see it work, one to see that it works."""
    assert {"demo", "test"} <= told_targets((ROOT / "README.md").read_text(encoding="utf-8"))


def test_ci_runs_the_readmes_test_command_and_the_rest_of_the_check() -> None:
    """Ours: what is checked before a change lands is what a contributor can run."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.findall(r"^make (\w+)", script, re.MULTILINE) == ["test", "rest", "soak"]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_a_command_that_is_not_there_is_found() -> None:
    """Ours: the rule can fail."""
    page = "Run `make demo` or\n\n```console\n$ make tests\nPYTHON=python3.12 make setup\n```\n"
    assert told_targets(page) == {"demo", "tests", "setup"}
    assert make_targets("setup: a  ## b\nVENV := c\n\t@make\ndemo:\n") == {"setup", "demo"}


def test_every_target_that_helps_is_explained() -> None:
    """Ours: `make help` is the list of commands, so what a person may run is in it."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    explained = set(re.findall(r"^([a-z]+):.*## ", makefile, re.MULTILINE))
    asked = "help setup demo test check quick soak bench golden api fix lock build smoke"
    assert set(asked.split()) <= explained
