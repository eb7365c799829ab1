"""The floor filter of the bench does what it is fast at."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from bench.fast_filter import TagFilter

_PIECES = ("hello ", '<MEMORY_EXTRACT>{"a":1}</MEMORY_EXTRACT>', "<b>", "[1]", "x<y ", "</MEMORY_EXTRACT>", "<", "<<")
_BLOCK = re.compile(r"<MEMORY_EXTRACT>.*?</MEMORY_EXTRACT>", re.DOTALL)


@given(st.lists(st.sampled_from(_PIECES), max_size=8).map("".join), st.lists(st.integers(1, 9), min_size=60))
def test_the_floor_filter_equals_a_pattern_over_the_whole_text(text: str, sizes: list[int]) -> None:
    """Ours: a floor that lost text would be no floor."""
    floor = TagFilter(("<MEMORY_EXTRACT>", "<GRAPH_OPERATIONS>"))
    shown, at = "", 0
    while at < len(text):
        size = sizes[at % len(sizes)]
        shown += floor.feed(text[at : at + size])
        at += size
    assert shown + floor.flush() == _BLOCK.sub("", text)
    assert floor.blocks == ['{"a":1}'] * len(_BLOCK.findall(text))
