"""Two runs under a runner over a file, in a process that a failpoint may end: one goes to its end, one is stopped.

python -m tests.behaviour.killed_runner FOLDER      # the failpoint stands in TREADLE_KILL_AT

Started again over the same folder it goes on with what there is: the same starts, by their keys. A tool writes a line
for every time that it is run. The run that was stopped is deleted, and the rows of the other are joined.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from treadle import Agent, Runner, tool
from treadle.adapters.models.scripted import ScriptedModel
from treadle.adapters.stores.sqlite import SqliteStore
from treadle.adapters.system import SystemClock
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
    """Start the runs, or find them, and wait until both rest."""
    stopped = Agent(name="stopped", model=ScriptedModel.from_text("text: So.\nhang"))
    async with (
        SqliteStore.open(folder / "runs.db", clock=SystemClock()) as store,
        Runner([agent_of(folder), stopped], store=store) as runner,
    ):
        run = await runner.start("calc", "pay", thread_id="t", key="k")
        async for _ in runner.watch(run.run_id):
            pass
        other = await runner.start("stopped", "stop", key="s")
        await runner.cancel(other.run_id)
        await runner.wait(other.run_id)
        await runner.delete(other.run_id)
        await store.compact("default", run.run_id)


if __name__ == "__main__":
    failpoints.arm_from(os.environ)
    asyncio.run(main(Path(sys.argv[1])))
