"""Agents for the tests of the command, in a folder that the command is started in."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator

from treadle import Agent, tool
from treadle.errors import ModelBusyError
from treadle.ports.model import ModelRequest
from treadle.values.calls import ToolRequest
from treadle.values.model import TEXT, THINKING, ModelItem, ModelTurn, StopReason, TurnEnded
from treadle.values.requests import UserMessage
from treadle.values.usage import UsageDelta

HOSTILE = "\x1b]0;owned\x07\x1b[31m\x9b2J"
USAGE = UsageDelta(input_tokens=5, output_tokens=3, total_tokens=8)


class Model:
    """Says by the question what it is told to: think, call, fail, hang, or repeat what was said before."""

    name = "of-the-tests"

    async def ask(self, request: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
        """Ask once."""
        question = request.prompt.prompt
        if "add" in question and not request.turns:
            yield [(THINKING, "I must "), (THINKING, "add.")]
            calls = (ToolRequest(name="add", arguments={"a": 1, "b": 2}), ToolRequest(name="fail"))
            yield [TurnEnded(turn=ModelTurn(tool_requests=calls, usage=USAGE))]
            return
        if "history" in question:
            said = [m.text if isinstance(m, UserMessage) else m.turn.text for m in request.prompt.history]
            yield [(TEXT, repr(said))]
        yield [(TEXT, "It is "), (TEXT, "3."), *([(TEXT, HOSTILE)] if "hostile" in question else [])]
        if "busy" in question:
            raise ModelBusyError("in our own words", detail="in the provider's secret words")
        if "hang" in question:
            await asyncio.Event().wait()
        yield [TurnEnded(turn=ModelTurn(text="It is 3.", usage=USAGE, stop_reason=StopReason.STOP))]

    async def aclose(self) -> None:
        """Nothing is held."""


@tool
async def add(a: int, b: int) -> int:
    """Add two numbers."""
    sys.stdout.write("what a tool prints\n")
    return a + b


@tool
async def fail() -> int:
    """Fail."""
    raise ValueError("a secret of the tool")


@tool(requires_approval=True)
async def drop(table: str) -> str:
    """Drop a table."""
    return f"dropped {table}"


class Dropping(Model):
    """Wants to drop a table, whatever it is asked."""

    async def ask(self, request: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
        """Ask once."""
        call = ToolRequest(name="drop", arguments={"table": request.prompt.prompt})
        yield [TurnEnded(turn=ModelTurn(tool_requests=(call,), usage=USAGE))]


calc = Agent(name="calc", model=Model(), instructions="Use the tools.", tools=[add, fail])
careful = Agent(name="careful", model=Dropping(), tools=[drop])
not_an_agent = 3


def made() -> Agent:
    """An agent, made when it is asked for."""
    return calc


def broken() -> Agent:
    """Fails."""
    raise LookupError("the user's own words")
