"""Attached runs whose reader takes their steps: whatever the model, however they are left, they end."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import warnings
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runtime.agents import all_of, closes_well, inside, kinds, read, task_of, text_of
from treadle.app.agent import Agent
from treadle.plan.tools import tool
from treadle.ports.model import ModelRequest
from treadle.runtime.attached import AttachedRun
from treadle.runtime.reader import BOUND, Reader
from treadle.runtime.steps_ahead import AHEAD
from treadle.testing.virtual_time import run_virtually
from treadle.values.calls import ToolRequest
from treadle.values.model import TEXT, CallNamed, ModelItem, ModelTurn, TurnEnded

LONG = (AHEAD + 2) * BOUND + 3
"""More than is read between two turns of the event loop."""
MARK: contextvars.ContextVar[str] = contextvars.ContextVar("mark", default="")
BUSY, YIELDING, WAITING, MIXED = "busy", "yielding", "waiting", "mixed"


class Paced:
    """Says so many deltas, and waits before each as its pace says; after the first round it calls a tool."""

    name = "paced"

    def __init__(self, pace: str, deltas: int, *, rounds: int = 1) -> None:
        self.pace, self.deltas, self.rounds = pace, deltas, rounds
        self.open_streams = 0
        self.tasks: set[asyncio.Task[Any] | None] = set()

    async def ask(self, request: ModelRequest, /) -> AsyncIterator[list[ModelItem]]:
        """Say a round."""
        self.open_streams += 1
        MARK.set("of the run")
        try:
            for number in range(self.deltas):
                await self.wait(number)
                self.tasks.add(asyncio.current_task())
                assert MARK.get() == "of the run"
                yield [(TEXT, f"{number} ")]
            calls: tuple[ToolRequest, ...] = ()
            if len(request.turns) + 1 < self.rounds:
                yield [CallNamed(slot=0, name="look", provider_id="p")]
                calls = (ToolRequest(name="look", provider_id="p"),)
            yield [TurnEnded(turn=ModelTurn(tool_requests=calls))]
        finally:
            self.open_streams -= 1

    async def wait(self, number: int) -> None:
        """As its pace says."""
        pace = (BUSY, BUSY, YIELDING, WAITING)[number * 7 % 11 % 4] if self.pace == MIXED else self.pace
        if pace == YIELDING:
            await asyncio.sleep(0)
        elif pace == WAITING:
            done = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_soon(lambda: done.done() or done.set_result(None))
            async with asyncio.timeout(60):
                await done

    async def aclose(self) -> None:
        """It holds nothing."""


@tool
async def look() -> str:
    """Look."""
    return "seen"


def agent_of(model: Paced) -> Agent:
    """An agent with this model."""
    return Agent(name="a", model=model, tools=[look])


paces = st.sampled_from([BUSY, YIELDING, WAITING, MIXED])
counts = st.one_of(st.integers(0, 3), st.integers(BOUND - 2, BOUND + 2), st.just(LONG))


@pytest.mark.parametrize("debug", [False, True])
@settings(max_examples=8)
@given(paces, counts, st.integers(1, 3), st.lists(st.booleans(), max_size=8))
def test_a_run_that_is_read_gives_all_that_its_model_says(debug, pace, deltas, rounds, turns):
    """Promise 2, law 3: whoever takes the steps, and whether or not the reader does something else between two."""

    async def main() -> None:
        model = Paced(pace, deltas, rounds=rounds)
        events = []
        async with agent_of(model).events("hi") as run:
            async for event in run:
                events.append(event)
                # Never more than so many ahead of what was given out.
                assert inside(run).runs.next <= len(events) + 2 * BOUND
                assert asyncio.current_task() is not task_of(run)
                assert MARK.get() == ""
                if turns and turns[event.index % len(turns)]:
                    await asyncio.sleep(0)
            task = task_of(run)
        assert closes_well(events)
        assert text_of(events) == "".join(f"{number} " for number in range(deltas)) * rounds
        assert kinds(events).count("tool_result") == rounds - 1
        assert model.tasks <= {task}
        assert model.open_streams == 0

    asyncio.run(main(), debug=debug)


async def _breaks(run: AttachedRun[Any], after: int) -> None:
    async with run:
        await read(run, after)


async def _raises(run: AttachedRun[Any], after: int) -> None:
    with suppress(LookupError):
        async with run:
            await read(run, after)
            raise LookupError


async def _stops(run: AttachedRun[Any], after: int) -> None:
    async with run:
        await read(run, after)
        await run.cancel("enough")
        await all_of(run)


async def _closes_elsewhere(run: AttachedRun[Any], after: int) -> None:
    async with run:
        reader = asyncio.create_task(all_of(run))
        for _ in range(after):
            await asyncio.sleep(0)
        await run.aclose()
        await reader


async def _cancels_the_reader(run: AttachedRun[Any], after: int) -> None:
    async def whole() -> None:
        async with run:
            await all_of(run)

    reader = asyncio.create_task(whole())
    # One turn at least: one that is cancelled before its first step enters no block.
    for _ in range(after):
        await asyncio.sleep(0)
    reader.cancel()
    await asyncio.wait([reader])


async def _cancels_the_task_of_the_run(run: AttachedRun[Any], after: int) -> None:
    async with run:
        await read(run, after)
        task_of(run).cancel()
        await all_of(run)


async def _times_out(run: AttachedRun[Any], after: int) -> None:
    async with run:
        while after:
            try:
                async with asyncio.timeout(0):
                    await anext(aiter(run))
                await asyncio.sleep(0)
            except TimeoutError:
                after -= 1
            except StopAsyncIteration:
                break


WAYS = [
    _breaks,
    _raises,
    _stops,
    _closes_elsewhere,
    _cancels_the_reader,
    _cancels_the_task_of_the_run,
    _times_out,
]


@pytest.mark.parametrize("stream", ["events", "stream"])
@pytest.mark.parametrize("leaves", WAYS)
@settings(max_examples=12)
@given(paces, counts, st.one_of(st.integers(1, 5), st.integers(1, 3 * BOUND)))
def test_however_it_is_left_the_run_has_ended(leaves, stream, pace, deltas, after):
    """Law 10: its closing event is written, its task is over, its model closed, and nothing warns."""

    async def main() -> None:
        model = Paced(pace, deltas, rounds=2)
        run: AttachedRun[Any] = getattr(agent_of(model), stream)("hi")
        await leaves(run, after)
        assert task_of(run).done()
        parts = inside(run)
        assert parts.runs.closed
        assert parts.closing is not None
        said = [event async for event in Reader(parts.runs, parts.request.run_id, None)]
        assert closes_well(said)
        assert model.open_streams == 0

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run_virtually(main())
        gc.collect(1)  # What one example leaves is young, and a whole heap takes half a second.
