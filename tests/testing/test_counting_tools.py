"""The tools that fault scenarios call."""

from __future__ import annotations

import asyncio

import pytest

from treadle.plan.tools import stop_requested
from treadle.testing.counting_tools import CountingTools
from treadle.testing.faults import SCENARIOS
from treadle.testing.faults.steps import LEAK_MARK


def test_every_tool_that_a_scenario_expects_to_run_is_there() -> None:
    """The catalogue and the tools are made for each other (ours)."""
    named = {tool for scenario in SCENARIOS.values() for tool, _ in scenario.expected.tools}
    assert named <= {tool.name for tool in CountingTools().tools}
    assert [problem for tool in CountingTools().tools for problem in tool.problems] == []


async def test_each_instance_counts_its_own_runs() -> None:
    """Runs at the same time do not meet in one count (ours)."""
    one, two = CountingTools(), CountingTools()
    assert (await one.add(1, 2), await one.lookup("日本"), await one.ping()) == (3, "found 2", "pong")
    await one.add(a=1, b=1)
    assert dict(one.runs) == {"add": 2, "lookup": 1, "ping": 1}
    assert (dict(two.runs), two.runs["add"]) == ({}, 0)


async def test_the_failing_tool_raises_what_must_not_leak() -> None:
    """One search of what was shown finds a tool's own error text in it (ours)."""
    tools = CountingTools()
    with pytest.raises(RuntimeError, match=LEAK_MARK):
        await tools.fail()
    assert tools.runs["fail"] == 1


async def test_the_slow_tool_ends_only_when_it_is_cancelled() -> None:
    """A deadline has something to cut (ours)."""
    tools = CountingTools()
    call = asyncio.create_task(tools.slow())
    await asyncio.sleep(0)
    assert (tools.runs["slow"], call.done(), stop_requested()) == (1, False, False)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
