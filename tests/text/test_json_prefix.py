"""Text that may be the beginning of JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.text.whole_text import json_beginning
from treadle.text.json_prefix import JsonPrefix
from treadle.text.operations import MAX_DEPTH

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text('a<"\\/\n\x01é', max_size=4)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text("ab<", max_size=2), inner, max_size=3)
    ),
    max_leaves=12,
)
TOKENS = st.lists(st.sampled_from([*'[]{}:,"\\ \n`a<', "tr", "12", '"k":', "x", "\x01", "\\n"]), max_size=12)


def taken(pieces: list[str]) -> tuple[int, bool]:
    """How much is taken of pieces in a row, and whether it ended in a string."""
    prefix, count = JsonPrefix(), 0
    for piece in pieces:
        size = prefix.feed(piece)
        count += size
        if size < len(piece):
            break
    return count, prefix.in_string


@given(value=JSON, place=st.integers(0, 400), indent=st.sampled_from([None, 1]))
def test_every_beginning_of_json_is_one(value: object, place: int, indent: int | None) -> None:
    """Ours: whatever JSON it is and wherever it ends so far."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)[:place]
    assert taken([text])[0] == len(text)


@given(tokens=TOKENS)
def test_it_stops_where_json_cannot_go_on(tokens: list[str]) -> None:
    """Ours: the same in one piece and in many, and by completing what was taken."""
    text = "".join(tokens)
    count, in_string = taken([text])
    assert (count, in_string) == taken(list(text)) == taken(tokens)
    assert json_beginning(text[:count]) == (in_string, not in_string)
    if count < len(text):
        assert json_beginning(text[: count + 1]) == (False, False)


@pytest.mark.parametrize("text", ["[1,]", '{"a"}', '{"a":}', "[}", "{1", "{,", '{"a":1 "', "1 2", "[]]", ",", "`"])
def test_what_json_cannot_have_stops_it_at_the_sign(text: str) -> None:
    """Ours: the grammar, one slip each; the last sign is the one."""
    assert taken([text]) == (len(text) - 1, False)
    assert json_beginning(text) == (False, False) or text.endswith('"')


@pytest.mark.parametrize("text", ["[" * MAX_DEPTH, '{"a":' * MAX_DEPTH])
def test_nesting_is_bounded(text: str) -> None:
    """Ours: as deep as is read, and no deeper."""
    assert taken([text]) == (len(text), False)
    assert taken([text + "["]) == (len(text), False)
