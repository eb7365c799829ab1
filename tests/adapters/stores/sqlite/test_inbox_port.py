"""Inboxes over the file: what the suite for stores does not see."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.adapters.stores.sqlite.stores import opened
from treadle.testing.conformance.stores.bench import LONG_S, SCOPE, settle, soon
from treadle.values.ids import RunId
from treadle.values.runs import RunStatus

RUN = RunId("r1")


async def test_an_owner_that_waits_for_its_run_hears_a_message(tmp_path: Path) -> None:
    """Ours: a cancel is heard within a moment; a message that was sent before wakes nobody."""
    async with opened(tmp_path) as (store, bench):
        await bench.own()
        waits = asyncio.create_task(store.wait(SCOPE, RUN, -1, timeout_s=LONG_S))
        await settle()
        assert await bench.send("k1")
        await soon(waits)
        waits = asyncio.create_task(store.wait(SCOPE, RUN, -1, timeout_s=LONG_S))
        await settle()
        assert not await bench.send("k1")
        await settle()
        assert not waits.done()
        waits.cancel()


async def test_a_message_moves_the_state_that_readers_are_told(tmp_path: Path) -> None:
    """Ours: the run's tail in memory says what the rows say."""
    async with opened(tmp_path) as (store, bench):
        lease, script = await bench.own()
        await bench.append(lease, script.stage("s"), status=RunStatus.WAITING, wake_at_s=bench.clock.now_s() + 60)
        assert store.live_tails == 1
        bench.clock.advance(5)
        await bench.send()
        state = await bench.state()
        assert (state.status, state.wake_at_s, state.changed_s) == (RunStatus.READY, None, bench.clock.now_s())
        assert [state] == list(await store.find(SCOPE))
