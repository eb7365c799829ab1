"""The demonstration: one fixed question that the model on this machine answers with a real tool.

It shows that text, a call, its result and the end of a run come out of a real model. It claims nothing about other
questions: the model is the smallest that can be installed in seconds, and right here because the question was tried.
Nothing is printed: that is the command's.

Source: docs/cli.md.
"""

from __future__ import annotations

import time
from typing import Final

from treadle.app.agent import Agent
from treadle.plan.tools import tool
from treadle.runtime.result import RunResult
from treadle.values.calls import ToolStatus
from treadle.values.requests import TurnMessage

QUESTION: Final = "What is 2750 plus 1849?"
ANSWER: Final = 4599
INSTRUCTIONS: Final = "You are a helpful assistant."


@tool
def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


@tool
def clock() -> str:
    """Tell the time of day."""
    return time.strftime("%H:%M")


def agent() -> Agent:
    """The agent that answers the question.

    Raises:
        PlanError: Never on a whole installation.
    """
    return Agent(name="demo", model="local", instructions=INSTRUCTIONS, tools=[add, clock])


def tool_ran(result: RunResult) -> bool:
    """Whether a tool ran in this run and returned well."""
    return any(
        outcome.status is ToolStatus.OK
        for message in result.messages
        if isinstance(message, TurnMessage)
        for outcome in message.outcomes
    )
