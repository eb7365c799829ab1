"""Runs against scenarios of the fault server, and what was seen of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from treadle.adapters.models.openai_chat import OpenAIChat
from treadle.app.agent import Agent
from treadle.ports.model import Model
from treadle.projections.typed import events as typed
from treadle.projections.typed.events import StreamEvent
from treadle.projections.typed.wire import stream_event_json
from treadle.testing.counting_tools import CountingTools
from treadle.testing.faults import Counts, Expected, FaultServer, Scenario
from treadle.values.limits import Limits, Retries

ATTEMPTS = 3
STALL_S = 1.0
"""A provider's silence is real here, for it is behind a socket; long enough for a busy machine."""
TOOL_S = 0.1


def agent_for(scenario: Scenario, model: Model, tools: CountingTools) -> Agent:
    """An agent that is set to what the scenario needs."""
    return Agent(
        name="a",
        model=model,
        tools=tools.tools,
        text_filters=["think"],
        limits=Limits(
            rounds=3 if "round_limit" in scenario.needs else 8,
            stall_s=STALL_S if "stall_limit" in scenario.needs else None,
        ),
        retries=Retries(attempts=ATTEMPTS, first_wait_s=0.0),
        tool_timeout_s=TOOL_S if "tool_deadline" in scenario.needs else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One streamed run."""

    events: tuple[StreamEvent, ...]
    tools: CountingTools

    @property
    def completion(self) -> typed.ResponseComplete:
        """The last event."""
        last = self.events[-1]
        assert isinstance(last, typed.ResponseComplete)
        return last

    @property
    def text(self) -> str:
        """The deltas of text, joined. Nothing is retracted in these runs."""
        return "".join(event.text for event in self.events if isinstance(event, typed.TextDelta))

    @property
    def json(self) -> str:
        """All events, as a reader of lines is given them."""
        return json.dumps([stream_event_json(event) for event in self.events], ensure_ascii=False)

    def as_expected(self, *, requests: int | None) -> Expected:
        """What was seen, in the terms of an expectation."""
        thinking = "".join(event.text for event in self.events if isinstance(event, typed.ThinkingDelta))
        executed = {
            event.call_id
            for event in self.events
            if isinstance(event, typed.ToolCallStart) and event.phase == "executing"
        }
        unrun = [
            event.status
            for event in self.events
            if isinstance(event, typed.ToolResult) and event.call_id not in executed
        ]
        return Expected(
            outcome=_ending(self.completion),
            code=self.completion.error_code,
            text=self.text,
            thinking=thinking,
            tools=tuple(sorted(self.tools.runs.items())),
            refused=len(unrun) - unrun.count("cancelled"),
            cut=unrun.count("cancelled"),
            usage=counts_of(self.completion.usage),
            requests=requests,
        )


def counts_of(usage: typed.Usage | None) -> Counts | None:
    """Usage in the terms of an expectation."""
    if usage is None:
        return None
    return Counts(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.total_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        reasoning_tokens=usage.reasoning_tokens,
    )


def _ending(completion: typed.ResponseComplete) -> Any:  # noqa: ANN401 (a word of the expectation, whatever came)
    return completion.outcome


async def streamed(scenario: Scenario, server: FaultServer) -> Seen:
    """Stream one run to its end, over a client of its own, which is closed."""
    tools = CountingTools()
    agent = agent_for(scenario, OpenAIChat(scenario.name, base_url=server.base_url, api_key="k"), tools)
    events: list[StreamEvent] = []
    said = ""
    async with agent.stream("Hi") as stream:
        async for event in stream:
            events.append(event)
            said += event.text if isinstance(event, typed.TextDelta) else ""
            if "cancel" in scenario.needs and said == scenario.expected.text:
                await stream.cancel("enough")
    await server.wait_for(lambda stats: stats.running() == stats.stalled() == 0)
    if ends_open(scenario):
        await server.wait_for(lambda stats: stats.open_connections == 0)
    assert server.stats.open_connections <= 1
    await agent.aclose()
    await server.wait_for(lambda stats: stats.open_connections == 0)
    return Seen(events=tuple(events), tools=tools)


def ends_open(scenario: Scenario) -> bool:
    """Whether the provider means to keep the last connection for ever, so that we have to hang up."""
    return any(type(step).__name__ in ("Stall", "KeepOpen") for step in last_steps(scenario))


def last_steps(scenario: Scenario) -> Sequence[object]:
    """What the provider does in the last turn."""
    return scenario.turns[-1].replies[-1].steps
