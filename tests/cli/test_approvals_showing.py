"""The demonstration of approvals, told."""

from __future__ import annotations

import pytest

from treadle.app.approvals_demo import Attack, Shown
from treadle.cli import approvals_showing
from treadle.cli.approvals_showing import SHOWS, UNSOUND, show_approvals, told
from treadle.cli.exits import ExitCode

FORGED = Attack(tried="a forged token", expected="token_invalid", came="token_invalid")
THROUGH = Attack(tried="a forged token", expected="token_invalid", came="taken")


def test_each_attack_is_a_line_and_the_count_is_the_last() -> None:
    """docs/cli.md: what was tried, and what it was refused with."""
    lines = told(Shown(attacks=(FORGED, THROUGH), times_run=1)).splitlines()
    assert [line.split()[0] for line in lines] == ["refused", "FAILED", "the"]
    assert lines[-1] == "the tool ran 1 time"
    assert told(Shown(attacks=(), times_run=2)) == "the tool ran 2 times\n"


@pytest.mark.parametrize(("attack", "code"), [(FORGED, ExitCode.DONE), (THROUGH, ExitCode.ERROR)])
def test_the_exit_code_says_whether_all_were_refused(
    attack: Attack, code: ExitCode, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """docs/cli.md: 0 where every attack was refused and the tool ran once, else 1."""

    async def found() -> Shown:
        return Shown(attacks=(attack,), times_run=1)

    monkeypatch.setattr(approvals_showing, "shown", found)
    assert show_approvals() is code
    said = capfd.readouterr()
    assert said.err.splitlines()[0] == SHOWS
    assert (UNSOUND in said.err) is (code is ExitCode.ERROR)
