"""Forms of the parts of stored values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import pytest
from hypothesis import given

from tests.codec.stored_values import halved
from treadle.codec import forms
from treadle.codec.foreign import in_json_terms
from treadle.codec.forms import Form, many, maybe, read_json, set_of, stored_bytes, tagged, value_of
from treadle.errors import MisuseError, RecordFormatError
from treadle.values.mappings import FrozenDict


class Colour(StrEnum):
    """A closed set of words."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two fields; they must differ."""

    left: int
    right: int | None = None

    def __post_init__(self) -> None:
        if self.left == self.right:
            raise ValueError("secret")


COLOUR = forms.choice(Colour)
PAIR = value_of(Pair, left=forms.COUNT, right=maybe(forms.COUNT))


@pytest.mark.parametrize(
    ("form", "value", "terms"),
    [
        (forms.TEXT, "a", "a"),
        (forms.TEXT, Colour.RED, "red"),
        (forms.COUNT, 2**70, 2**70),
        (forms.FLAG, True, True),
        (forms.NUMBER, 1.5, 1.5),
        (forms.NUMBER, 4, 4),
        (forms.NUMBER, math.inf, "inf"),
        (forms.NUMBER, -math.inf, "-inf"),
        (forms.BYTES, b"\x00\xff", "AP8="),
        (forms.JSON, (1, FrozenDict({"a": None})), (1, {"a": None})),
        (forms.MAPPING, FrozenDict({"a": 1}), {"a": 1}),
        (COLOUR, Colour.BLUE, "blue"),
        (maybe(COLOUR), None, None),
        (maybe(COLOUR), Colour.RED, "red"),
        (many(maybe(forms.COUNT)), (1, None), [1, None]),
        (set_of(forms.COUNT), frozenset({20, 3, 100}), [3, 20, 100]),
        (PAIR, Pair(left=1), {"left": 1, "right": None}),
    ],
)
def test_a_form_reads_what_it_writes(form: Form, value: object, terms: object) -> None:
    """Ours: each part by itself."""
    assert form.dump(value) == terms
    assert form.load(terms) == value


def test_a_number_that_is_none_is_written_as_its_word() -> None:
    """Ours: a NaN has no business in a log, and yet nothing is made of it."""
    assert forms.NUMBER.dump(math.nan) == "nan"
    assert math.isnan(forms.NUMBER.load("nan"))


@pytest.mark.parametrize(
    ("form", "terms"),
    [
        (forms.TEXT, 1),
        (forms.TEXT, None),
        (forms.COUNT, True),
        (forms.COUNT, 1.0),
        (forms.COUNT, "1"),
        (forms.FLAG, 1),
        (forms.NUMBER, True),
        (forms.NUMBER, "1"),
        (forms.NUMBER, None),
        (forms.BYTES, "AP8"),
        (forms.BYTES, "é"),
        (forms.BYTES, 1),
        (forms.MAPPING, []),
        (COLOUR, "green"),
        (COLOUR, []),
        (maybe(COLOUR), "green"),
        (many(forms.COUNT), {"0": 1}),
        (many(forms.COUNT), [1, "2"]),
        (set_of(forms.COUNT), [1, "2"]),
        (PAIR, []),
        (PAIR, {"left": 1}),
        (PAIR, {"left": 1, "right": 2, "more": 3}),
        (PAIR, {"left": 1, "right": "2"}),
        (PAIR, {"left": 1, "right": 1}),
    ],
)
def test_other_terms_are_refused_without_a_word_of_what_they_are(form: Form, terms: object) -> None:
    """Ours: what is read strictly cannot be half right."""
    with pytest.raises(RecordFormatError) as refused:
        form.load(terms)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("form", "value"), [(forms.TEXT, 1), (forms.COUNT, 1.0), (forms.COUNT, True), (forms.FLAG, 1), (forms.NUMBER, "x")]
)
def test_a_value_of_another_class_is_not_written(form: Form, value: object) -> None:
    """Ours: it could not be read again, and that is found when it is written."""
    with pytest.raises(MisuseError):
        form.dump(value)


def test_damage_is_told_with_its_place() -> None:
    """Ours: in a large entry nobody searches."""
    with pytest.raises(RecordFormatError, match=r"^1: pair: right: expected a whole number, not 'str'$"):
        many(tagged({"pair": (Pair, PAIR)})).load(
            [{"kind": "pair", "left": 1, "right": 2}, {"kind": "pair", "left": 1, "right": "x"}]
        )


@pytest.mark.parametrize("terms", [[], {}, {"kind": 1}, {"kind": []}, {"kind": "trio"}, {"kind": "pair", "left": 1}])
def test_a_kind_that_is_not_known_or_not_there_is_refused(terms: object) -> None:
    """Ours: what a kind does not say is not guessed from the fields."""
    with pytest.raises(RecordFormatError):
        tagged({"pair": (Pair, PAIR)}).load(terms)


@pytest.mark.parametrize("value", [{1, 2}, {1: 2}, {"a": [b"x"]}, math.nan, 2**2048, object(), Colour.RED])
def test_what_is_not_in_json_terms_is_written_as_foreign_values_are(value: object) -> None:
    """Ours: one stated form for each kind of value, in the log too."""
    assert not in_json_terms(value)
    assert in_json_terms(forms.JSON.dump(value))


@given(halved, halved)
@pytest.mark.requirement("REC-surrogates")
def test_bytes_are_made_of_any_text(key: str, text: str) -> None:
    """Ours: a half of a surrogate pair never stops a run from being stored."""
    mended = key.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    ((name, (item,)),) = read_json(stored_bytes({key: [text]})).items()
    assert name == mended
    assert item == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def test_keys_that_become_the_same_are_told_apart() -> None:
    """Ours: to mend a key loses no value."""
    assert read_json(stored_bytes(dict.fromkeys(("\ufffd", "\ud800", "\udfff"), 1))) == {
        "\ufffd": 1,
        "\ufffd\ufffd": 1,
        "\ufffd\ufffd\ufffd": 1,
    }


def test_keys_are_sorted_where_that_is_asked() -> None:
    """Ours: for digests; a log keeps the order that a model gave."""
    assert stored_bytes({"b": 1, "a": {"d": 1, "c": 2}}) == b'{"b":1,"a":{"d":1,"c":2}}'
    assert stored_bytes({"b": 1, "a": {"d": 1, "c": 2}}, order="sorted") == b'{"a":{"c":2,"d":1},"b":1}'
    assert stored_bytes({"b": "\ud800", "a": 1}, order="sorted") == '{"a":1,"b":"\ufffd"}'.encode()


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b"1" * 5000, b"1e999", None, 1])
def test_bytes_that_are_no_json_are_refused(body: bytes) -> None:
    """Ours: whatever a store gives back."""
    with pytest.raises(RecordFormatError):
        read_json(body)
