"""What a person says, in few words, and what a gated tool has done: shared by the tests of pauses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle.app.runner import Runner
from treadle.plan.tools import Tool, tool
from treadle.runtime.open_pauses import OpenPause
from treadle.testing.stream_check import check_stream
from treadle.values.events import CLOSING_TYPES, KernelEvent
from treadle.values.pauses import Answer, Decision


def said(pause: OpenPause, decision: str, **more: Any) -> Answer:  # noqa: ANN401 (fields of an answer)
    """What a person says to this pause."""
    fields = {"interrupt_id": pause.interrupt_id, "token": pause.token, "decision": Decision(decision), **more}
    return Answer(**fields)


async def asked(runner: Runner, agent: str = "a", prompt: str = "hi", **more: Any) -> tuple[str, tuple[OpenPause, ...]]:  # noqa: ANN401 (as of `start`)
    """A run that was started and waits, and what for."""
    run = await runner.start(agent, prompt, **more)
    await runner.wait(run.run_id)
    return run.run_id, await runner.pauses(run.run_id)


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
