"""What the machine and the writer keep together, seen from outside: whole runs, however they end."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from treadle.adapters.models.scripted import ScriptedModel
from treadle.app.agent import Agent
from treadle.plan.tools import tool
from treadle.ports.model import ModelRequest
from treadle.values import events as ev
from treadle.values.events import CLOSING_TYPES, KernelEvent
from treadle.values.limits import Limits, Retries
from treadle.values.model import ARGUMENTS, TEXT, THINKING, CallNamed, ModelItem, ModelTurn, TurnEnded

TOOL_ROUND = 'think: Hm|m.\ntext: Let me |see. \ncall: add cut=3 {"a": 1, "b": 2}\nusage: 10 5\n---\ntext: It |is 3.'
RUNS: dict[str, str] = {
    "a tool round": TOOL_ROUND,
    "an empty answer": "finish: tool_calls",
    "text at the end of the turn": "whole: It is 3.",
    "cut off": "text: It |is\neof",
    "cut off before a word": "eof",
    "tried again in silence": "error: busy\n--- again\ntext: It is 3.",
    "tried again in sight": "text: It is |4\neof\n--- again\ntext: It |is 3.",
    "a call tried again": 'text: So \ncall: add {"a": 1\neof\n--- again\ntext: It |is 3.',
    "length": "text: It |is\nfinish: length",
    "damaged": 'call: add {"a": \n---\ntext: It is 3.',
    "past its calls": "\n".join(['call: add {"a": 1, "b": 2}'] * 4),
    "waits for leave": 'text: May I? \ncall: pay {"euros": 3}',
}


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool(requires_approval=True)
def pay(euros: int) -> str:
    """Pay somebody."""
    raise AssertionError(f"paid {euros} without leave")


@tool
async def count(upto: int) -> AsyncGenerator[int, None]:
    """Count, and say each number."""
    for number in range(upto + 1):
        yield number


def agent_of(script: str) -> Agent:
    """An agent that says what the script says, and takes back what was shown where it is cut."""
    return Agent(
        name="a",
        model=ScriptedModel.from_text(script),
        tools=[add, pay, count],
        limits=Limits(tool_calls=3),
        retries=Retries(attempts=2, first_wait_s=0.0, after_output=True),
    )


async def events_of(agent: Agent) -> list[KernelEvent]:
    """All events of one run."""
    async with agent.events("hi") as run:
        return [event async for event in run]


EVERY_RUN = pytest.mark.parametrize("script", RUNS.values(), ids=RUNS)


@EVERY_RUN
@pytest.mark.requirement("EV-1", "V06")
async def test_events_are_numbered_without_a_gap(script: str) -> None:
    """EV-1: the index is dense from 0 over the run, whatever was withdrawn, kept aside or remembered between."""
    events = await events_of(agent_of(script))
    assert [event.index for event in events] == list(range(len(events)))
    assert len({event.run_id for event in events}) == 1


@EVERY_RUN
@pytest.mark.requirement("EV-3", "EV-4")
async def test_a_run_closes_once_and_last(script: str) -> None:
    """EV-3: one closing event, last, in the stream."""
    events = await events_of(agent_of(script))
    assert [isinstance(event, CLOSING_TYPES) for event in events] == [False] * (len(events) - 1) + [True]


@EVERY_RUN
@pytest.mark.requirement("EV-10")
async def test_the_outcome_is_what_was_shown_and_the_answer_is_its_tail(script: str) -> None:
    """EV-10: all un-retracted text of the run and nothing added; the answer is the text of the last round."""
    events = await events_of(agent_of(script))
    text, round_at = "", 0
    for event in events:
        match event:
            case ev.RoundStarted():
                round_at = len(text)
            case ev.TextDelta(text=piece):
                text += piece
            case ev.Retracted():
                text = text[:round_at]
            case _:
                pass
    outcome = events[-1].outcome  # type: ignore[union-attr]  # the last one closes
    assert (outcome.text, outcome.answer) == (text, text[round_at:])


class Hollow:
    """A model that says nothing many times: empty pieces of every kind, and white space that a filter holds."""

    name = "hollow"

    async def ask(self, request: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
        """Say one word and one call, with nothing around them."""
        if request.turns:
            yield [(TEXT, ""), TurnEnded(turn=ModelTurn())]
            return
        yield []
        yield [(TEXT, ""), (THINKING, ""), (TEXT, "3"), (TEXT, ""), (THINKING, "")]
        yield [(TEXT, "<think>"), (TEXT, ""), (TEXT, "</think>"), (TEXT, "")]
        yield [CallNamed(slot=0, name="add"), (ARGUMENTS, ""), (ARGUMENTS, "{}"), (ARGUMENTS, "")]
        yield [TurnEnded(turn=ModelTurn(text="3"))]

    async def aclose(self) -> None:
        """Nothing is held."""


@EVERY_RUN
@pytest.mark.requirement("EV-7")
async def test_no_delta_is_empty(script: str) -> None:
    """EV-7: a delta says something."""
    deltas = [event for event in await events_of(agent_of(script)) if isinstance(event, ev.DeltaEvent)]
    assert all(event.text for event in deltas)


@pytest.mark.requirement("EV-7")
async def test_what_a_model_says_in_empty_pieces_is_not_told() -> None:
    """EV-7: an adapter that yields nothing, and a filter that takes all, make no event."""
    agent = Agent(name="a", model=Hollow(), tools=[add])
    deltas = [event for event in await events_of(agent) if isinstance(event, ev.DeltaEvent)]
    assert [event.text for event in deltas if isinstance(event, ev.TextDelta)] == ["3"]
    assert all(event.text for event in deltas)


@pytest.mark.requirement("EV-9")
async def test_progress_is_told_whole_or_its_loss_is_told() -> None:
    """EV-9: a tool's progress is numbered without a gap, but for what a notice of loss names."""
    events = await events_of(agent_of('call: count {"upto": 300}\n---\ntext: done'))
    expected = 0
    for event in events:
        match event:
            case ev.ToolProgress(sequence=sequence):
                assert sequence == expected
                expected += 1
            case ev.Dropped(dropped_kind="tool_progress", first=first, last=last):
                assert first == expected
                expected = last + 1
            case _:
                pass
    assert expected == 300


@pytest.mark.requirement("MACHINE-siblings")
async def test_a_call_that_needs_leave_is_not_run_and_its_siblings_are() -> None:
    """Design: the other calls settle first; then the run waits."""
    events = await events_of(agent_of('call: pay {"euros": 3}\ncall: add {"a": 1, "b": 2}'))
    assert [event.outcome.content for event in events if isinstance(event, ev.ToolResult)] == [3]
    assert isinstance(events[-1], ev.Interrupt)
