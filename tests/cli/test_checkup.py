"""The checks of this machine, as people read them."""

from __future__ import annotations

import pytest

from treadle.app.doctor import Check
from treadle.cli.checkup import report, verdict
from treadle.cli.exits import ExitCode

FINE = Check(name="python", ok=True, says="Python three", essential=True)
MISSING = Check(name="a key", ok=False, says="not set", fix="set it")
BROKEN = Check(name="core", ok=False, says="missing: all of it", fix="install it", essential=True)


def test_each_check_is_a_line_and_each_that_is_not_fine_has_its_fix() -> None:
    """docs/cli.md: what is missing is told apart from what nothing works without."""
    assert report([FINE, MISSING, BROKEN], terminal=False).splitlines() == [
        "ok   python  Python three",
        "no   a key   not set",
        "             fix: set it",
        "FAIL core    missing: all of it",
        "             fix: install it",
    ]


def test_what_a_check_says_commands_no_terminal() -> None:
    """Ours: the names of packages and processors are foreign text too."""
    assert "\x1b]0;" not in report([Check(name="x", ok=True, says="\x1b]0;owned\x07")], terminal=True)


@pytest.mark.parametrize(
    ("checks", "code"),
    [([], ExitCode.DONE), ([FINE, MISSING], ExitCode.DONE), ([FINE, MISSING, BROKEN], ExitCode.ERROR)],
)
def test_only_what_is_essential_decides_the_exit_code(checks: list[Check], code: ExitCode) -> None:
    """docs/cli.md: 1 if an essential check failed."""
    assert verdict(checks) is code
