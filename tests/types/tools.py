"""Types of the tool decorator: a tool is called like its function."""

from collections.abc import AsyncIterator, Awaitable
from typing import Any, assert_type

from treadle.adapters.models.scripted import ScriptedModel
from treadle.adapters.toolboxes.functions import FunctionToolbox
from treadle.plan.agent_plan import AgentPlan, compile_plan
from treadle.plan.tools import Tool, tool
from treadle.ports.model import Model
from treadle.ports.toolbox import Toolbox
from treadle.testing.scripts import scripted


@tool
async def add(a: int, b: int = 2) -> int:
    """Add."""
    return a + b


@tool(name="half-of", requires_approval=lambda arguments: bool(arguments["a"]))
def halve(a: int) -> float:
    """Halve."""
    return a / 2


@tool
async def steps(to: int) -> AsyncIterator[int]:
    """Count."""
    yield to


class Shelf:
    """Holds a tool."""

    @tool
    def room(self, a: int) -> str:
        """Say how much."""
        return str(a)


async def calls() -> None:
    """A call has the type of the function's own call."""
    assert_type(await add(1, b=3), int)
    assert_type(halve(3), float)
    assert_type(steps(3), AsyncIterator[int])
    assert_type(Shelf().room(1), str)
    await add("1")  # type: ignore[arg-type]  # the parameters keep their types
    halve(3, 4)  # type: ignore[call-arg]  # the parameters keep their names


def takes(any_tool: Tool[..., Any], awaitable: Tool[..., Awaitable[int]]) -> None:
    """Tools of all kinds go where tools are taken."""
    plan = compile_plan(name="a", tools=[any_tool, awaitable, add, halve, len])
    assert_type(plan, AgentPlan)


toolbox: Toolbox = FunctionToolbox([halve])
model: Model = scripted("text: a")
assert_type(ScriptedModel.from_file("a.script"), ScriptedModel)
