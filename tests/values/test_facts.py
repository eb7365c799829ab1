"""What a run must remember."""

from __future__ import annotations

from dataclasses import fields
from typing import get_args

import pytest

from treadle.values.events import EVENT_TYPES
from treadle.values.facts import FACT_TYPES, Ending, Fact


def test_the_tuple_of_classes_and_the_union_are_one() -> None:
    """Ours: a table that is total over the tuple is total over the union."""
    assert get_args(Fact) == FACT_TYPES


def test_no_fact_has_the_kind_of_another_or_of_an_event() -> None:
    """Ours: both stand in one log, and a stored entry is known by its kind."""
    kinds = [kind.kind for kind in (*FACT_TYPES, *EVENT_TYPES)]
    assert len(set(kinds)) == len(kinds)


def test_an_ending_stops_what_runs_unless_it_says_otherwise() -> None:
    """Ours: a cancel, a deadline and a fault stop calls; a limit that the model ran into lets them end."""
    assert Ending(code=None, termination="cancelled").stops


@pytest.mark.parametrize("kind", FACT_TYPES, ids=lambda kind: kind.kind)
def test_a_fact_has_no_index(kind: type[Fact]) -> None:
    """Ours: only events are counted for readers, so a fact leaves no hole."""
    assert not {"index", "run_id"} & {field.name for field in fields(kind)}
