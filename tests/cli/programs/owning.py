"""A process that owns a store and works on one run that does not end: it says the run's id once words were shown."""

from __future__ import annotations

import asyncio
import sys

from agents import calc

from treadle.app.runner import Runner
from treadle.values.events import TextDelta


async def own(path: str) -> None:
    """Own this store until somebody ends the process."""
    async with Runner([calc], store=f"sqlite:///{path}") as runner:
        run = await runner.start("calc", "hang", thread_id="t1")
        async for record in runner.watch(run.run_id):
            if isinstance(record.event, TextDelta) and record.event.text == "3.":
                break
        sys.stdout.write(f"{run.run_id}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(own(sys.argv[1]))
