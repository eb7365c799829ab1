"""What it costs to store before one shows: the SQLite store beside the memory store and its floor, in one run.

    python bench/store.py                          # all of it, about a minute
    python bench/store.py --seconds 2 --dir DIR    # shorter; the file in another place

Rates are of appends of one text each, back to back. Latency is from a text's birth to the moment at which a
reader of that run has it in hand. Printed, never asserted: it is the disk's and the neighbours' affair.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import sqlite3
import statistics
import tempfile
import time
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bare_store import BareStore

from treadle.adapters.stores.memory import MemoryStore
from treadle.adapters.stores.sqlite import SqliteStore
from treadle.adapters.system import SystemClock
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import Lease, NewRun, RunStatus
from treadle.values.stretches import SpeechStretch

TEXT = " token"
SCOPE = "bench"


@contextlib.asynccontextmanager
async def opened(kind: str, folder: Path):
    """A store of this kind: memory, FULL or NORMAL; or bare, the floor of FULL."""
    if kind == "memory":
        yield MemoryStore(SystemClock())
        return
    path = folder / f"{kind}-{time.monotonic_ns()}.db"
    if kind == "bare":
        async with BareStore.open(path, "FULL") as store:
            yield store
        return
    async with SqliteStore.open(path, clock=SystemClock(), synchronous=kind) as store:
        yield store


async def own(store: Any, number: int) -> Lease:
    """A run of one's own."""
    run = NewRun(
        run_id=RunId(f"r{number}"),
        scope=SCOPE,
        thread_id=ThreadId(f"t{number}"),
        agent="bench",
        digest="d",
        request=b"{}",
        plan=f"p{number}",
    )
    await store.create(run)
    lease = await store.claim("bench", plans=[run.plan], ttl_s=600)
    assert lease is not None
    return lease


def stretch(lease: Lease, at: int, text: str = TEXT) -> SpeechStretch:
    """The text at this place of a run's one passage."""
    return SpeechStretch(
        seq=at, index=at, kind="text", key=1, texts=(text,), at_s=time.time(), epoch=lease.epoch
    )


async def rate(kind: str, runs: int, seconds: float, folder: Path) -> str:
    """Appends a second, back to back."""
    async with opened(kind, folder) as store:
        leases = [await own(store, number) for number in range(runs)]
        acks: list[float] = []
        commits = getattr(store, "commits", 0)
        began = time.perf_counter()

        async def write(lease: Lease) -> int:
            at = 0
            while time.perf_counter() - began < seconds:
                asked = time.perf_counter()
                await store.append(lease, [stretch(lease, at)], status=RunStatus.OWNED)
                acks.append(time.perf_counter() - asked)
                at += 1
            return at

        count = sum(await asyncio.gather(*map(write, leases)))
        took = time.perf_counter() - began
        per_s = (getattr(store, "commits", 0) - commits) / took
        return f"{count / took:9,.0f} events/s {per_s:7,.0f} commits/s   ack {quantiles(acks)}"


async def latency(kind: str, runs: int, per_s: float, seconds: float, folder: Path) -> str:
    """From a text's birth to a reader's hand, and what a core gives for it.

    As a live run does it: while an append is in flight, further texts grow into one. When each text was born is
    reckoned, not kept: a book of half a million births is walked by the collector of garbage, for tens of
    milliseconds at a time, and that would be all that the slowest hundredth shows.
    """
    async with opened(kind, folder) as store:
        leases = [await own(store, number) for number in range(runs)]
        begun: dict[str, float] = {}
        seen = array("d")
        count = int(seconds * per_s)
        commits, cpu, began = getattr(store, "commits", 0), time.process_time(), time.perf_counter()

        async def write(lease: Lease, offset: float) -> None:
            clock = time.perf_counter
            begun[lease.run_id] = start = clock() + offset
            told = at = 0
            while told < count:
                pause = start + told / per_s - clock()
                if pause > 0:
                    await asyncio.sleep(pause)
                due = min(count, max(told, int((clock() - start) * per_s)) + 1)
                await store.append(lease, [stretch(lease, at, TEXT * (due - told))], status=RunStatus.OWNED)
                told, at = due, at + 1

        async def read(lease: Lease) -> None:
            after, told = -1, 0
            while told < count:
                for found in await store.read(SCOPE, lease.run_id, after, limit=512):
                    now = time.perf_counter() - begun[lease.run_id]
                    for text in found.texts[max(0, after + 1 - found.index) :]:
                        number, told = told, told + len(text) // len(TEXT)
                        seen.extend([now - each / per_s for each in range(number, told)])
                    after = found.index + len(found.texts) - 1
                if told < count:
                    await store.wait(SCOPE, lease.run_id, after, timeout_s=5)

        readers = [asyncio.create_task(read(lease)) for lease in leases]
        await asyncio.gather(*(write(lease, number / runs / per_s) for number, lease in enumerate(leases)))
        await asyncio.gather(*readers)
        took = time.perf_counter() - began
        per_second = (getattr(store, "commits", 0) - commits) / took
        core = (time.process_time() - cpu) / took
        return f"{quantiles(seen)} {per_second:6,.0f} commits/s   {core:4.0%} of a core"


async def compaction(deltas: int, folder: Path) -> str:
    """How long a passage takes to become a row, while another run goes on."""
    async with opened("FULL", folder) as store:
        lease, other = await own(store, 0), await own(store, 1)
        for first in range(0, deltas, 500):
            batch = [stretch(lease, at) for at in range(first, min(first + 500, deltas))]
            await store.append(lease, batch, status=RunStatus.OWNED)
        acks: list[float] = []
        done = asyncio.Event()

        async def beside() -> None:
            at = 0
            while not done.is_set():
                asked = time.perf_counter()
                await store.append(other, [stretch(other, at)], status=RunStatus.OWNED)
                acks.append(time.perf_counter() - asked)
                at += 1
                await asyncio.sleep(0.01)

        writer = asyncio.create_task(beside())
        began = time.perf_counter()
        await store.append(lease, [], status=RunStatus.DONE)
        await store.compact(SCOPE, lease.run_id)
        took = time.perf_counter() - began
        done.set()
        await writer
        rows = len(await read_rows(store.path, lease.run_id))
        return f"{took * 1e3:6.1f} ms for {deltas} rows -> {rows}; beside it {quantiles(acks)}, worst {max(acks) * 1e3:.1f} ms"


async def read_rows(path: Path, run_id: str) -> list[Any]:
    """The rows of a run as they stand in the file."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        return connection.execute("select seq from rows where run_id = ?", (run_id,)).fetchall()
    finally:
        connection.close()


def quantiles(values: Sequence[float]) -> str:
    """p50 and p99 in milliseconds."""
    if len(values) < 2:
        return "-"
    cuts = statistics.quantiles(values, n=100)
    return f"p50 {cuts[49] * 1e3:6.2f} ms  p99 {cuts[98] * 1e3:6.2f} ms"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--dir", default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.dir) as name:
        folder = Path(name)
        print(f"load {os.getloadavg()[0]:.1f}, SQLite {sqlite3.sqlite_version}")
        print("\nappend, one text each, back to back")
        for runs in (1, 64):
            for kind in ("memory", "NORMAL", "FULL"):
                print(f"  {runs:3} runs  {kind:6} {asyncio.run(rate(kind, runs, options.seconds, folder))}")
        print("\nfrom a text's birth to a reader's hand")
        for runs, per_s in ((1, 100.0), (50, 100.0), (200, 1000.0)):
            for kind in ("memory", "bare", "NORMAL", "FULL"):
                told = asyncio.run(latency(kind, runs, per_s, options.seconds, folder))
                print(f"  {runs:3} x {per_s:4.0f}/s  {kind:6} {told}")
        print("\ncompaction of one passage")
        print(f"  {asyncio.run(compaction(5000, folder))}")


if __name__ == "__main__":
    main()
