"""The demonstration of approvals, told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from treadle.cli.demos import approvals as module
from treadle.cli.demos.approvals import approvals, problems
from treadle.cli.demos.attacks import Attack, Shown
from treadle.cli.demos.outcome import Teller

FORGED = Attack(tried="a forged token", expected="token_invalid", came="token_invalid")
THROUGH = Attack(tried="a forged token", expected="token_invalid", came="taken")


@pytest.mark.parametrize(("attack", "times"), [(FORGED, 1), (THROUGH, 1), (FORGED, 2)])
@pytest.mark.parametrize("for_scripts", [False, True])
def test_each_attack_is_told_and_the_last_line_says_whether_all_held(
    attack: Attack,
    times: int,
    for_scripts: bool,  # noqa: FBT001 (a case)
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """docs/demos.md: what was tried, what it came to; `broken` is empty where the promise was kept."""

    async def found() -> Shown:
        return Shown(attacks=(attack,), times_run=times)

    monkeypatch.setattr(module, "shown", found)
    lines: list[str] = []
    broken = approvals(folder=tmp_path, teller=Teller(demo="approvals", write=lines.append, for_scripts=for_scripts))
    assert (broken == []) is (attack is FORGED and times == 1)
    assert broken == problems(Shown(attacks=(attack,), times_run=times))
    assert len(lines) == 2
    if for_scripts:
        assert json.loads(lines[-1])["broken"] == broken
