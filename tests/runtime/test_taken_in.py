"""Calls as they are taken in from a model's adapter."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from treadle.runtime.taken_in import NOT_TOLD, taken_in, turn_taken_in
from treadle.values.calls import ToolRequest
from treadle.values.model import ModelTurn


def request(damage: str | None = None, **arguments: Any) -> ToolRequest:  # noqa: ANN401 (arguments are anything)
    """A call with these arguments."""
    return ToolRequest(name="t", arguments=arguments, damage=damage)


def deep(levels: int) -> Any:  # noqa: ANN401 (a list of lists of lists)
    """A list that nests so deep."""
    made: list[Any] = []
    for _ in range(levels - 1):
        made = [made]
    return made


@pytest.mark.parametrize("arguments", [{}, {"a": [1, {"b": None}], "c": "text", "n": 2**100}, {"unencodable": "x"}])
def test_arguments_that_are_json_are_taken_as_they_are(arguments: dict[str, Any]) -> None:
    """Ours: a toolbox may know a request again by the identity of its arguments."""
    given = request(**arguments)
    assert taken_in(given) is given


@pytest.mark.requirement("VALUE-entry")
@pytest.mark.parametrize(
    ("value", "taken"),
    [
        (math.nan, None),
        (date(2024, 5, 6), "2024-05-06"),
        (b"a", "YQ=="),
        (object(), {"unencodable": "object"}),
        ([1, {2}], (1, (2,))),
        ({1: "a"}, {"1": "a"}),
    ],
)
def test_arguments_that_are_no_json_are_damage(value: object, taken: object) -> None:
    """Ours: a tool never runs on arguments that somebody changed; the log shows them in the one form there is."""
    made = taken_in(request(x=value))
    assert (made.arguments, made.damage) == ({"x": taken}, NOT_TOLD)


@pytest.mark.parametrize("value", [deep(64), "x" * (5 * 1024 * 1024)], ids=["deep", "large"])
def test_arguments_past_the_bounds_are_damage(value: object) -> None:
    """Ours: what could not be told again must not run."""
    made = taken_in(request(x=value))
    assert made.damage == NOT_TOLD


@pytest.mark.requirement("BR-186")
def test_half_a_surrogate_pair_is_replaced_and_the_call_runs() -> None:
    """BR-186: the same rule as for argument text."""
    made = taken_in(request(x="ok \ud83d", y="\ud83d\ude00"))
    assert (made.arguments, made.damage) == ({"x": "ok \ufffd", "y": "\U0001f600"}, None)


def test_damage_that_was_known_stays() -> None:
    """Ours: the first word on what is wrong is the adapter's."""
    assert taken_in(request(damage="cut off", x=math.nan)).damage == "cut off"


def test_a_turn_whose_requests_are_in_order_is_handed_on_as_it_is() -> None:
    """Ours: nothing is copied that did not change."""
    turn = ModelTurn(tool_requests=(request(x=1), request(x="a")))
    assert turn_taken_in(turn, lambda given: given) is turn


def test_a_turn_has_each_request_as_it_was_found() -> None:
    """Ours: in its slot, whatever the others are; taken in first, then checked."""
    turn = ModelTurn(text="said", tool_requests=(request(x=1), request(x=math.nan), request(x=2)))

    def checked(given: ToolRequest) -> ToolRequest:
        return replace(given, damage="no such number") if given.arguments["x"] == 2 else given

    made = turn_taken_in(turn, checked)
    assert [one.damage for one in made.tool_requests] == [None, NOT_TOLD, "no such number"]
    assert made.text == "said"
