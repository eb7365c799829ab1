"""Checks of `find`: newest first, filtered, and paged without a gap or a repeat."""

from __future__ import annotations

from typing import Any

from treadle.testing.conformance.stores.bench import SCOPE, Bench
from treadle.testing.conformance.stores.check import check
from treadle.testing.conformance.stores.logs import Script
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import OnBusyThread, RunStatus


@check()
async def runs_are_listed_newest_first(bench: Bench) -> None:
    """By when they were created, whatever happened to them since and whatever they are called."""
    assert list(await bench.store.find(SCOPE)) == []
    for name in ("r2", "r1", "r3"):
        await bench.create(name)
    await bench.claimed("r2")
    assert await _names(bench) == ["r3", "r1", "r2"]
    assert list(await bench.store.find(SCOPE)) == [await bench.state(name) for name in ("r3", "r1", "r2")]


@check()
async def runs_are_listed_by_thread_and_status(bench: Bench) -> None:
    """Each filter alone, and both."""
    thread, other = ThreadId("t1"), ThreadId("t2")
    for name in ("r1", "r2"):
        await bench.create(name, thread_id=thread, on_busy=OnBusyThread.QUEUE)
    await bench.create("r3", thread_id=other, plan="plan-2")
    lease = await bench.claimed("r1")
    await bench.append(lease, Script(lease.run_id).done(), status=RunStatus.DONE)
    await bench.claimed("r2")
    assert await _names(bench, thread_id=thread) == ["r2", "r1"]
    assert await _names(bench, thread_id=ThreadId("t3")) == []
    assert await _names(bench, statuses=[RunStatus.READY, RunStatus.DONE]) == ["r3", "r1"]
    assert await _names(bench, statuses={RunStatus.WAITING}) == []
    assert await _names(bench, statuses=[]) == []
    assert await _names(bench, thread_id=thread, statuses=[RunStatus.OWNED]) == ["r2"]


@check()
async def pages_of_runs_join_to_the_whole(bench: Bench) -> None:
    """Of any size, also for runs that were created at the same moment: each run once."""
    for number in range(7):
        await bench.store.create(bench.new_run(f"r{number}"))
    whole = await _names(bench)
    assert sorted(whole) == [f"r{number}" for number in range(7)]
    for limit in (1, 2, 3, 7, 100):
        assert await _pages(bench, limit) == whole


@check()
async def a_page_goes_on_where_the_last_one_ended(bench: Bench) -> None:
    """A run that came in between does not move the next page, and filters hold on every page."""
    thread = ThreadId("t1")
    for number in range(6):
        name = f"r{number}"
        await bench.create(name, **({"thread_id": thread, "on_busy": OnBusyThread.QUEUE} if number % 2 else {}))
    first = await _names(bench, limit=2)
    assert first == ["r5", "r4"]
    await bench.create("r6")
    assert await _names(bench, limit=2, before=RunId("r4")) == ["r3", "r2"]
    assert await _names(bench, limit=5, before=RunId("r4"), thread_id=thread) == ["r3", "r1"]
    assert await _names(bench, before=RunId("r0")) == []


async def _names(bench: Bench, **fields: Any) -> list[str]:  # noqa: ANN401 (any filters of find)
    return [run.run_id for run in await bench.store.find(SCOPE, **fields)]


async def _pages(bench: Bench, limit: int) -> list[str]:
    names: list[str] = []
    before: RunId | None = None
    while page := await _names(bench, limit=limit, before=before):
        assert len(page) <= limit
        assert not {*page} & {*names}, f"{page} come again after {names}"
        names += page
        before = RunId(page[-1])
    return names
