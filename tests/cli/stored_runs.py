"""A store with one run of each kind, as a runner leaves it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.cli.programs.agents import HOSTILE, calc, careful
from treadle.app.runner import Runner
from treadle.ports.store import Store
from treadle.values.events import TextDelta

THREAD = "t1"
HOSTILE_THREAD = f"t2{HOSTILE}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """The ids of the runs, oldest first: done, failed, waiting for leave, and left behind in the middle."""

    done: str
    failed: str
    paused: str
    left: str


async def fill(store: Path | Store) -> Filled:
    """Let a runner work on four runs and go away."""
    given = f"sqlite:///{store}" if isinstance(store, Path) else store
    async with Runner([calc, careful], store=given, drain_s=0) as runner:
        done = await runner.start("calc", "please add", thread_id=THREAD, key="k1")
        await runner.wait(done.run_id)
        failed = await runner.start("calc", "busy", thread_id=THREAD)
        await runner.wait(failed.run_id)
        paused = await runner.start("careful", "users", thread_id="t3")
        await runner.wait(paused.run_id)
        left = await runner.start("calc", f"hostile{HOSTILE}, then hang", thread_id=HOSTILE_THREAD)
        async for record in runner.watch(left.run_id):
            if isinstance(record.event, TextDelta) and HOSTILE in record.event.text:
                break
    return Filled(done=done.run_id, failed=failed.run_id, paused=paused.run_id, left=left.run_id)
