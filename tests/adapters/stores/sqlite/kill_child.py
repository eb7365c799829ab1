"""A small life of a store, in a process that a failpoint ends. Whoever started it is told what was acknowledged.

python -m tests.adapters.stores.sqlite.kill_child FILE      # acknowledgements go to standard output, a line each
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from treadle.adapters.stores.sqlite import SqliteStore, upgrade
from treadle.adapters.system import SystemClock
from treadle.testing import failpoints
from treadle.testing.conformance.stores.logs import Script
from treadle.values.ids import RunId, ThreadId
from treadle.values.model import THINKING
from treadle.values.runs import Lease, NewRun, RunStatus
from treadle.values.stretches import Stretch

SCOPE = "alice"
PLAN = "plan-1"
RUN, GONE, BROUGHT = RunId("r1"), RunId("r2"), RunId("r3")
KEY = "m1"


def new_run(run_id: RunId) -> NewRun:
    """The run of this name."""
    return NewRun(
        run_id=run_id,
        scope=SCOPE,
        thread_id=ThreadId(f"thread of {run_id}"),
        agent="calc",
        digest="d1",
        request=b"1+2?",
        plan=PLAN,
        key=f"key of {run_id}",
    )


def batches(run_id: RunId) -> list[list[Stretch]]:
    """All appends of a run, the last of which ends it. There is more of them than one slice of compaction takes."""
    script = Script(run_id)
    return [
        [script.facts(1), script.started()],
        [script.speech(f"hm{number}", kind=THINKING) for number in range(5)],
        [script.speech(f"word{number} ", key=2) for number in range(300)],
        [script.mixed("s", "t"), script.speech("so", " on", key=3)],
        [script.facts(2), script.done("x")],
    ]


async def write(store: SqliteStore, lease: Lease, *, first: int = 0) -> None:
    """Append what is left of a run, and tell of each append."""
    whole = batches(lease.run_id)
    for number, batch in enumerate(whole[first:], first):
        is_last = number == len(whole) - 1
        take = [message.number for message in await store.inbox(SCOPE, lease.run_id)] if is_last else []
        status = RunStatus.DONE if is_last else RunStatus.OWNED
        await store.append(lease, batch, status=status, take=take)
        tell(f"{lease.run_id} {number}")


async def live(path: Path) -> None:
    """One run from its start to its rest, one that is deleted, and one that is brought from elsewhere."""
    async with SqliteStore.open(path, clock=SystemClock(), synchronous="NORMAL") as store:
        for run_id in (RUN, GONE):
            await store.create(new_run(run_id))
            tell(f"created {run_id}")
            lease = await store.claim("w1", plans=[PLAN], ttl_s=60.0)
            assert lease is not None
            await store.send(SCOPE, run_id, key=KEY, kind="message", body=b"hello")
            tell(f"sent {run_id}")
            await write(store, lease)
        await store.compact(SCOPE, RUN)
        tell("compacted")
        lines = [line async for line in store.export(SCOPE, run_ids=[GONE], with_facts=True)]
        await store.delete(SCOPE, GONE)
        tell("deleted")
        await store.import_lines(line.replace(f'"{GONE}"', f'"{BROUGHT}"').replace(f"of {GONE}", "x") for line in lines)
        tell("imported")


def tell(what: str) -> None:
    """Say what was acknowledged: once it is said, the process may end at any moment."""
    os.write(sys.stdout.fileno(), f"{what}\n".encode())


def main(arguments: Sequence[str]) -> None:
    """Live until a failpoint, or to the end."""
    failpoints.arm_from(os.environ)
    path = Path(arguments[0])
    if path.name == "old.db":
        upgrade(path)
    else:
        asyncio.run(live(path))
    tell("end")


if __name__ == "__main__":
    main(sys.argv[1:])
