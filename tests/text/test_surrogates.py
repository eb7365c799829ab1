"""Halves of surrogate pairs."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from treadle.framing.surrogates import whole_text
from treadle.text.surrogates import PairJoiner

HALVES = st.lists(st.sampled_from(["\ud83d", "\ude00", "a", "日", "😀"]), max_size=12).map("".join)


@given(text=HALVES, size=st.integers(1, 3))
def test_pairs_are_joined_however_they_are_cut(text: str, size: int) -> None:
    """Design §5: half a pair waits for its other half, or is replaced; the rest is as it was."""
    pair = re.compile("[\ud800-\udbff][\udc00-\udfff]")
    whole = re.sub("[\ud800-\udfff]", "\ufffd", pair.sub("😀", text))
    joiner = PairJoiner()
    pieces = [joiner.feed(text[at : at + size]) for at in range(0, len(text), size)]
    assert "".join(pieces) + joiner.flush() == whole_text(text) == whole
    assert joiner.flush() == ""


def test_a_first_half_is_all_that_is_held() -> None:
    """Ours: it makes the filter busy, a second half does not."""
    joiner = PairJoiner()
    assert (joiner.feed("a\ud83d"), joiner.busy) == ("a", True)
    assert (joiner.feed("\ude00\ude00"), joiner.busy) == ("😀\ufffd", False)
