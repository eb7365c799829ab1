"""An open file: who may open it, what opening does, and that it closes."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from tests.adapters.stores.sqlite.files import CODEC
from tests.adapters.stores.sqlite.stores import opened
from treadle.adapters.stores.sqlite.core import StoreCore
from treadle.adapters.stores.sqlite.owner_lock import OwnerLock
from treadle.errors import RunLogError, StateError, StoreOwnedError
from treadle.testing.conformance.stores.bench import LONG_S, SCOPE, settle
from treadle.testing.conformance.stores.clock import SettableClock
from treadle.values.ids import RunId
from treadle.values.runs import RunStatus


async def test_the_runs_of_a_dead_owner_are_ready_again_at_once(tmp_path: Path) -> None:
    """Ours: no lease is waited for, since the lock says that its owner is dead; the epoch rises with the claim."""
    clock = SettableClock()
    async with opened(tmp_path, clock=clock) as (_, bench):
        lease, script = await bench.own()
        await bench.append(lease, script.speech("a", "b"))
    async with opened(tmp_path, clock=clock) as (_, bench):
        assert await bench.status() is RunStatus.READY
        again = await bench.claimed("r1")
        assert (again.epoch, again.next_seq, again.next_index) == (2, 2, 2)


async def test_rows_that_were_left_loose_are_joined_after_the_next_open(tmp_path: Path) -> None:
    """Ours: compaction that a crash cut off goes on."""
    async with opened(tmp_path) as (store, bench):
        lease, script = await bench.own()
        await bench.append(lease, *(script.speech(text) for text in "abc"), status=RunStatus.DONE)
        store.close()
    connection = sqlite3.connect(tmp_path / "runs.db")
    with connection:
        connection.execute("update runs set loose = 1")
    connection.close()
    async with opened(tmp_path) as (store, bench):
        await store.compact(SCOPE, RunId("r1"))
        assert len(await bench.read()) == 1


async def test_one_process_has_a_file_at_a_time(tmp_path: Path) -> None:
    """Ours: a second store on it is refused, the first goes on, and the file is free after it."""
    async with opened(tmp_path) as (_, bench):
        with pytest.raises(StoreOwnedError):
            async with opened(tmp_path):
                pass
        await bench.create()
    async with opened(tmp_path):
        pass


async def test_a_store_that_cannot_be_opened_leaves_no_lock(tmp_path: Path) -> None:
    """Ours: what is wrong is said, and the next try finds the file free."""
    connection = sqlite3.connect(tmp_path / "runs.db")
    connection.execute("create table cookies (word text)")
    connection.close()
    for _ in range(2):
        with pytest.raises(RunLogError, match="cookies"):
            async with opened(tmp_path):
                pass


async def test_whoever_waits_goes_on_when_the_store_closes(tmp_path: Path) -> None:
    """Ours: readers and workers alike; what is asked later is refused."""
    async with opened(tmp_path) as (store, bench):
        await bench.own()
        waits = [
            asyncio.create_task(store.wait(SCOPE, RunId("r1"), -1, timeout_s=LONG_S)),
            asyncio.create_task(store.ready(timeout_s=LONG_S)),
        ]
        await settle()
        await store.state(SCOPE, RunId("r1"))
        await store.aclose()
        async with asyncio.timeout(5):
            await asyncio.gather(*waits, return_exceptions=True)
        for asked in (store.create(bench.new_run("r2")), store.find(SCOPE)):
            with pytest.raises(StateError):
                await asked


async def test_a_close_that_is_cancelled_closes(tmp_path: Path) -> None:
    """Ours: the file is let go of all the same."""
    async with opened(tmp_path) as (store, _):
        closing = asyncio.create_task(store.aclose())
        await asyncio.sleep(0)
        closing.cancel()
        await asyncio.gather(closing, return_exceptions=True)
        await store.aclose()
    OwnerLock(tmp_path / "runs.db").release()


async def test_the_clock_of_a_store_does_not_go_back(tmp_path: Path) -> None:
    """Ours: a lease or a wake-up that was given does not move into the past."""
    clock = SettableClock()
    core = StoreCore(tmp_path / "runs.db", clock=clock, codec=CODEC, lock=OwnerLock(tmp_path / "runs.db"), tail_bytes=0)
    before = core.now_s()
    clock.advance(-100)
    assert core.now_s() == before
    with pytest.raises(StateError):
        _ = core.writer
    core.close()
