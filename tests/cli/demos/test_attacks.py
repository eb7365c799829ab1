"""The demonstration of approvals."""

from __future__ import annotations

import pytest

from treadle.cli.demos.attacks import Attack, Shown, shown


@pytest.mark.slow
@pytest.mark.requirement("PAUSE-refusals", "PAUSE-demo")
async def test_ten_attacks_are_refused_and_the_tool_runs_once() -> None:
    """Ours: each by its own refusal; the gated tool's counter is exactly 1."""
    found = await shown()
    assert [attack for attack in found.attacks if not attack.is_refused] == []
    assert (len(found.attacks), found.times_run, found.is_sound) == (10, 1, True)


@pytest.mark.parametrize(
    ("came", "times"), [("taken", 1), ("token_invalid", 0), ("token_invalid", 2)], ids=["through", "never", "twice"]
)
def test_a_demonstration_that_went_wrong_says_so(came: str, times: int) -> None:
    """Ours: it can fail."""
    attack = Attack(tried="a forged token", expected="token_invalid", came=came)
    assert not Shown(attacks=(attack,), times_run=times).is_sound
