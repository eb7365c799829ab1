"""What a checker knows of the public face. Read by mypy, never run."""

from __future__ import annotations

from typing import assert_type

from treadle import Agent, RunOutcome, RunResult, tool
from treadle.projections.typed.events import StreamEvent
from treadle.values.events import KernelEvent


@tool
async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
def shout(text: str) -> str:
    """Say it louder."""
    return text.upper()


agent = Agent(name="calc", model="local", instructions="Use the tool.", tools=[add, shout])


async def results() -> None:
    """A run gives one kind of result, however it is asked for."""
    result = await agent.run("1+2?")
    assert_type(result, RunResult)
    assert_type(result.outcome, RunOutcome)
    assert_type(result.text, str)
    assert_type(result.answer, str)
    assert_type(agent.run_sync("1+2?"), RunResult)
    assert_type(agent.with_output({"type": "object"}), Agent)


async def streams() -> None:
    """The two streams give the two vocabularies."""
    async with agent.stream("1+2?") as stream:
        async for event in stream:
            assert_type(event, StreamEvent)
    async with agent.events("1+2?") as events:
        async for kernel_event in events:
            assert_type(kernel_event, KernelEvent)


async def tools_stay_functions() -> None:
    """A tool is called like the function it was made from."""
    assert_type(await add(1, b=2), int)
    assert_type(shout("a"), str)
    await add("1", 2)  # type: ignore[arg-type]  # the parameters keep their types
