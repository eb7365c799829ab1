"""Scenarios and their short makers."""

from __future__ import annotations

import pytest

from treadle.errors import PlanError
from treadle.testing.faults.scenario import Expected, Scenario, attempts, call, calls, counts, reply, say, stream, think
from treadle.testing.faults.steps import Calls, Counts, Done, Fragment, Reply, RoleOnly, Text, Think, Turn


def test_a_scenario_needs_a_turn_and_a_code_for_an_error_alone() -> None:
    """Legal if it exists (ours)."""
    with pytest.raises(PlanError) as caught:
        Scenario(name="x", says="", turns=(), expected=Expected(outcome="done", code="length"))
    assert len(caught.value.problems) == 2
    with pytest.raises(PlanError):
        Scenario(name="x", says="", turns=(stream(),), expected=Expected(outcome="error"))


def test_makers_say_in_a_line_what_values_say_in_many() -> None:
    """Steps and groups of steps are laid out flat, in order (ours)."""
    piece = Fragment(index=0, name="ping")
    made = attempts(reply(say("a", "b"), think("c"), calls(piece), call(piece, piece), Done(), write_bytes=3))
    steps = (
        Text(text="a"),
        Text(text="b"),
        Think(text="c"),
        Calls(fragments=(piece,)),
        Calls(fragments=(piece, piece)),
        Done(),
    )
    assert made == Turn(replies=(Reply(steps=steps, write_bytes=3),))
    assert stream(Done()) == Turn(replies=(Reply(steps=(RoleOnly(), Done())),))
    assert counts(2, 3) == Counts(input_tokens=2, output_tokens=3, total_tokens=5)
