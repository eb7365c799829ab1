"""The log over the file: what the suite for stores does not see."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.adapters.stores.sqlite.files import row_count
from tests.adapters.stores.sqlite.stores import opened
from treadle.testing.conformance.stores.bench import LONG_S, SCOPE, settle, soon
from treadle.testing.conformance.stores.logs import records_of, with_epoch
from treadle.values.ids import RunId
from treadle.values.model import THINKING
from treadle.values.runs import RunStatus

RUN = RunId("r1")


async def test_a_reader_that_keeps_up_asks_no_thread(tmp_path: Path) -> None:
    """Ours: reads, states and waits of a live run are answered from memory, in the same turn of the loop."""
    async with opened(tmp_path) as (store, bench):
        lease, script = await bench.own()
        await bench.append(lease, script.facts(1), script.speech("a", "b"))
        reading = store.read(SCOPE, RUN, 0, limit=10)
        for asked in (reading, store.state(SCOPE, RUN), store.wait(SCOPE, RUN, 0, timeout_s=LONG_S)):
            try:
                asked.send(None)
            except StopIteration:
                continue
            raise AssertionError("a live run was not answered from memory")


async def test_memory_and_rows_say_the_same(tmp_path: Path) -> None:
    """Ours: what a reader is given does not depend on when it comes: half a surrogate pair is replaced for both."""
    clock = None
    async with opened(tmp_path) as (_, bench):
        clock = bench.clock
        lease, script = await bench.own()
        await bench.append(lease, script.mixed("s", "t"), script.speech("a\ud800", "b"), script.done("x"))
        live = records_of(await bench.read())
    async with opened(tmp_path, clock=clock) as (_, bench):
        assert records_of(await bench.read()) == live


async def test_rows_of_a_passage_that_is_over_are_joined_while_the_run_lives(tmp_path: Path) -> None:
    """Design: one row a passage once it is finished."""
    async with opened(tmp_path) as (store, bench):
        lease, script = await bench.own()
        for text in "abcdef":
            await bench.append(lease, script.speech(text, kind=THINKING))
        batch = [script.speech("g")]
        await bench.append(lease, *batch)
        core = store._core  # noqa: SLF001 (idle work has no port)
        while core.compaction.is_due():
            await core.write(lambda _: None)
        assert await core.ask(row_count) == 2


async def test_a_reader_at_the_end_of_a_resting_run_is_woken_by_the_next_owner(tmp_path: Path) -> None:
    """Ours: whether the run's tail is in memory or was never."""
    clock = None
    async with opened(tmp_path) as (_, bench):
        clock = bench.clock
        lease, script = await bench.own()
        await bench.append(lease, script.stage("pause"), status=RunStatus.WAITING)
    async with opened(tmp_path, clock=clock) as (store, bench):
        waits = asyncio.create_task(store.wait(SCOPE, RUN, 0, timeout_s=LONG_S))
        await store.state(SCOPE, RUN)
        await bench.send()
        await soon(waits)
        lease = await bench.claimed("r1")
        waits = asyncio.create_task(store.wait(SCOPE, RUN, 0, timeout_s=LONG_S))
        await settle()
        batch = [script.stage("on")]
        await bench.append(lease, *batch)
        await soon(waits)
        assert [told for told in await bench.log() if told.index == 1] == with_epoch(batch, 2)
