"""Ranges of whole numbers as grammars of their digits."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.adapters.models.local.as_pattern import pattern
from treadle.adapters.models.local.whole_numbers import WIDEST, whole_numbers

NUMBERS = st.integers(-WIDEST, WIDEST) | st.integers(-1200, 1200)
RANGES = st.tuples(NUMBERS, NUMBERS).map(sorted)


@given(bounds=RANGES, number=NUMBERS)
def test_a_number_has_a_text_in_the_grammar_exactly_when_it_is_in_the_range(bounds: list[int], number: int) -> None:
    """Ours: a bound of a schema holds while the model writes, not only when the tool checks."""
    least, most = bounds
    assert bool(pattern(whole_numbers(least, most)).fullmatch(str(number))) == (least <= number <= most)


@given(data=st.data(), bounds=RANGES)
def test_the_bounds_are_in_and_their_neighbours_are_out(data: st.DataObject, bounds: list[int]) -> None:
    """Ours: both bounds belong to the range; what is next to them does not."""
    least, most = bounds
    expression = pattern(whole_numbers(least, most))
    inside = data.draw(st.integers(least, most))
    assert all(expression.fullmatch(str(number)) for number in (least, inside, most))
    assert not any(expression.fullmatch(str(number)) for number in (least - 1, most + 1))


@given(data=st.data(), bounds=RANGES)
def test_every_text_of_the_grammar_is_a_number_of_the_range_in_its_one_spelling(
    data: st.DataObject, bounds: list[int]
) -> None:
    """RFC 8259: no leading zeros, no plus; ours: no negative zero either."""
    least, most = bounds
    text = data.draw(st.from_regex(re.compile(rf"\A{pattern(whole_numbers(least, most)).pattern}\Z")))
    assert str(int(text)) == text
    assert least <= int(text) <= most


def test_a_range_with_no_number_in_it_is_refused() -> None:
    """Ours: a grammar with no text would leave the model nothing to write."""
    with pytest.raises(ValueError, match="expected a range"):
        whole_numbers(3, 2)
