"""Functions to tools."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from treadle.plan.signatures import Checked
from treadle.plan.tools import STOP, Tool, ToolKind, stop_requested, tool
from treadle.values.mappings import frozen
from treadle.values.tools import ToolSpec

if TYPE_CHECKING:
    from nowhere import Missing

A_NUMBER = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}


@tool
async def add(a: int, b: int = 2) -> int:
    """Add two numbers.

    Args:
        a: The first.
    """
    return a + b


@tool(name="half-of", description="Halve.", timeout_s=3.0, idempotent=True, requires_approval=True)
def halve(a: int) -> float:
    """This is not told."""
    return a / 2


@tool
async def count(to: int) -> AsyncIterator[int]:
    """Count."""
    for number in range(to):
        yield number


class _Shelf:
    def __init__(self, size: int) -> None:
        self.size = size

    @tool
    def room(self, a: int) -> int:
        """How many more fit.

        Args:
            a: Books at hand.
        """
        return self.size - a

    @tool
    @staticmethod
    def outer_tool(a: int) -> int:
        return a

    @staticmethod
    @tool
    def inner_tool(a: int) -> int:
        return a

    def __call__(self, a: int) -> int:
        """Called."""
        return a


async def test_a_tool_is_still_called_like_its_function() -> None:
    """Declaring a tool takes nothing away from the function (ours)."""
    assert await add(1, 2) == 3
    assert await add(a=1) == 3
    assert halve(3) == 1.5
    assert [number async for number in count(2)] == [0, 1]
    assert add.__name__ == "add"
    assert repr(add) == "Tool('add')"


@pytest.mark.requirement("TOOL-1")
def test_the_signature_and_the_docstring_say_what_the_model_is_told() -> None:
    """Nothing has to be said twice (ours)."""
    assert add.spec == ToolSpec(
        name="add",
        description="Add two numbers.",
        parameters=frozen(
            {
                "type": "object",
                "properties": {
                    "a": {"type": "integer", "description": "The first."},
                    "b": {"type": "integer", "default": 2},
                },
                "required": ["a"],
                "additionalProperties": False,
            }
        ),
    )


def test_what_the_decorator_says_wins() -> None:
    """Options stand above what the function says (ours)."""
    assert halve.spec == ToolSpec(
        name="half-of", description="Halve.", parameters=frozen(A_NUMBER), timeout_s=3.0, idempotent=True
    )
    assert halve.requires_approval is True
    assert not add.requires_approval


def test_the_way_a_function_runs_is_read_from_it() -> None:
    """Coroutines in the loop, async generators step by step, all else in a thread (ours)."""
    assert add.kind is ToolKind.ASYNC
    assert count.kind is ToolKind.STEPS
    assert halve.kind is ToolKind.BLOCKING
    assert tool(functools.partial(add.function, b=1)).kind is ToolKind.ASYNC


def test_a_method_is_a_tool_of_its_object() -> None:
    """The object is bound, and no model is asked for it (ours)."""
    shelf = _Shelf(5)
    assert shelf.room(2) == 3
    assert shelf.room.problems == ()
    assert shelf.room.check({"a": 2}) == Checked(keywords={"a": 2})
    assert shelf.room.spec.description == "How many more fit."
    assert shelf.room.spec.parameters["properties"] == {"a": {"type": "integer", "description": "Books at hand."}}
    assert _Shelf(7).room(2) == 5
    assert _Shelf.room.problems == (
        "tool 'room': parameter 'self' needs a type; write `self: Any` if every value will do",
    )
    assert tool(shelf.inner_tool.function).check({"a": 1}) == Checked(keywords={"a": 1})
    assert _Shelf.inner_tool.spec == shelf.inner_tool.spec


def test_partials_objects_and_static_methods_are_tools_too() -> None:
    """Whatever is called with typed parameters will do (ours)."""
    assert tool(_Shelf(1)).spec == ToolSpec(name="_Shelf", description="Called.", parameters=frozen(A_NUMBER))
    partial = tool(functools.partial(add.function, b=5))
    assert (partial.spec.name, partial.spec.description) == ("add", "Add two numbers.")
    assert partial.check({"a": 1}).keywords == {"a": 1, "b": 5}
    assert _Shelf.outer_tool.spec.name == "outer_tool"


def test_what_a_function_carries_does_not_hide_what_a_tool_knows() -> None:
    """A function may have attributes of any name (ours)."""

    def run(a: int) -> int:
        return a

    run.spec = run.problems = run.kind = "mine"  # type: ignore[attr-defined]  # a function attribute
    made = tool(run)
    assert made.problems == ()
    assert made.kind is ToolKind.BLOCKING
    assert made.spec.parameters == frozen(A_NUMBER)


@pytest.mark.requirement("TOOL-2")
def test_problems_are_kept_for_the_plan_and_never_raised() -> None:
    """A module with a broken tool can still be imported; the plan tells of all at once (ours)."""

    @tool(name="no such name", timeout_s=0)
    def run(a: Missing, *rest: int) -> Iterator[int]:  # type: ignore[no-any-unimported]  # an unknown name
        yield from (a, *rest)

    assert run.problems == (
        "tool 'no such name': a name has 1 to 64 letters, digits, `_` or `-`; give one with name=…",
        "tool 'no such name': timeout_s must be above 0, not 0",
        "tool 'no such name': a plain generator function cannot be a tool; make it `async def`",
        "tool 'no such name': the type of 'a' has no JSON schema: name 'Missing' is not defined",
        "tool 'no such name': '*rest' cannot be told to a model; name each parameter",
    )
    assert run.check({}).damage is not None


@pytest.mark.parametrize("name", ["", "a b", "a.b", "ä", "x" * 65, "a\n", "<lambda>"])
def test_a_name_that_some_provider_refuses_is_a_problem(name: str) -> None:
    """The strictest rule among the providers holds for all (OpenAI and Anthropic function names)."""
    assert len(tool(name=name)(add.function).problems) == 1
    assert tool(name="x" * 64)(add.function).problems == ()


def test_what_is_no_function_is_a_problem() -> None:
    """Told with the rest, not raised (ours)."""
    declared: Any = tool
    assert "tool 'int': it is not a function" in declared(3).problems


def test_a_plans_time_holds_where_a_tool_states_none() -> None:
    """A tool's own time wins, and endless is a time too (ours)."""
    assert add.timed(20.0).spec.timeout_s == 20.0
    assert add.timed(None) is add
    assert add.spec.timeout_s is None
    assert halve.timed(20.0).spec.timeout_s == 3.0
    endless: Tool[..., Any] = tool(timeout_s=math.inf)(add.function)
    assert endless.problems == ()
    assert endless.timed(20.0).spec.timeout_s == math.inf


@pytest.mark.requirement("BR-008")
def test_a_tool_sees_whether_its_call_is_to_stop() -> None:
    """The flag of the call that runs here, and none outside of a call (BR-008)."""
    assert not stop_requested()
    flag = threading.Event()
    token = STOP.set(flag)
    try:
        assert not stop_requested()
        flag.set()
        assert stop_requested()
    finally:
        STOP.reset(token)
    assert not stop_requested()
