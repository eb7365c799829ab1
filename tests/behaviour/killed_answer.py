"""One run that waits in a file, answered in a process that a failpoint may end.

python -m tests.behaviour.killed_answer FOLDER      # the failpoint stands in TREADLE_KILL_AT

The first time it starts the run and leaves it waiting. From then on it answers what is open, if anything is, and goes
on to the end. A tool writes a line for every time that it is run.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from treadle import Agent, Runner, tool
from treadle.adapters.models.scripted import ScriptedModel
from treadle.testing import failpoints
from treadle.values.pauses import Answer, Decision

SCRIPT = """
text: May I?
call: pay {"cents": 5}
---
text: You |paid.
"""


def agent_of(folder: Path) -> Agent:
    """An agent with a tool that needs leave and must not run twice."""

    @tool(requires_approval=True)
    async def pay(cents: int) -> str:
        """Pay, and leave a trace."""
        with (folder / "paid").open("a", encoding="utf-8") as traces:
            traces.write(f"{cents}\n")
        return f"paid {cents}"

    return Agent(name="till", model=ScriptedModel.from_text(SCRIPT, yields=True), tools=[pay])


async def main(folder: Path) -> None:
    """Start and leave, or answer and go on."""
    is_begun = (folder / "runs.db").exists()
    async with Runner([agent_of(folder)], store=f"sqlite:///{folder / 'runs.db'}") as runner:
        run = await runner.start("till", "pay", thread_id="t", key="k")
        await runner.wait(run.run_id)
        if not is_begun:
            return
        said = [
            Answer(interrupt_id=pause.interrupt_id, token=pause.token, decision=Decision.APPROVE)
            for pause in await runner.pauses(run.run_id)
        ]
        if said:
            await runner.answer(run.run_id, said, principal="ann")
        async for _ in runner.watch(run.run_id):
            pass


if __name__ == "__main__":
    failpoints.arm_from(os.environ)
    asyncio.run(main(Path(sys.argv[1])))
