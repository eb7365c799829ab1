"""What a person says, in few words, and what a gated tool has done: shared by the tests of pauses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.runtime.agents import model_of
from treadle.app.runner import Runner
from treadle.plan.tools import Tool, tool
from treadle.runtime.open_pauses import OpenPause
from treadle.testing.stream_check import check_stream
from treadle.values import events as ev
from treadle.values.events import CLOSING_TYPES, KernelEvent
from treadle.values.pauses import Answer, Decision
from treadle.values.requests import TurnMessage


def said(pause: OpenPause, decision: str, **more: Any) -> Answer:  # noqa: ANN401 (fields of an answer)
    """What a person says to this pause."""
    fields = {"interrupt_id": pause.interrupt_id, "token": pause.token, "decision": Decision(decision), **more}
    return Answer(**fields)


async def asked(runner: Runner, agent: str = "a", prompt: str = "hi", **more: Any) -> tuple[str, tuple[OpenPause, ...]]:  # noqa: ANN401 (as of `start`)
    """A run that was started and waits, and what for."""
    run = await runner.start(agent, prompt, **more)
    await runner.wait(run.run_id)
    return run.run_id, await runner.pauses(run.run_id)


PAY = 'text: May I? \ncall: pay {"cents": 5}\n---\ntext: It is done.'
"""A script that asks for leave to pay five cents."""


class Till:
    """A tool that must not run twice, and what it was paid. `pay` needs leave."""

    def __init__(self) -> None:
        self.paid: list[int] = []

    @property
    def pay(self) -> Tool[..., Any]:
        """The tool."""
        paid = self.paid

        @tool(requires_approval=True)
        async def pay(cents: int) -> str:
            """Pay somebody."""
            paid.append(cents)
            return f"paid {cents}"

        return pay


def problems_of(events: Sequence[KernelEvent]) -> list[str]:
    """What is wrong with a run of several segments: with any of them, and with the index over all."""
    segments: list[list[KernelEvent]] = [[]]
    for event in events:
        segments[-1].append(event)
        if isinstance(event, CLOSING_TYPES):
            segments.append([])
    if segments[-1]:
        return ["the last segment has no closing event"]
    dense = [] if [event.index for event in events] == list(range(len(events))) else ["the index is not dense"]
    return dense + [problem for segment in segments[:-1] for problem in check_stream(segment)]


def outcomes(events: list[ev.KernelEvent]) -> dict[str, tuple[str, Any]]:
    """Status, and content or words, of each result, by the number of its call."""
    return {
        event.outcome.call_id.rpartition(".")[2]: (
            event.outcome.status.value,
            event.outcome.content or event.outcome.error,
        )
        for event in events
        if isinstance(event, ev.ToolResult)
    }


def told(agent: Any, ask: int = -1) -> list[list[Any]]:  # noqa: ANN401 (an agent)
    """What the model was told of the results of each turn, when it was asked for the n-th time."""
    turns = [turn for turn in model_of(agent).asks[ask].turns if isinstance(turn, TurnMessage)]
    return [[outcome.content or outcome.error for outcome in turn.outcomes] for turn in turns]
