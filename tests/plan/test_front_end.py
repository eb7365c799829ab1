"""Tools that the front end runs."""

from __future__ import annotations

import pytest

from treadle.errors import PlanError, StateError
from treadle.plan.agent_plan import compile_plan
from treadle.plan.front_end import front_end_tool
from treadle.values.pauses import PauseKind

PICK = front_end_tool(
    "pick_file",
    description="Let the user pick a file.",
    parameters={"properties": {"kind": {"type": "string"}}, "required": ["kind"]},
    result={"type": "object", "required": ["name"]},
)


@pytest.mark.requirement("PAUSE-front-end")
def test_a_tool_without_a_function_is_a_tool_like_any_other_to_a_plan() -> None:
    """Ours: the model is told of it as of any tool, and it has no deadline of a running call."""
    plan = compile_plan(name="a", tools=[PICK], tool_timeout_s=5.0)
    spec = plan.tools[0].spec
    assert (spec.name, spec.description) == ("pick_file", "Let the user pick a file.")
    assert spec.parameters["required"] == ("kind",)
    assert (spec.asks, spec.result_schema["required"]) == (PauseKind.FRONT_END, ("name",))
    assert spec.timeout_s == float("inf")


@pytest.mark.requirement("PAUSE-front-end")
def test_its_arguments_are_checked_before_anybody_is_asked() -> None:
    """Promise 8: nothing runs on damaged arguments, in a front end either."""
    assert PICK.check({"kind": "png"}).damage is None
    assert PICK.check({}).damage is not None


def test_schemas_that_cannot_be_held_are_problems_of_the_plan() -> None:
    """Ours: all that is wrong is told at once."""
    tool = front_end_tool("x", description="", parameters={"minProperties": 1}, result={"pattern": "a"})
    with pytest.raises(PlanError) as refused:
        compile_plan(name="a", tools=[tool])
    assert ["minProperties" in problem or "pattern" in problem for problem in refused.value.problems] == [True, True]


def test_it_cannot_be_called_here() -> None:
    """Ours: whoever calls it is told where it runs."""
    with pytest.raises(StateError):
        PICK()
