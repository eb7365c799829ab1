"""Checks of `create`: what a new run is, and that a repeated request is one run."""

from __future__ import annotations

import asyncio

import pytest

from treadle.errors import KeyReusedError
from treadle.testing.conformance.stores.bench import PLAN, SCOPE, Bench
from treadle.testing.conformance.stores.check import check
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import OnBusyThread, RunState, RunStatus


@check()
async def a_new_run_is_ready_and_empty(bench: Bench) -> None:
    """Nothing is written and nobody owns it; what was asked is kept as it came."""
    run = bench.new_run(thread_id=ThreadId("t1"), properties={"tier": 1, "name": "a"}, request=b"\x00\xff")
    created = await bench.store.create(run)
    now_s = bench.clock.now_s()
    assert created == RunState(
        run_id=RunId("r1"),
        scope=SCOPE,
        thread_id=ThreadId("t1"),
        agent="calc",
        status=RunStatus.READY,
        epoch=0,
        next_seq=0,
        next_index=0,
        created_s=now_s,
        changed_s=now_s,
        request=b"\x00\xff",
        plan=PLAN,
        properties={"tier": 1, "name": "a"},
    )
    assert await bench.state() == created
    assert await bench.log() == []
    assert await bench.keys() == []


@check()
async def one_key_is_one_run(bench: Bench) -> None:
    """The same request under the same key joins the run that is there, whatever its own id."""
    first = await bench.create("r1", key="k1")
    assert await bench.create("r2", key="k1") == first
    assert [run.run_id for run in await bench.store.find(SCOPE)] == ["r1"]


@check()
async def a_key_joins_its_run_before_the_thread_is_asked(bench: Bench) -> None:
    """A request that is repeated while its run is live is not another message to the thread."""
    thread = ThreadId("t1")
    await bench.create("r1", key="k1", thread_id=thread)
    for rule in OnBusyThread:
        assert (await bench.create("r2", key="k1", thread_id=thread, on_busy=rule)).run_id == "r1"
    assert await bench.keys() == []


@check()
async def a_key_joins_its_run_after_the_end(bench: Bench) -> None:
    """A client that repeats its request when the stream ends gets the run that ended, and none is run again."""
    lease, script = await bench.own("r1", key="k1")
    await bench.finish(lease, script)
    joined = await bench.create("r2", key="k1")
    assert (joined.run_id, joined.status) == ("r1", RunStatus.DONE)
    assert await bench.claim() is None


@check()
async def another_request_under_a_used_key_is_refused(bench: Bench) -> None:
    """A key stands for one request; the refusal changes nothing."""
    await bench.create("r1", key="k1")
    with pytest.raises(KeyReusedError):
        await bench.create("r2", key="k1", digest="d2")
    assert [run.run_id for run in await bench.store.find(SCOPE)] == ["r1"]


@check()
async def runs_without_a_key_are_never_joined(bench: Bench) -> None:
    """Two equal requests without a key are two runs."""
    await bench.create("r1")
    assert (await bench.create("r2")).run_id == "r2"


@check()
async def a_key_is_unique_in_its_scope_alone(bench: Bench) -> None:
    """Another scope's key, even for another request, says nothing here."""
    await bench.create("r1", key="k1")
    other = await bench.create("r2", key="k1", digest="d2", scope="bob")
    assert (other.run_id, other.scope) == ("r2", "bob")


@check()
async def to_create_a_run_again_is_to_find_it(bench: Bench) -> None:
    """Whoever lost the answer to `create` asks again with the same run; another request may not take its id."""
    first = await bench.create("r1")
    assert await bench.create("r1") == first
    with pytest.raises(KeyReusedError):
        await bench.create("r1", digest="d2")


@check()
async def one_key_at_the_same_moment_is_one_run(bench: Bench) -> None:
    """Of many equal requests at once one creates the run and the others join it."""
    runs = [bench.new_run(f"r{number}", key="k1") for number in range(20)]
    created = await asyncio.gather(*(bench.store.create(run) for run in runs))
    assert len({state.run_id for state in created}) == 1
    assert len(await bench.store.find(SCOPE)) == 1
