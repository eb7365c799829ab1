"""Every scenario, run by an agent that knows the rules: it ends as it says it does."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.testing.faults import naive_agent
from tests.testing.faults.raw_client import RawClient
from treadle.testing.faults.catalogue import SCENARIOS
from treadle.testing.faults.scenario import Scenario
from treadle.testing.faults.server import FaultServer

ENDING = [scenario for scenario in SCENARIOS.values() if not {"cancel", "stall_limit"} & set(scenario.needs)]
STALLING = [scenario for scenario in SCENARIOS.values() if scenario not in ENDING]


def _named(scenario: Scenario) -> str:
    return scenario.name


def test_there_are_forty_scenarios_or_more_and_each_says_what_it_does() -> None:
    """No two share a name, and a name is a word of the wire's own kind (ours)."""
    assert len(SCENARIOS) >= 40
    assert all(name == scenario.name and name.isidentifier() for name, scenario in SCENARIOS.items())
    assert len({scenario.says for scenario in SCENARIOS.values()}) == len(SCENARIOS)


@pytest.mark.parametrize("scenario", ENDING, ids=_named)
async def test_a_scenario_ends_as_it_says(scenario: Scenario) -> None:
    """What is sent is what was announced, and the expectation follows from it by the stated rules (ours)."""
    async with FaultServer() as server:
        seen = await naive_agent.run(server.base_url, scenario.name)
        assert server.stats.problems() == []
        assert server.stats.requests(scenario.name) == seen.requests
    expected = scenario.expected
    wanted = replace(expected, tools=tuple(sorted(expected.tools)), requests=expected.requests or seen.requests)
    assert seen == wanted


@pytest.mark.parametrize("scenario", STALLING, ids=_named)
async def test_a_scenario_that_stalls_says_its_text_before(scenario: Scenario) -> None:
    """The rest comes only when it is told to go on (ours)."""
    async with FaultServer() as server, RawClient(server.base_url) as client:
        beginning = asyncio.create_task(client.begin(scenario.name))
        await server.wait_for(lambda stats: stats.stalled() == 1)
        (exchange,) = server.stats.exchanges
        text = ""
        if exchange.status is not None:
            answer = await beginning
            for _ in range(exchange.sent_events):
                await client.read_piece(answer)
            deltas = [choice["delta"] for chunk in answer.chunks for choice in chunk["choices"]]
            text = "".join(delta.get("content", "") for delta in deltas)
        assert (text, exchange.end) == (scenario.expected.text, "running")
        server.release()
        assert (await beginning).status == 200
