"""The tools that the fault scenarios call, counting how often each ran.

    tools = CountingTools()
    Agent(name="a", model=..., tools=tools.tools)
    tools.runs["add"]

Each `CountingTools` counts for itself, so that runs at the same time do not meet in one count.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from treadle.plan.tools import Tool, tool
from treadle.testing.faults.steps import LEAK_MARK


class CountingTools:
    """Tools, and how often each of them ran.

    Shape: `runs` counts by name when a tool begins; a name that is not there is 0.
    """

    def __init__(self) -> None:
        self.runs: Counter[str] = Counter()

    @property
    def tools(self) -> tuple[Tool[..., Any], ...]:
        """All of them, for `Agent(tools=...)`."""
        return (self.add, self.lookup, self.ping, self.fail, self.slow)

    @tool
    async def add(self, a: int, b: int) -> int:
        """Add two numbers."""
        self.runs["add"] += 1
        return a + b

    @tool
    async def lookup(self, q: str) -> str:
        """Look something up."""
        self.runs["lookup"] += 1
        return f"found {len(q)}"

    @tool
    async def ping(self) -> str:
        """Say pong."""
        self.runs["ping"] += 1
        return "pong"

    @tool
    async def fail(self) -> str:
        """Raise an error whose text is for operators alone."""
        self.runs["fail"] += 1
        raise RuntimeError(LEAK_MARK)

    @tool
    async def slow(self) -> str:
        """Never return; it ends when it is cancelled."""
        self.runs["slow"] += 1
        await asyncio.Event().wait()
        return "never"
