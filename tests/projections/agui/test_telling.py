"""What one client is told, as a value."""

from __future__ import annotations

from dataclasses import replace

from tests.projections.agui.tellings import TELLING


def test_two_that_are_told_the_same_compare_equal() -> None:
    """Ours: readers who are told the same share what is made for them."""
    assert replace(TELLING) == TELLING
    assert hash(replace(TELLING)) == hash(TELLING)
    assert replace(TELLING, run_id="other") != TELLING
