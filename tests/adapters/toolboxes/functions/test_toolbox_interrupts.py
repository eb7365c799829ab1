"""Functions that ask people in the middle of their work."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from treadle.adapters.toolboxes.functions import FunctionToolbox
from treadle.errors import StateError
from treadle.plan.interrupts import interrupt
from treadle.plan.tools import Tool, tool
from treadle.ports.toolbox import CallContext, CallInterrupted, InterruptAnswered, InterruptAsk
from treadle.values.calls import ToolRequest

BOUND_S = 5.0


async def _told(_: Any) -> None:  # noqa: ANN401 (JSON terms)
    """Nobody reads the progress."""


ANEW = CallContext(progress=_told, stop=threading.Event())


async def _call(called: Tool[..., Any], context: CallContext = ANEW, **arguments: object) -> Any:  # noqa: ANN401 (JSON terms)
    async with asyncio.timeout(BOUND_S):
        return await FunctionToolbox([called]).call(ToolRequest(name=called.name, arguments=arguments), context)


@tool(interrupts=True)
async def confirm(cents: int) -> str:
    """Ask before it pays."""
    return f"paid {cents}" if interrupt("confirm", {"cents": cents}) else "not paid"


@tool(interrupts=True)
def confirm_in_a_thread(cents: int) -> str:
    """The same in a thread."""
    return f"paid {cents}" if interrupt("confirm", {"cents": cents}) else "not paid"


@tool(interrupts=True)
async def confirm_in_steps(cents: int) -> AsyncIterator[str]:
    """The same step by step."""
    yield "asking"
    yield f"paid {cents}" if interrupt("confirm", {"cents": cents}) else "not paid"


@tool(interrupts=True)
async def confirm_in_a_group(cents: int) -> str:
    """The same in a task of a group, which wraps what its tasks raise."""

    async def ask() -> bool:
        return bool(interrupt("confirm", {"cents": cents}))

    async with asyncio.TaskGroup() as group:
        asked = group.create_task(ask())
    return f"paid {cents}" if asked.result() else "not paid"


@pytest.mark.requirement("PAUSE-interrupt")
@pytest.mark.parametrize("kind", [confirm, confirm_in_a_thread, confirm_in_steps, confirm_in_a_group])
async def test_a_call_of_any_kind_ends_where_it_asks_and_gets_its_answer_when_it_is_made_again(
    kind: Tool[..., Any],
) -> None:
    """Ours: one way for coroutines, threads, generators and groups of tasks."""
    with pytest.raises(CallInterrupted) as asked:
        await _call(kind, cents=5)
    assert asked.value.ask == InterruptAsk(name="confirm", payload={"cents": 5})
    again = replace(ANEW, answered=(InterruptAnswered(ask=asked.value.ask, value=True),))
    assert await _call(kind, again, cents=5) == "paid 5"


async def test_a_tool_that_swallows_its_own_interrupt_has_failed() -> None:
    """Ours: what it returned was made without the answer, so it is no result."""

    @tool(interrupts=True)
    async def swallow() -> str:
        """Catch everything."""
        try:
            interrupt("confirm")
        except BaseException:  # noqa: BLE001 (what this test is about)
            return "paid"
        return "never"

    with pytest.raises(RuntimeError, match="signal"):
        await _call(swallow)


async def test_a_tool_that_does_not_say_that_it_interrupts_cannot() -> None:
    """Ours: it would be called again, and it has not said that this may be; a call within another's is no exception."""

    @tool
    async def unsaid() -> object:
        """Ask without having said so."""
        return interrupt("confirm")

    @tool(interrupts=True)
    async def outer() -> object:
        """Call another tool's toolbox within its own call."""
        return await _call(unsaid)

    for one in (unsaid, outer):
        with pytest.raises(StateError, match="interrupts=True"):
            await _call(one)
