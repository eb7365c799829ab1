"""The table of runs over the file: what the suite for stores does not see."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.adapters.stores.sqlite.stores import opened
from treadle.testing.conformance.stores.bench import LONG_S, SCOPE, TTL_S, settle, soon
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import OnBusyThread, RunStatus


async def test_a_claim_whose_worker_is_gone_is_given_back(tmp_path: Path) -> None:
    """Ours: nobody waits for a lease that nobody holds; another worker hears of it."""
    async with opened(tmp_path) as (store, bench):
        await bench.create()
        task = asyncio.create_task(bench.claim())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        lease = await bench.claim()
        while lease is None:
            await soon(store.ready(timeout_s=LONG_S))
            lease = await bench.claim()
        assert (lease.run_id, lease.epoch) == ("r1", 2)


async def test_a_worker_is_woken_when_a_pause_is_over(tmp_path: Path) -> None:
    """Ours: a moment to wake needs nobody to ask again and again; what was due before wakes nobody."""
    async with opened(tmp_path) as (store, bench):
        lease, _ = await bench.own()
        await bench.append(lease, status=RunStatus.WAITING, wake_at_s=bench.clock.now_s() + 0.01)
        assert await bench.claim() is None
        await soon(store.ready(timeout_s=LONG_S))
        bench.clock.advance(1.0)
        await bench.claimed("r1")


async def test_the_tail_of_a_run_goes_with_its_run(tmp_path: Path) -> None:
    """Ours: a run that is deleted is not read from memory, nor are its facts."""
    async with opened(tmp_path) as (store, bench):
        lease, script = await bench.own()
        await bench.append(lease, script.facts(1), script.stage("s"), status=RunStatus.DONE)
        assert store.live_tails == 1
        await store.delete(SCOPE, RunId("r1"), facts_only=True)
        assert store.live_tails == 0
        assert [told.index for told in await bench.log()] == [0]


async def test_who_is_replaced_hears_of_it_where_it_waits(tmp_path: Path) -> None:
    """Ours: a cancel reaches an owner as it waits for news of its run."""
    async with opened(tmp_path) as (store, bench):
        await bench.own("r1", thread_id=ThreadId("t1"))
        waits = asyncio.create_task(store.wait(SCOPE, RunId("r1"), -1, timeout_s=LONG_S))
        await settle()
        await bench.create("r2", thread_id=ThreadId("t1"), on_busy=OnBusyThread.CANCEL_PREVIOUS)
        await soon(waits)


async def test_a_lease_that_is_over_is_taken_with_its_tail(tmp_path: Path) -> None:
    """Ours: readers of the old owner go on with the new one."""
    async with opened(tmp_path) as (_, bench):
        lease, script = await bench.own()
        await bench.append(lease, script.speech("a"))
        bench.clock.advance(TTL_S + 1)
        newer = await bench.claimed("r1")
        await bench.append(newer, script.speech("b"))
        assert [(told.epoch, told.content) for told in await bench.log()] == [
            (1, ("text", 1, "a")),
            (2, ("text", 1, "b")),
        ]
