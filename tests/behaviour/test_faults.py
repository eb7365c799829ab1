"""Every scenario of the fault server, run by an agent over the SDK and a socket.

These are the only behaviours that need a socket: what a provider does to a connection is what they are about.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from dataclasses import replace

import openai
import pytest

from tests.behaviour.fault_runs import ATTEMPTS, agent_for, ends_open, streamed
from tests.behaviour.requirements import REQUIREMENTS
from treadle.adapters.models.openai_chat import OpenAIChat
from treadle.codec.events import kernel_event_json
from treadle.errors import RunFailedError
from treadle.runtime.result import RunResult
from treadle.testing.counting_tools import CountingTools
from treadle.testing.faults import LEAK_MARK, SCENARIOS, FaultServer, Scenario
from treadle.testing.stream_check import check_stream
from treadle.testing.transcript_check import check_transcript
from treadle.values.events import Error, KernelEvent

ALL = list(SCENARIOS.values())
LONG = {"flood", "stall_before_head", "stall_after_head", "stall_after_text", "stall_in_call"}
SCENARIO = [
    pytest.param(scenario, id=scenario.name, marks=[pytest.mark.slow] if scenario.name in LONG else [])
    for scenario in ALL
]


@pytest.fixture
def no_logs() -> AsyncIterator[None]:
    """What is told to operators of each fault is not shown."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


pytestmark = pytest.mark.usefixtures("no_logs")


@pytest.mark.requirement("FAULT-end", "FAULT-text", "FAULT-tools", "FAULT-usage", "FAULT-leak", "FAULT-requests")
@pytest.mark.requirement("FAULT-connections", "BR-018", "BR-031", "BR-032", "BR-034", "BR-035", "BR-037", "BR-038")
@pytest.mark.requirement("BR-040", "BR-041", "BR-043", "BR-044", "BR-046", "BR-047", "BR-050", "BR-055", "BR-056")
@pytest.mark.requirement("BR-058", "BR-059", "BR-061", "BR-062", "BR-064", "BR-094", "BR-097", "BR-100", "BR-102")
@pytest.mark.requirement("BR-103", "BR-108", "BR-109", "BR-114", "BR-115", "BR-122", "BR-123", "BR-126", "BR-130")
@pytest.mark.requirement("BR-131", "BR-186", "BR-190", "BR-191", "BR-193", "BR-194", "BR-196", "BR-197", "BR-199")
@pytest.mark.requirement("BR-200", "BR-202")
@pytest.mark.parametrize("scenario", SCENARIO)
async def test_a_run_ends_as_its_scenario_says(scenario: Scenario) -> None:
    """Outcome, text, thinking, tools, usage, requests and connections, and nothing that is for operators (ours)."""
    async with FaultServer() as server:
        seen = await streamed(scenario, server)
        stats = server.stats
    assert check_stream(seen.events) == []
    assert seen.completion.text == seen.text
    assert seen.as_expected(requests=stats.requests()) == _wanted(scenario, retryable=bool(seen.completion.retryable))
    assert LEAK_MARK not in seen.json
    assert LEAK_MARK not in json.dumps(stats.bodies())
    assert stats.problems() == []
    assert [check_transcript(body["messages"], "openai") for body in stats.bodies()] == [[]] * stats.requests()


def _wanted(scenario: Scenario, *, retryable: bool) -> object:
    """The expectation, with the number of requests that our own policy makes of it where it is left open."""
    expected = scenario.expected
    requests = expected.requests or (ATTEMPTS if retryable else 1)
    return replace(expected, tools=tuple(sorted(expected.tools)), requests=requests)


@pytest.mark.requirement("FAULT-end")
def test_every_case_that_a_scenario_stands_for_is_a_requirement() -> None:
    """A scenario names what it shows, and that is written down (ours)."""
    assert {case for scenario in ALL for case in scenario.cases} <= REQUIREMENTS.keys()


class _Many:
    """Runs of all scenarios at the same time, over one server and one pool of connections."""

    def __init__(self, server: FaultServer, client: openai.AsyncOpenAI) -> None:
        self.server = server
        self._client = client

    async def events(self, scenario: Scenario, *, leave_at: int | None = None) -> tuple[list[KernelEvent], int]:
        """The kernel events of a run, left after so many of them, and how many were read before that."""
        run = agent_for(scenario, OpenAIChat(scenario.name, client=self._client), CountingTools()).events("Hi")
        events: list[KernelEvent] = []
        async with run:
            async for event in run:
                events.append(event)
                if len(events) == leave_at:
                    break
                if "cancel" in scenario.needs and len(events) == 12:
                    await run.cancel()
        read = len(events)
        # The log goes on to its end whoever reads it.
        events += [event async for event in run]
        return events, read

    async def result(self, scenario: Scenario) -> tuple[RunResult, CountingTools]:
        """What a run that nobody reads comes to."""
        tools = CountingTools()
        agent = agent_for(scenario, OpenAIChat(scenario.name, client=self._client), tools)
        try:
            return await agent.run("Hi"), tools
        except RunFailedError as failed:
            return failed.result, tools


@pytest.fixture
async def many() -> AsyncIterator[_Many]:
    """A server and a pool that are given back whole."""
    async with FaultServer() as server, openai.AsyncOpenAI(base_url=server.base_url, api_key="k") as client:
        yield _Many(server, client)
        await client.close()
        await server.wait_for(lambda stats: stats.open_connections == stats.running() == stats.stalled() == 0)
        assert server.stats.problems() == []


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.requirement("FAULT-end", "FAULT-leak", "FAULT-connections")
async def test_the_log_of_every_scenario_is_sound_and_tells_nothing_that_is_for_operators(many: _Many) -> None:
    """In kernel events too; the reference that leads operators to the rest is there (ours)."""
    logs = await asyncio.gather(*[many.events(scenario) for scenario in ALL])
    for scenario, (events, _) in zip(ALL, logs, strict=True):
        assert check_stream(events) == [], scenario.name
        assert events[-1].kind == scenario.expected.outcome, scenario.name
        assert LEAK_MARK not in json.dumps([kernel_event_json(event) for event in events]), scenario.name
        closing = events[-1]
        # Of a silence there is nothing more to be told.
        if isinstance(closing, Error) and closing.error_class == "infrastructure" and closing.code != "stalled":
            assert closing.reference, scenario.name


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.requirement("FAULT-whole")
async def test_a_run_that_nobody_reads_comes_to_the_same(many: _Many) -> None:
    """One machine, whether somebody looks or not (ours)."""
    scenarios = [scenario for scenario in ALL if "cancel" not in scenario.needs]
    results = await asyncio.gather(*[many.result(scenario) for scenario in scenarios])
    for scenario, (result, tools) in zip(scenarios, results, strict=True):
        expected, code = scenario.expected, result.error.code if result.error else None
        came = (result.outcome.value, code, result.text, tuple(sorted(tools.runs.items())))
        assert came == (expected.outcome, expected.code, expected.text, tuple(sorted(expected.tools))), scenario.name
        assert bool(result.usage.reported) == (expected.usage is not None), scenario.name


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.requirement("FAULT-left", "FAULT-connections")
@pytest.mark.parametrize("leave_at", [1, 4, 9])
async def test_a_reader_who_leaves_in_the_middle_leaves_a_sound_log_and_nothing_open(
    many: _Many, leave_at: int
) -> None:
    """One closing event, every call settled, what was shown kept; the provider is hung up on (ours)."""
    logs = await asyncio.gather(*[many.events(scenario, leave_at=leave_at) for scenario in ALL])
    left_early = 0
    for scenario, (events, read) in zip(ALL, logs, strict=True):
        assert check_stream(events) == [], scenario.name
        left_early += len(events) > read
    assert left_early
    # The server notices in its own time that it was hung up on.
    await many.server.wait_for(lambda stats: stats.running() == 0)
    stalled = [exchange for scenario in ALL if ends_open(scenario) for exchange in many.server.stats.of(scenario.name)]
    assert {exchange.end for exchange in stalled} <= {"left", "complete"}
