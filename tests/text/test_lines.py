"""What stands before a place on its line."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from treadle.text.lines import line_start, only_blanks


@given(texts=st.lists(st.text("a \t\r\n", max_size=5)))
def test_the_answer_is_the_same_in_one_step_or_many(texts: list[str]) -> None:
    """Ours: known so far and the text that follows are all it takes; a passage begins a line."""
    blank = start = True
    for text in texts:
        blank, start = only_blanks(blank, text), line_start(start, text)
    line = re.split("[\r\n]", "".join(texts))[-1]
    assert (blank, start) == (not line.strip(" \t"), not line)
