"""Any run that is played is a sound segment, however it goes."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from tests.testing.played_scripts import agent_of, played, seeds
from treadle.projections.typed.events import StreamEvent
from treadle.testing.stream_check import check_stream
from treadle.values.events import KernelEvent, Retracted


async def kernel_events(seed: int) -> list[KernelEvent]:
    """The kernel events of a run; some runs are stopped on the way."""
    stop_at = Random(seed).choice([None, None, 3, 7])
    events: list[KernelEvent] = []
    async with agent_of(seed).events("hi") as run:
        async for event in run:
            events.append(event)
            if len(events) == stop_at:
                await run.cancel()
    return events


async def stream_events(seed: int) -> list[StreamEvent]:
    """The stream events of a run."""
    async with agent_of(seed).stream("hi") as run:
        return [event async for event in run]


@pytest.mark.slow
@given(seed=seeds)
def test_any_played_run_passes_in_kernel_events(seed: int) -> None:
    """What the product does and what the check demands are one (EV-1 to EV-10)."""
    events = played(kernel_events(seed))
    assert check_stream(events) == []


@pytest.mark.slow
@given(seed=seeds)
def test_any_played_run_passes_in_stream_events(seed: int) -> None:
    """The projection keeps what the rules are about (EV-3 to EV-10)."""
    events = played(stream_events(seed))
    assert check_stream(events) == []


def test_the_played_runs_reach_every_ending_and_a_retraction() -> None:
    """A property over runs that all end alike says little (ours)."""
    runs = [played(kernel_events(seed)) for seed in range(60)]
    assert {events[-1].kind for events in runs} == {"done", "error", "cancelled"}
    assert any(isinstance(event, Retracted) for events in runs for event in events)
