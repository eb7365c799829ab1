"""What a reader got against what there was, as counts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from treadle.cli.demos.counting import NO_DIFFERENCE, Counts, counted


@given(st.integers(1, 50), st.text())
def test_what_came_once_and_in_order_does_not_differ(events: int, text: str) -> None:
    """docs/demos.md: 0 missing, 0 repeated."""
    found = counted(range(events), text, expected=text)
    assert (found, found.is_clean) == (NO_DIFFERENCE, True)


@given(st.integers(3, 50), st.data())
def test_a_lost_and_a_repeated_event_are_counted(events: int, data: st.DataObject) -> None:
    """docs/demos.md: whichever it is, the last one apart, without which a reader has no end."""
    at = data.draw(st.integers(0, events - 2))
    lost = [index for index in range(events) if index != at]
    twice = sorted([*range(events), at])
    assert counted(lost, "", expected="") == Counts(missing_indexes=1)
    assert counted(twice, "", expected="") == Counts(repeated_indexes=1)
    assert not counted(lost, "", expected="").is_clean


def test_an_event_that_comes_late_was_missing_and_comes_again() -> None:
    """Ours: order is part of what was promised."""
    assert counted([0, 2, 1, 3], "", expected="") == Counts(missing_indexes=1, repeated_indexes=1)


@given(st.text(min_size=1, max_size=40), st.data())
def test_lost_and_repeated_characters_are_counted(text: str, data: st.DataObject) -> None:
    """docs/demos.md: a part that is left out is missing, a part that stands twice is repeated."""
    at = data.draw(st.integers(0, len(text) - 1))
    size = data.draw(st.integers(1, len(text) - at))
    part = text[at : at + size]
    assert counted([0], text[:at] + text[at + size :], expected=text) == Counts(missing_characters=size)
    assert counted([0], text[:at] + part + text[at:], expected=text) == Counts(repeated_characters=size)


def test_counts_are_added_and_said() -> None:
    """docs/demos.md: one line tells all four, over all runs."""
    both = Counts(missing_indexes=1, repeated_characters=2) + Counts(repeated_indexes=3, missing_characters=4)
    assert both.words == "indexes 1 missing, 3 repeated; characters 4 missing, 2 repeated"
