"""Marks as they are made."""

from __future__ import annotations

import pytest

from treadle.adapters.traces.marking import Marking, OpenSegment
from treadle.adapters.traces.spans import SpanEnded, SpanOpened
from treadle.values.ids import RunId, ThreadId


def marking() -> Marking:
    """The marks of a run at second 5."""
    made = Marking(run_id=RunId("r1"), content=False)
    made.tick(5.0)
    return made


@pytest.mark.parametrize("at_s", [4.0, float("nan"), float("inf"), float("-inf")])
def test_time_never_goes_back_and_no_strange_number_moves_it(at_s: float) -> None:
    """Ours: spans of two workers' clocks are still in order."""
    made = marking()
    made.tick(at_s)
    assert made.now_s == 5.0


def test_marks_are_taken_once_and_keys_go_on() -> None:
    """Ours: a segment, a span in it, their ends, in the order in which they were made."""
    made = marking()
    made.open_segment("s", {"a": None}, follows=7)
    assert made.segment == OpenSegment(key=1, began_s=5.0)
    assert made.taken() == [SpanOpened(key=1, name="s", at_s=5.0, attributes={}, follows=7)]
    assert made.taken() == []
    key = made.open_within("c", {"b": 1}, at_s=5.5, is_client=True)
    made.end(key, {"c": 2}, at_s=6.0, failure="length")
    made.end(1, {})
    assert made.taken() == [
        SpanOpened(key=2, name="c", at_s=5.5, attributes={"b": 1}, parent=1, is_client=True),
        SpanEnded(key=2, at_s=6.0, attributes={"c": 2}, failure="length"),
        SpanEnded(key=1, at_s=5.0, attributes={}),
    ]


def test_every_span_says_whose_it_is() -> None:
    """Ours: agent, thread and run, as far as they are known."""
    made = marking()
    made.agent, made.thread = "a", ThreadId("t1")
    assert made.whose() == {
        "gen_ai.agent.name": "a",
        "gen_ai.conversation.id": "t1",
        "treadle.run_id": "r1",
    }
