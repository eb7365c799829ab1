"""What holds for every text and every way of cutting it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.text.cuts import by_kind, cut, expected, streamed, texts, with_halves
from tests.text.whole_text import PASSAGE
from treadle.framing.utf8 import Utf8Decoder

CHAINS = ["", "t", "T", "b", "c", "tb", "bc", "tbc", "ct"]
PLACES = st.lists(st.integers(0, 400), max_size=8)


@pytest.mark.parametrize("names", CHAINS)
@given(text=with_halves(), places=PLACES)
def test_where_the_text_is_cut_does_not_change_what_comes_out(names: str, text: str, places: list[int]) -> None:
    """Design §5: the same output for every way of cutting the input, equal to a whole-text reference."""
    assert streamed(names, cut(text, places)) == streamed(names, list(text)) == expected(names, text)
