"""Tools: what holds for whatever a model says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from treadle.codec.foreign import json_value
from treadle.plan.tools import tool

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT | st.just("title"), inner, max_size=3),
    max_leaves=6,
)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
FITTING: dict[str, st.SearchStrategy[Any]] = {
    "number": st.integers(-(2**70), 2**70),
    "ratio": FINITE | st.integers(-(2**40), 2**40),
    "word": TEXT,
    "yes": st.booleans(),
    "many": st.lists(st.integers(), max_size=3),
    "named": st.dictionaries(TEXT, TEXT, max_size=3),
}
# At most one argument is anything at all: most of the rest is refused for it, and some runs.
MOSTLY_FITTING = st.sampled_from([*FITTING, "other", "book"]).flatmap(
    lambda odd: st.fixed_dictionaries({**FITTING, odd: JSON})
)


class _Book(BaseModel):
    title: str


@tool
def everything(
    *,
    number: int,
    ratio: float,
    word: str,
    yes: bool,
    many: list[int],
    named: dict[str, str],
    book: _Book | None = None,
) -> None:
    """Take one of each."""


KINDS = {"number": (int,), "ratio": (int, float), "word": (str,), "yes": (bool,), "many": (list,), "named": (dict,)}


@pytest.mark.requirement("TOOL-2")
@given(arguments=MOSTLY_FITTING | st.dictionaries(st.sampled_from([*FITTING, "book", "other"]), JSON))
def test_any_arguments_are_refused_in_words_or_are_of_the_declared_types(arguments: dict[str, Any]) -> None:
    """Nothing is raised, nothing is changed into another type, and refusals can be encoded (ours)."""
    checked = everything.check(json_value(arguments))
    if checked.damage is not None:
        checked.damage.encode()
        assert checked.keywords == {}
        return
    assert set(arguments) <= {*KINDS, "book"}
    assert set(checked.keywords) == {*KINDS, "book"}
    for name, kinds in KINDS.items():
        assert type(arguments[name]) in kinds
        assert checked.keywords[name] == arguments[name]


@given(arguments=st.fixed_dictionaries(FITTING, optional={"book": st.none() | st.builds(dict, title=TEXT)}))
def test_arguments_of_the_declared_types_fit(arguments: dict[str, Any]) -> None:
    """What the schema allows is not refused (ours)."""
    assert everything.check(json_value(arguments)).damage is None
