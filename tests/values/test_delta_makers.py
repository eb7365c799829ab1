"""Makers of delta events."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.values.delta_makers import text_deltas, thinkings, tool_arguments
from treadle.values.events import DeltaEvent, TextDelta, Thinking, ToolArguments
from treadle.values.ids import CallId, RunId

RUN = RunId("r1")
# A maker, the class it makes, and the field that says which passage or call a piece belongs to, with a value for it.
Row = tuple[Callable[..., list[Any]], type[DeltaEvent], str, Any]

MAKERS: list[Row] = [
    (text_deltas, TextDelta, "passage", 2),
    (thinkings, Thinking, "passage", 2),
    (tool_arguments, ToolArguments, "call_id", CallId("c1")),
]
EACH_MAKER = pytest.mark.parametrize("row", MAKERS, ids=[row[1].kind for row in MAKERS])
MADE: list[Any] = [maker(3, RUN, value, ["x"])[0] for maker, _, _, value in MAKERS]


@EACH_MAKER
@given(st.integers(0, 2**40), st.text(max_size=5), st.lists(st.text(min_size=1, max_size=5), max_size=5))
def test_what_is_made_is_what_the_class_would_have_made(
    row: Row,
    first: int,
    run: str,
    texts: list[str],
) -> None:
    """Ours: a maker is cheaper, not different: one event a text, counted on from the first."""
    maker, kind, key, value = row
    made = maker(first, RunId(run), value, texts)
    own = [kind(index=index, run_id=RunId(run), text=text, **{key: value}) for index, text in enumerate(texts, first)]
    assert [type(one) for one in made] == [kind] * len(texts)
    assert (made, [hash(one) for one in made], repr(made)) == (own, [hash(one) for one in own], repr(own))


@pytest.mark.parametrize("made", MADE, ids=lambda made: made.kind)
def test_a_made_event_is_frozen(made: DeltaEvent) -> None:
    """Ours: readers share it, so none may change it, by whatever name."""
    for name in [*(field.name for field in fields(made)), "other"]:
        with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
            setattr(made, name, "y")
        with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
            delattr(made, name)
    assert not hasattr(made, "__dict__")
    assert made.text == "x"


@pytest.mark.parametrize("made", MADE, ids=lambda made: made.kind)
@pytest.mark.parametrize(
    "again",
    [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value)), replace],
    ids=["copy", "deep copy", "pickle", "replace"],
)
def test_a_copy_of_a_made_event_is_equal_to_it(made: DeltaEvent, again: Callable[[Any], Any]) -> None:
    """Ours: nothing of the twin is left in it."""
    assert again(made) == made
    assert type(again(made)) is type(made)


@EACH_MAKER
def test_a_maker_fills_every_field_of_its_event(
    row: Row,
) -> None:
    """Ours: only with the same layout may a class be changed; a new field of an event comes to its maker first."""
    maker, kind, key, value = row
    (made,) = maker(3, RUN, value, ["x"])
    assert {field.name: getattr(made, field.name) for field in fields(kind)} == {
        "index": 3,
        "run_id": RUN,
        key: value,
        "text": "x",
    }
