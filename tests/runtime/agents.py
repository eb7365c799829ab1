"""Agents over scripts, and what their streams gave: shared by the tests of runs in motion."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from treadle.adapters.models.scripted import ScriptedModel
from treadle.app.agent import Agent
from treadle.plan.tools import tool
from treadle.runtime.attached import AttachedRun, RunParts
from treadle.values import events as ev
from treadle.values.events import CLOSING_TYPES, KernelEvent

TURNS = 10_000


@tool
async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def scripted(script: str, *, tools: Sequence[Any] = (add,), **more: Any) -> Agent:  # noqa: ANN401 (arguments of Agent)
    """An agent that says what the script says."""
    return Agent(name="a", model=ScriptedModel.from_text(script), tools=tools, **more)


def model_of(agent: Agent) -> ScriptedModel:
    """The scripted model of an agent."""
    assert isinstance(agent.model, ScriptedModel)
    return agent.model


def inside(run: AttachedRun[Any]) -> RunParts:
    """What a run is made of."""
    return run._parts  # noqa: SLF001 (tests look where users do not)


def task_of(run: AttachedRun[Any]) -> asyncio.Task[None]:
    """The task that drives a run."""
    task = run._task  # noqa: SLF001 (tests look where users do not)
    assert task is not None
    return task


async def until(holds: Callable[[], object]) -> None:
    """Let the event loop turn until this holds, so many times at most."""
    for _ in range(TURNS):
        if holds():
            return
        await asyncio.sleep(0)
    raise AssertionError(f"it did not come to hold within {TURNS} turns of the loop")


async def all_of(run: AsyncIterator[KernelEvent] | AttachedRun[KernelEvent]) -> list[KernelEvent]:
    """All events that are still to come."""
    return [event async for event in run]


async def all_events(agent: Agent, prompt: str = "hi") -> list[KernelEvent]:
    """Every kernel event of one run."""
    async with agent.events(prompt) as run:
        return [event async for event in run]


async def read(run: AsyncIterator[KernelEvent] | AttachedRun[KernelEvent], count: int) -> list[KernelEvent]:
    """The next so many events."""
    taken: list[KernelEvent] = []
    async for event in run:
        taken.append(event)
        if len(taken) == count:
            break
    return taken


def text_of(events: Sequence[KernelEvent]) -> str:
    """The text of all deltas, joined."""
    return "".join(event.text for event in events if isinstance(event, ev.TextDelta))


def kinds(events: Sequence[KernelEvent]) -> list[str]:
    """The kinds of events, in order."""
    return [event.kind for event in events]


def closes_well(events: Sequence[KernelEvent]) -> bool:
    """One closing event, last, with the text of the deltas; a dense index."""
    closing = [event for event in events if isinstance(event, CLOSING_TYPES)]
    dense = [event.index for event in events] == list(range(len(events)))
    return len(closing) == 1 and closing[0] is events[-1] and dense and closing[0].outcome.text == text_of(events)
