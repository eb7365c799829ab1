"""The agent of the demos and its script: three turns, two tools, a few hundred words, about a second.

`treadle serve treadle.cli.demos.loom:server` serves it. What it says is the same every time, so whoever reads it can
count what is missing.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Final

from treadle.adapters.models.scripted import ScriptedModel
from treadle.adapters.models.scripted.steps import Called, Said, ScriptedTurn, turn
from treadle.app.agent import Agent
from treadle.app.server import Server
from treadle.cli.demos.paced_model import PacedModel
from treadle.cli.demos.server_process import place_of_store
from treadle.plan.tools import tool
from treadle.values.model import THINKING

NAME: Final = "loom"
PROMPT: Final = "How is a cloth woven?"
PIECE_S: Final = 0.004
"""Between two pieces of speech."""
FIRST_S: Final = 0.03
"""Before the first piece of a turn."""
TOOL_S: Final = 0.05
"""How long a tool takes."""

# No two rows read alike, so a piece that is lost or said twice is seen wherever it stood.
_THOUGHTS: Final = tuple(f"thread {number} goes left; " for number in range(1, 61))
_ROWS: Final = tuple(f"{number}. under, {number * number} picks;\n" for number in range(1, 91))
TEXT: Final = "".join(_ROWS)
"""All text of a run, to the character."""


def _turns() -> Iterator[ScriptedTurn]:
    thoughts = (_THOUGHTS[:24], _THOUGHTS[24:44], _THOUGHTS[44:])
    rows = (_ROWS[:30], _ROWS[30:60], _ROWS[60:])
    for at, (thought, said) in enumerate(zip(thoughts, rows, strict=True)):
        called = [_called(at + 1)] if at < 2 else []
        yield turn(Said(kind=THINKING, pieces=thought), Said(pieces=said), *called)


def _called(first: int) -> Called:
    loom = ", ".join(f"beam {number} and its heddles" for number in range(12))
    return Called(name="count_threads", arguments=json.dumps({"loom": loom, "first": first}), cut=12)


@tool(name="count_threads")
async def _count_threads(loom: str, first: int) -> int:
    """Count the threads of a loom."""
    await asyncio.sleep(TOOL_S)
    return len(loom) + first


def agent() -> Agent:
    """The agent.

    Raises:
        PlanError: Never on a whole installation.
    """
    model = PacedModel(ScriptedModel(tuple(_turns())), first_s=FIRST_S, piece_s=PIECE_S)
    return Agent(name=NAME, model=model, tools=[_count_threads])


def server() -> Server:
    """The server of the agent."""
    return Server([agent()], store=place_of_store())
