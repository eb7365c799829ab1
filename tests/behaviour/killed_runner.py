"""One run under a runner over a file, in a process that a failpoint may end.

python -m tests.behaviour.killed_runner FOLDER      # the failpoint stands in TREADLE_KILL_AT

Started again over the same folder it goes on with what there is: the same start, by its key. A tool writes a line for
every time that it is run.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from treadle import Agent, Runner, tool
from treadle.adapters.models.scripted import ScriptedModel
from treadle.testing import failpoints

SCRIPT = """
think: hm|, so
text: Let me | see.
call: pay {"cents": 5}
call: look {}
---
text: You |paid | 5 |cents.
"""
ANSWER = "You paid  5 cents."
TEXT = "Let me  see." + ANSWER


def agent_of(folder: Path) -> Agent:
    """An agent with a tool that must not run twice and one that may."""

    @tool
    async def pay(cents: int) -> str:
        """Pay, and leave a trace."""
        with (folder / "paid").open("a", encoding="utf-8") as traces:
            traces.write(f"{cents}\n")
        return f"paid {cents}"

    @tool(idempotent=True)
    async def look() -> str:
        """Look."""
        return "seen"

    return Agent(name="calc", model=ScriptedModel.from_text(SCRIPT, yields=True), tools=[pay, look])


async def main(folder: Path) -> None:
    """Start the run, or find it, and wait until it rests."""
    async with Runner([agent_of(folder)], store=f"sqlite:///{folder / 'runs.db'}") as runner:
        run = await runner.start("calc", "pay", thread_id="t", key="k")
        async for _ in runner.watch(run.run_id):
            pass


if __name__ == "__main__":
    failpoints.arm_from(os.environ)
    asyncio.run(main(Path(sys.argv[1])))
