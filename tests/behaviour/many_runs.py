"""Five hundred runs at once, read by people who come and go, in a process of its own.

    PYTHONMALLOC=malloc MALLOC_ARENA_MAX=1 python -m tests.behaviour.many_runs memory|sqlite FOLDER

It says what it holds before, after the warm-up and after the five hundred, as JSON. Python's own allocator keeps the
most that was ever in use at once, so memory is counted with one that gives back what is free.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import cycle
from pathlib import Path

from tests.runtime.agents import add
from tests.runtime.stores import World
from treadle.adapters.models.scripted import ScriptedModel
from treadle.app.agent import Agent
from treadle.app.runner import Runner
from treadle.testing.stream_check import check_stream
from treadle.values.events import FINAL_TYPES

RUNS, WARM_UP, READERS = 500, 50, 3
SCRIPT = "\n".join(
    [
        "think: " + "Let me think. |" * 10 + "So.",
        "text: " + "Some words |" * 20 + "first. ",
        'call: add cut=4 {"a": 1, "b": 2}',
        "usage: 10 5",
        "---",
        "text: " + "And more of them |" * 40 + "at last.",
        "usage: 20 7",
    ]
)
PROC = Path("/proc/self")


def left() -> dict[str, int]:
    """Memory, descriptors and tasks that this process holds now."""
    gc.collect()
    with suppress(OSError, AttributeError):  # another C library gives back by itself, or not at all
        ctypes.CDLL(None).malloc_trim(0)
    return {
        "rss_bytes": int((PROC / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"),
        "descriptors": len(list((PROC / "fd").iterdir())),
        "tasks": len(asyncio.all_tasks()),
    }


async def read(runner: Runner, run_id: str, dice: Iterator[int]) -> str:
    """Read a run to its end, leaving and coming back at random. Gives the digest of all that was told."""
    digest, last, cursor = sha256(), None, None
    while not isinstance(last, FINAL_TYPES):
        records = runner.watch(run_id, after=cursor)
        leaves_after = (1, 3, 20, 100)[next(dice) % 4]
        async for record in records:
            last = record.event
            digest.update(repr(last).encode())
            cursor, leaves_after = record.cursor, leaves_after - 1
            if not leaves_after:
                break
        await records.aclose()
        for _ in range(next(dice) % 4):
            await asyncio.sleep(0)
    return digest.hexdigest()


async def read_all(world: World, count: int, seed: int) -> None:
    """So many runs at once, each with its readers; every reader has the whole log."""
    agent = Agent(name="a", model=ScriptedModel.from_text(SCRIPT, yields=True), tools=[add])
    async with world.runner(agent) as runner:

        async def one(number: int) -> None:
            run = await runner.start("a", f"question {number}", on_disconnect="continue")
            dice = [cycle(sha256(f"{seed} {number} {reader}".encode()).digest()) for reader in range(READERS)]
            told = await asyncio.gather(*[read(runner, run.run_id, each) for each in dice])
            late = [record.event async for record in runner.watch(run.run_id)]
            assert set(told) == {sha256("".join(map(repr, late)).encode()).hexdigest()}
            assert check_stream(late) == []

        await asyncio.gather(*[one(number) for number in range(count)])


async def main(kind: str, folder: Path) -> None:
    """Warm up, run, and tell what is left."""
    begun = left()
    for number in range(2):
        await read_all(_world(folder / f"warm{number}", kind), WARM_UP, seed=number)
    warm = left()
    await read_all(_world(folder / "hot", kind), RUNS, seed=7)
    sys.stdout.write(json.dumps({"begun": begun, "warm": warm, "hot": left()}))


def _world(folder: Path, kind: str) -> World:
    if kind == "memory":
        return World(None)
    folder.mkdir()
    return World(folder)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
