"""Integers that a reader of 64-bit floats would round."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.codec.foreign import json_text
from treadle.codec.safe_integers import LARGEST_SAFE, with_safe_integers
from treadle.values.mappings import FrozenDict, frozen

VALUES = st.recursive(
    st.none() | st.booleans() | st.text(max_size=3) | st.integers() | st.integers(-(2**60), 2**60),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def rounded(value: Any) -> Any:  # noqa: ANN401 (any JSON)
    """The value as a reader of floats has it."""
    return json.loads(json_text(value), parse_int=float)


def as_text(value: Any) -> Any:  # noqa: ANN401 (any JSON)
    """The value with every integer as text: what no reader can round."""
    if type(value) is int:
        return str(value)
    if isinstance(value, dict):
        return {key: as_text(item) for key, item in value.items()}
    return [as_text(item) for item in value] if isinstance(value, list | tuple) else value


def told(value: Any) -> Any:  # noqa: ANN401 (any JSON)
    """What a reader of floats makes of it, each number as its text."""
    if isinstance(value, float):
        return str(int(value))
    if isinstance(value, dict):
        return {key: told(item) for key, item in value.items()}
    return [told(item) for item in value] if isinstance(value, list | tuple) else value


@pytest.mark.requirement("SERVE-integers")
@given(VALUES)
def test_no_reader_rounds_what_is_said_safely(value: Any) -> None:  # noqa: ANN401 (any JSON)
    """Source: BR-188. A number or a text, every digit arrives."""
    assert told(rounded(with_safe_integers(value))) == as_text(value)


@pytest.mark.parametrize("number", [LARGEST_SAFE, -LARGEST_SAFE, 0, True, 1.5])
def test_what_is_exact_as_it_is_stays_a_number(number: float) -> None:
    """Ours: text only where it must be."""
    assert with_safe_integers([number]) == [number]


def test_what_is_not_changed_is_not_copied() -> None:
    """Ours: most values hold no such integer, and cost nothing."""
    kept: FrozenDict = frozen({"a": [1, {"b": 2}]})
    assert with_safe_integers(kept) is kept
    assert with_safe_integers(frozen({"a": 2**60, "b": kept}))["b"] is kept
