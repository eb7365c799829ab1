"""The demonstration: a fixed question, a real tool, a real model."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest

from treadle.app import demo
from treadle.ports.model import ModelRequest
from treadle.runtime.result import RunOutcome
from treadle.values.calls import ToolOutcome, ToolStatus
from treadle.values.events import KernelEvent, TextDelta
from treadle.values.ids import CallId
from treadle.values.model import ModelItem, ModelTurn, TurnEnded
from treadle.values.requests import TurnMessage, UserMessage


@pytest.mark.real_model
async def test_the_question_is_answered_with_the_tool_and_in_a_stream() -> None:
    """Ours: the tool runs with the numbers of the question, and the answer comes in at least four pieces."""
    agent = demo.agent()
    heard: list[KernelEvent] = []
    async with agent.events(demo.QUESTION) as events:
        heard.extend([event async for event in events])
    result = events.result
    await agent.aclose()
    assert result.outcome is RunOutcome.DONE
    assert demo.tool_ran(result)
    assert sum(isinstance(event, TextDelta) for event in heard) >= 4
    assert result.usage.total_tokens > 0


@pytest.mark.real_model
async def test_the_answer_is_right_and_told_in_words() -> None:
    """Ours: the question was chosen for it, so whoever sees the demonstration sees no nonsense."""
    agent = demo.agent()
    result = await agent.run(demo.QUESTION)
    await agent.aclose()
    assert str(demo.ANSWER) in result.answer
    assert not result.answer.lstrip().startswith("{")


async def test_what_counts_is_a_call_that_returned_well() -> None:
    """Ours: a demonstration whose tool failed, or never ran, has shown nothing."""
    agent = demo.agent().with_model(_Mute())
    silent = await agent.run(demo.QUESTION)
    assert not demo.tool_ran(silent)
    failed = ToolOutcome(call_id=CallId("c1"), status=ToolStatus.FAILED, error="no")
    well = ToolOutcome(call_id=CallId("c1"), content=3)
    turn = TurnMessage(turn=ModelTurn(), outcomes=(failed,))
    assert not demo.tool_ran(replace(silent, messages=(UserMessage(text="?"), turn)))
    assert demo.tool_ran(replace(silent, messages=(turn, replace(turn, outcomes=(failed, well)))))


def test_the_tools_do_what_they_say() -> None:
    """Ours: a real tool, called like the function that it is."""
    assert demo.add(2750, 1849) == demo.ANSWER
    assert len(demo.clock()) == len("23:59")


class _Mute:
    """A model that says one word and calls nothing."""

    name = "mute"

    async def ask(self, request: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
        del request
        yield [("text", "Hm."), TurnEnded(turn=ModelTurn(text="Hm."))]

    async def aclose(self) -> None:
        """It holds nothing."""
