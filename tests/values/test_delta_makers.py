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

from treadle.values.delta_makers import text_delta, thinking, tool_arguments
from treadle.values.events import DeltaEvent, TextDelta, Thinking, ToolArguments
from treadle.values.ids import CallId, RunId

SPEECH = [(text_delta, TextDelta), (thinking, Thinking)]
RUN = RunId("r1")
MADE: list[DeltaEvent] = [
    text_delta(3, RUN, 2, "x"),
    thinking(3, RUN, 2, "x"),
    tool_arguments(3, RUN, CallId("c1"), "x"),
]


@given(st.integers(0), st.text(max_size=5), st.integers(1), st.text(min_size=1, max_size=5))
@pytest.mark.parametrize(("maker", "kind"), SPEECH)
def test_a_made_piece_of_speech_is_what_its_class_would_have_made(
    maker: Callable[..., DeltaEvent], kind: type[TextDelta], index: int, run: str, passage: int, text: str
) -> None:
    """Ours: a maker is cheaper, not different."""
    made = maker(index, RunId(run), passage, text)
    own = kind(index=index, run_id=RunId(run), passage=passage, text=text)
    assert type(made) is kind
    assert (made, hash(made), repr(made)) == (own, hash(own), repr(own))


@given(st.integers(0), st.text(max_size=5), st.text(max_size=5), st.text(min_size=1, max_size=5))
def test_a_made_piece_of_arguments_is_what_its_class_would_have_made(index: int, run: str, call: str, text: str) -> None:
    """Ours: a maker is cheaper, not different."""
    made = tool_arguments(index, RunId(run), CallId(call), text)
    own = ToolArguments(index=index, run_id=RunId(run), call_id=CallId(call), text=text)
    assert type(made) is ToolArguments
    assert (made, hash(made), repr(made)) == (own, hash(own), repr(own))


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
    "again", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value)), replace]
)
def test_a_copy_of_a_made_event_is_equal_to_it(made: DeltaEvent, again: Callable[[Any], Any]) -> None:
    """Ours: nothing of the twin is left in it."""
    assert again(made) == made
    assert type(again(made)) is type(made)


@pytest.mark.parametrize("kind", [TextDelta, Thinking, ToolArguments])
def test_a_twin_has_the_slots_of_its_event(kind: type[DeltaEvent]) -> None:
    """Ours: only with the same layout may the class be changed; a new field of an event comes here first."""
    twins = {TextDelta: ("index", "run_id", "passage", "text"), ToolArguments: ("index", "run_id", "call_id", "text")}
    assert tuple(field.name for field in fields(kind)) == twins.get(kind, twins[TextDelta])
