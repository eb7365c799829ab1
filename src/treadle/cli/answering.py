"""One question, answered: the run is opened, every event is shown as it comes, and a stop signal cancels the run.

The stream is always read to its closing event, after a cancel too: what the output ends with is what the log ends with.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from treadle.app.agent import Agent
from treadle.cli.output import Output
from treadle.cli.stopping import Stop, stop_signals
from treadle.cli.views import View
from treadle.projections.typed import events as typed
from treadle.projections.typed.events import StreamEvent
from treadle.runtime.result import RunResult
from treadle.values import events as kernel
from treadle.values.calls import ToolStatus
from treadle.values.events import KernelEvent
from treadle.values.requests import HistoryMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """How a run came out."""

    result: RunResult
    failure: BaseException | None
    """What stands behind an `error`."""
    tool_results: int
    """How many calls came to a result of their own; a call that the cancel cut off did not."""
    terminated: bool
    """SIGTERM asked for the end: of the process, not only of this run."""


async def answer(agent: Agent, question: str, view: View, *, history: Sequence[HistoryMessage] = ()) -> Answered:
    """Run `agent` on `question` and show it.

    Raises:
        PlanError: The agent cannot run.
        ReaderGoneError: Nobody reads the output any more. The run was cancelled.
        OutputError: The output cannot be written. The run was cancelled.
    """
    tool_results = 0
    with stop_signals() as stop:
        async with view.opened(agent, question, history) as run, stopped_by(stop, view.output, run.cancel):
            async for event in run:
                tool_results += has_result(event)
                await view.output.send(view.shows(event))
    return Answered(result=run.result, failure=run.failure, tool_results=tool_results, terminated=stop.terminated)


async def answer_once(agent: Agent, question: str, view: View) -> Answered:
    """The same for an agent that is not needed afterwards: what its model holds is given back."""
    try:
        return await answer(agent, question, view)
    finally:
        await agent.aclose()


def has_result(event: StreamEvent | KernelEvent) -> bool:
    """Whether this is the result of a call that came to one of its own: it was not cut off by a cancel."""
    match event:
        case kernel.ToolResult(outcome=outcome):
            return outcome.status is not ToolStatus.CANCELLED
        case typed.ToolResult(status=status):
            return status is not ToolStatus.CANCELLED
        case _:
            return False


@asynccontextmanager
async def stopped_by(stop: Stop, output: Output, cancel: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """Within this block a stop signal cancels, and so does a reader that has gone away."""

    async def pass_on() -> None:
        waits = [asyncio.create_task(stop.wait()), asyncio.create_task(output.gone())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        await cancel()

    passing_on = asyncio.create_task(pass_on())
    try:
        yield
    finally:
        passing_on.cancel()
        await asyncio.wait([passing_on])
