"""The toolbox port: what functions and their fake keep alike."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

from treadle.adapters.toolboxes.functions import FunctionToolbox
from treadle.errors import ToolError
from treadle.plan.tools import tool
from treadle.ports.toolbox import CallContext, Toolbox
from treadle.testing.fake_toolbox import HANG, FakeTool, FakeToolbox
from treadle.values.calls import ToolRequest
from treadle.values.mappings import Json

BOUND_S = 5.0


def functions() -> Toolbox:
    """Tools that are functions."""

    @tool
    async def add(a: int, b: int) -> list[int]:
        """Add."""
        return [a, b, a + b]

    @tool
    def refuse() -> str:
        """Say why not."""
        raise ToolError("closed on Sundays")

    @tool
    async def fail() -> str:
        """Fail."""
        raise RuntimeError("inside")

    @tool
    async def count() -> AsyncIterator[str]:
        """Tell progress."""
        yield "one"
        yield "two"
        yield "three"

    @tool(requires_approval=True)
    async def hang() -> None:
        """Never return."""
        await asyncio.Event().wait()

    return FunctionToolbox([add, refuse, fail, count, hang])


def fakes() -> Toolbox:
    """The same without functions."""
    return FakeToolbox(
        FakeTool(name="add", gives=[1, 2, 3], parameters={"a": int, "b": int}),
        FakeTool(name="refuse", gives=ToolError("closed on Sundays")),
        FakeTool(name="fail", gives=RuntimeError("inside")),
        FakeTool(name="count", gives="three", progress=("one", "two")),
        FakeTool(name="hang", gives=HANG, requires_approval=True),
    )


TOOLBOXES = [pytest.param(functions, id="functions"), pytest.param(fakes, id="fakes")]


@pytest.fixture(params=TOOLBOXES)
def toolbox(request: pytest.FixtureRequest) -> Toolbox:
    """Each toolbox there is, with the same five tools."""
    made: Toolbox = request.param()
    return made


async def call(toolbox: Toolbox, name: str, told: list[Json] | None = None, **arguments: object) -> Json:
    """Call a tool as the runtime does."""

    async def progress(payload: Json) -> None:
        if told is not None:
            told.append(payload)

    request = toolbox.checked(ToolRequest(name=name, arguments=arguments))
    assert request.damage is None
    async with asyncio.timeout(BOUND_S):
        return await toolbox.call(request, CallContext(progress=progress, stop=threading.Event()))


def test_the_tools_are_told_in_their_order_with_a_schema_of_an_object(toolbox: Toolbox) -> None:
    """What a model is told (the port)."""
    assert [spec.name for spec in toolbox.specs()] == ["add", "refuse", "fail", "count", "hang"]
    assert all(spec.parameters["type"] == "object" for spec in toolbox.specs())
    assert set(toolbox.specs()[0].parameters["required"]) == {"a", "b"}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("nobody", {}), ("add", {"a": 1}), ("add", {"a": "1", "b": 2}), ("add", {"a": 1, "b": 2, "c": 3})],
)
def test_what_must_not_run_is_damaged_in_words_for_the_model(
    toolbox: Toolbox, name: str, arguments: dict[str, Any]
) -> None:
    """An unknown tool and arguments that do not fit (the port)."""
    request = ToolRequest(name=name, arguments=arguments)
    checked = toolbox.checked(request)
    assert checked.damage
    assert (checked.name, checked.arguments) == (request.name, request.arguments)


def test_a_request_that_is_damaged_or_sound_stays_as_it_is(toolbox: Toolbox) -> None:
    """What broke first is what the model is told (the port)."""
    broken = ToolRequest(name="add", damage="the arguments end in mid text")
    sound = ToolRequest(name="add", arguments={"a": 1, "b": 2})
    assert (toolbox.checked(broken), toolbox.checked(sound)) == (broken, sound)


def test_a_person_is_asked_where_the_tool_says_so(toolbox: Toolbox) -> None:
    """Before it runs (the port)."""
    asks = {name: toolbox.needs_approval(ToolRequest(name=name)) for name in ("refuse", "fail", "count", "hang")}
    assert asks == {"refuse": False, "fail": False, "count": False, "hang": True}


async def test_a_result_is_in_json_terms(toolbox: Toolbox) -> None:
    """Log, model and wires agree on it (the port)."""
    assert await call(toolbox, "add", a=1, b=2) == (1, 2, 3)


async def test_progress_is_told_before_the_result(toolbox: Toolbox) -> None:
    """In order (the port)."""
    told: list[Json] = []
    assert await call(toolbox, "count", told) == "three"
    assert told == ["one", "two"]


async def test_a_tool_that_refuses_speaks_in_its_own_words_and_one_that_breaks_raises(toolbox: Toolbox) -> None:
    """The model hears the first; the second is for operators (the port)."""
    with pytest.raises(ToolError, match=r"^closed on Sundays$"):
        await call(toolbox, "refuse")
    with pytest.raises(RuntimeError, match="inside"):
        await call(toolbox, "fail")


async def test_a_call_that_is_cancelled_stops_and_the_cancellation_is_raised(toolbox: Toolbox) -> None:
    """Nothing goes on behind the run's back (the port)."""
    running = asyncio.create_task(call(toolbox, "hang"))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
