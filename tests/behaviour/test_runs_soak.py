"""Five hundred runs at once, read by people who come and go."""

from __future__ import annotations

import asyncio
import gc
import os
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from tests.runtime.agents import add
from tests.runtime.stores import World
from treadle.adapters.models.scripted import ScriptedModel
from treadle.app.agent import Agent
from treadle.app.runner import Runner
from treadle.testing.stream_check import check_stream
from treadle.values.events import FINAL_TYPES

RUNS, WARM_UP, READERS = 500, 50, 3
GROWTH = 1.25
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


def rss_bytes() -> int:
    """What this process holds in memory now."""
    gc.collect()
    return int((PROC / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def descriptors() -> int:
    """How many files and sockets are open."""
    return len(list((PROC / "fd").iterdir()))


async def read(runner: Runner, run_id: str, dice: Random) -> str:
    """Read a run to its end, leaving and coming back at random. Gives the digest of all that was told."""
    digest, last, cursor = sha256(), None, None
    while not isinstance(last, FINAL_TYPES):
        records = runner.watch(run_id, after=cursor)
        left = dice.choice([1, 3, 20, 100])
        async for record in records:
            last = record.event
            digest.update(repr(last).encode())
            cursor, left = record.cursor, left - 1
            if not left:
                break
        await records.aclose()
        for _ in range(dice.randrange(4)):
            await asyncio.sleep(0)
    return digest.hexdigest()


async def read_all(world: World, count: int, seed: int) -> None:
    """So many runs at once, each with its readers; every reader has the whole log."""
    agent = Agent(name="a", model=ScriptedModel.from_text(SCRIPT, yields=True), tools=[add])
    async with world.runner(agent) as runner:

        async def one(number: int) -> None:
            run = await runner.start("a", f"question {number}", on_disconnect="continue")
            dice = [Random(f"{seed} {number} {reader}") for reader in range(READERS)]
            told = await asyncio.gather(*[read(runner, run.run_id, each) for each in dice])
            late = [record.event async for record in runner.watch(run.run_id)]
            assert set(told) == {sha256("".join(map(repr, late)).encode()).hexdigest()}
            assert check_stream(late) == []

        await asyncio.gather(*[one(number) for number in range(count)])


@pytest.mark.soak
@pytest.mark.requirement("RUNNER-many")
@pytest.mark.skipif(not (PROC / "statm").exists(), reason="platform: memory and descriptors are read from /proc")
@pytest.mark.parametrize(("kind", "warm_up"), [("memory", RUNS), ("sqlite", WARM_UP)])
async def test_hundreds_of_runs_at_once_leave_nothing_behind(kind: str, warm_up: int, tmp_path: Path) -> None:
    """Ours: every reader's events are the log; no task, no descriptor and no memory stays.

    A store in memory holds the logs of all its runs at once, so there the first five hundred warm up for the second.
    """
    before_tasks, before_descriptors = asyncio.all_tasks(), descriptors()
    for number in range(2):
        await read_all(World(_folder(tmp_path, kind, f"warm{number}")), warm_up, seed=number)
    warm_bytes = rss_bytes()
    await read_all(World(_folder(tmp_path, kind, "hot")), RUNS, seed=7)
    assert asyncio.all_tasks() == before_tasks
    assert descriptors() == before_descriptors
    grown = rss_bytes() / warm_bytes
    assert grown <= GROWTH, f"{grown:.2f} times the memory of {warm_up} runs"


def _folder(tmp_path: Path, kind: str, name: str) -> Path | None:
    if kind == "memory":
        return None
    folder = tmp_path / name
    folder.mkdir()
    return folder
