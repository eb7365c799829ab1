"""What a model is told of a tool."""

from __future__ import annotations

from treadle.values.tools import ToolSpec


def test_the_schema_of_a_tool_is_frozen() -> None:
    """Ours: one plan is shared by all runs of an agent."""
    mine = {"type": "object", "required": ["a"]}
    spec = ToolSpec(name="add", description="Add.", parameters=mine)
    mine["required"].append("b")  # type: ignore[attr-defined]  # a nested list
    assert spec.parameters == {"type": "object", "required": ("a",)}


def test_a_tool_may_not_be_run_again_unless_it_says_so() -> None:
    """Ours: after a crash a side effect that began is unknown, not done twice."""
    assert not ToolSpec(name="add", description="", parameters={}).idempotent
