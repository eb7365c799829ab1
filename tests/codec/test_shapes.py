"""Rows of tables that say how a value is written."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from treadle.codec.shapes import in_shape, own_form, shape
from treadle.values.calls import ToolStatus


@dataclass(frozen=True)
class Pair:
    """Two fields, and one that no row names."""

    word: str = "a"
    number: int = 1
    secret: str = "s3cret"


def test_a_value_is_written_by_the_fields_its_row_names_and_no_others() -> None:
    """Ours: a row is an allow-list."""
    row = shape("word", number=lambda number: number + 1)
    assert in_shape(Pair(), row) == {"word": "a", "number": 2}
    assert list(in_shape(Pair(), row)) == ["word", "number"]


def test_a_row_that_names_what_is_not_there_fails() -> None:
    """Ours: a table that does not fit its class is found by its first use."""
    with pytest.raises(AttributeError):
        in_shape(Pair(), shape("colour"))


@pytest.mark.parametrize(
    ("value", "form"),
    [("x", "x"), (ToolStatus.OK, "ok"), (3, 3), (1.5, 1.5), (True, True), (None, None), ("a\ud800", "a\ufffd")],
)
def test_words_numbers_and_none_are_written_as_json_has_them(value: str | float | None, form: object) -> None:
    """Ours: a choice is its word, half a surrogate pair is replaced."""
    assert own_form(value) == form
    assert type(own_form(value)) is type(form)
