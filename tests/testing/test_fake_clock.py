"""A clock that moves when it is told to."""

from __future__ import annotations

import pytest

from treadle.testing.fake_clock import FakeClock


def test_time_stands_still_until_it_is_told_to_pass() -> None:
    """Both clocks move together (ours)."""
    clock = FakeClock(now_s=50.0)
    assert (clock.now_s(), clock.monotonic_s()) == (50.0, 0.0)
    clock.advance(2.5)
    clock.advance(0)
    assert (clock.now_s(), clock.monotonic_s()) == (52.5, 2.5)


def test_time_does_not_go_back() -> None:
    """A clock that ran backwards would hide what it is there to show (ours)."""
    with pytest.raises(ValueError, match="not -1"):
        FakeClock().advance(-1)
