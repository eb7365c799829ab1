"""The reading of argument texts, one fact a test."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.kernel.call_arguments import (
    MAX_NESTING,
    ObjectExtent,
    begins_object,
    is_blank,
    read_arguments,
)

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=4), _JSON, max_size=3)


def _nested(levels: int) -> str:
    return '{"a":' * (levels - 1) + "{}" + "}" * (levels - 1)


@pytest.mark.requirement("BR-043")
@pytest.mark.parametrize("text", ["", " ", "\n\t \r", "null", " null "])
def test_nothing_is_no_arguments(text: str) -> None:
    """A tool without parameters is called with whatever a provider sends for nothing (field report)."""
    assert read_arguments(text) == ({}, None)


@pytest.mark.requirement("BR-044")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"t": "x', "not one JSON object"),
        ('{"t": tea}', "not one JSON object"),
        ('{"t": 1}{"t": 1}', "not one JSON object"),
        ('{"t": "teapot"}ot"}', "not one JSON object"),
        ("{'t': 1}", "not one JSON object"),
        ('{"t": 1,}', "not one JSON object"),
        ('{"t": "a\nb"}', "not one JSON object"),
        ("\ufeff{}", "not one JSON object"),
        ('["t"]', "not a list"),
        ('"t"', "not a text"),
        ("true", "not a boolean"),
        ("1", "not a number"),
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"a": [-Infinity]}', "-Infinity is not JSON"),
        ('{"a": 1e999}', "too large"),
        ('{"a": ' + "9" * 601 + "}", "more than 600 digits"),
    ],
)
def test_what_is_not_one_json_object_is_damage_and_never_repaired(text: str, words: str) -> None:
    """No value is guessed; the words are for the model, which may try again (field report, ours)."""
    arguments, damage = read_arguments(text)
    assert arguments == {}
    assert words in (damage or "")


def test_integers_are_exact() -> None:
    """An id of 64 bits or more keeps its last digits (ours)."""
    number = 2**200 + 1
    assert read_arguments(json.dumps({"id": number})) == ({"id": number}, None)


@pytest.mark.requirement("BR-186")
def test_half_a_surrogate_pair_is_replaced_in_keys_and_in_values() -> None:
    """What cannot be encoded would break the log and the next request (field report)."""
    text = '{"a\\ud83d": ["\\uDE00", {"b": "\\ud83d\\ude00"}], "n": 1}'
    assert read_arguments(text) == ({"a\ufffd": ["\ufffd", {"b": "😀"}], "n": 1}, None)


def test_nesting_is_bounded_without_an_exception() -> None:
    """Ten thousand brackets are damage, as is one level too many; brackets inside texts are not nesting (ours)."""
    assert read_arguments(_nested(MAX_NESTING))[1] is None
    assert "deeper" in (read_arguments(_nested(MAX_NESTING + 1))[1] or "")
    assert "deeper" in (read_arguments('{"a":' + "[" * 10_000)[1] or "")
    assert read_arguments(json.dumps({"a": "[{" * 1000}))[1] is None


@pytest.mark.slow
@given(value=OBJECTS)
def test_an_object_comes_back_as_it_was_written(value: dict[str, object]) -> None:
    """Whole JSON is read, in either way of writing non-ASCII characters (ours)."""
    for ascii_only in (True, False):
        text = json.dumps(value, ensure_ascii=ascii_only)
        assert read_arguments(text) == (json.loads(text), None)


@given(text=st.text(st.sampled_from('{}[]":\\,aue1 \ud83d'), max_size=30))
def test_no_text_makes_it_raise(text: str) -> None:
    """Either arguments or damage, never both (ours)."""
    arguments, damage = read_arguments(text)
    assert damage is None or arguments == {}


@pytest.mark.slow
@given(value=OBJECTS, cuts=st.lists(st.integers(0, 200), max_size=6))
def test_an_object_has_ended_at_its_last_bracket_and_not_before(value: dict[str, object], cuts: list[int]) -> None:
    """However its text is cut, the extent is whole exactly when all of it has come (ours)."""
    text = json.dumps(value)
    extent = ObjectExtent()
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    for start, end in pairwise(edges):
        assert not extent.whole
        extent.feed(text[start:end])
    extent.feed("")
    assert extent.whole


def test_an_escaped_quote_cut_from_its_backslash_ends_no_text() -> None:
    """The cut must not change where the object ends (ours)."""
    extent = ObjectExtent()
    for piece in ('{"a":"x\\', '"}', '"'):
        extent.feed(piece)
        assert not extent.whole
    extent.feed("}")
    assert extent.whole


def test_blanks_and_beginnings() -> None:
    """JSON's own four blanks and no others (RFC 8259)."""
    assert [is_blank(text) for text in ("", " \t\r\n", "\xa0", "{")] == [True, True, False, False]
    assert [begins_object(text) for text in ("", " \n{", "x{", "{")] == [False, True, False, True]
