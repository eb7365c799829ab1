"""Checks of the rule that a thread has one live run at a time."""

from __future__ import annotations

import pytest

from treadle.errors import ThreadBusyError
from treadle.testing.conformance.stores.bench import SCOPE, Bench
from treadle.testing.conformance.stores.check import check
from treadle.testing.conformance.stores.logs import Script
from treadle.values.ids import NO_THREAD, RunId, ThreadId
from treadle.values.runs import OnBusyThread, RunStatus

THREAD = ThreadId("t1")
QUEUE = OnBusyThread.QUEUE
CANCEL_PREVIOUS = OnBusyThread.CANCEL_PREVIOUS


@check()
async def a_thread_with_a_live_run_refuses_another(bench: Bench) -> None:
    """`reject`: while the run is ready, owned and waiting; the refusal changes nothing."""
    await bench.create("r1", thread_id=THREAD)
    with pytest.raises(ThreadBusyError):
        await bench.create("r2", thread_id=THREAD)
    lease = await bench.claimed("r1")
    with pytest.raises(ThreadBusyError):
        await bench.create("r2", thread_id=THREAD)
    await bench.append(lease, status=RunStatus.WAITING)
    with pytest.raises(ThreadBusyError):
        await bench.create("r2", thread_id=THREAD)
    assert [run.run_id for run in await bench.store.find(SCOPE)] == ["r1"]
    assert await bench.status() is RunStatus.WAITING


@check()
async def a_refused_run_does_not_take_its_key(bench: Bench) -> None:
    """What was refused because the thread was busy may be asked again, under the same key, when it is not."""
    lease, script = await bench.own("r1", thread_id=THREAD)
    with pytest.raises(ThreadBusyError):
        await bench.create("r2", thread_id=THREAD, key="k2")
    await bench.finish(lease, script)
    assert (await bench.create("r3", thread_id=THREAD, key="k2")).run_id == "r3"


@check()
async def a_thread_takes_the_next_run_when_the_last_is_final(bench: Bench) -> None:
    """Done, failed and cancelled runs alike leave the thread free."""
    for number, status in enumerate((RunStatus.DONE, RunStatus.ERROR, RunStatus.CANCELLED)):
        lease, script = await bench.own(f"r{number}", thread_id=THREAD)
        await bench.append(lease, script.stage("end"), status=status)
    assert (await bench.create("r9", thread_id=THREAD)).status is RunStatus.READY


@check()
async def a_queued_run_is_claimed_when_the_one_before_is_final(bench: Bench) -> None:
    """`queue`: not while that one is ready, owned or waiting."""
    await bench.create("r1", thread_id=THREAD)
    assert (await bench.create("r2", thread_id=THREAD, on_busy=QUEUE)).status is RunStatus.READY
    lease = await bench.claimed("r1")
    assert await bench.claim() is None
    await bench.append(lease, status=RunStatus.WAITING)
    assert await bench.claim() is None
    await bench.send("k1", "r1")
    lease = await bench.claimed("r1")
    await bench.finish(lease, Script(RunId("r1")))
    await bench.claimed("r2")


@check()
async def queued_runs_keep_their_order(bench: Bench) -> None:
    """They are claimed one by one in the order in which they were created, by whichever rule they came."""
    await bench.create("r1", thread_id=THREAD)
    for name in ("r2", "r3", "r4"):
        await bench.create(name, thread_id=THREAD, on_busy=QUEUE)
    for name in ("r1", "r2", "r3", "r4"):
        lease = await bench.claimed(name)
        assert await bench.claim() is None
        await bench.append(lease, Script(RunId(name)).done(), status=RunStatus.DONE)


@check()
async def a_thread_with_queued_runs_is_busy(bench: Bench) -> None:
    """A run that stands in the queue is live too."""
    lease, script = await bench.own("r1", thread_id=THREAD)
    await bench.create("r2", thread_id=THREAD, on_busy=QUEUE)
    await bench.finish(lease, script)
    with pytest.raises(ThreadBusyError):
        await bench.create("r3", thread_id=THREAD)


@check()
async def a_queued_run_holds_up_nobody_else(bench: Bench) -> None:
    """Runs of other threads are claimed past it."""
    await bench.own("r1", thread_id=THREAD)
    await bench.create("r2", thread_id=THREAD, on_busy=QUEUE)
    await bench.create("r3")
    await bench.claimed("r3")
    assert await bench.claim() is None


@check()
async def a_run_that_replaces_another_sends_it_a_cancel(bench: Bench) -> None:
    """`cancel_previous`: the live run hears it in its inbox, the new one waits for its end."""
    lease, script = await bench.own("r1", thread_id=THREAD)
    await bench.create("r2", thread_id=THREAD, on_busy=CANCEL_PREVIOUS)
    (message,) = await bench.store.inbox(SCOPE, RunId("r1"))
    assert message.kind == "cancel"
    assert await bench.claim() is None
    await bench.append(lease, script.stage("cancelled"), status=RunStatus.CANCELLED, take=[message.number])
    await bench.claimed("r2")
    assert await bench.keys("r2") == []


@check()
async def a_run_that_replaces_a_waiting_one_wakes_it(bench: Bench) -> None:
    """A pause is no way to outlive a cancel: the waiting run becomes ready and can hear it."""
    lease, _ = await bench.own("r1", thread_id=THREAD)
    await bench.append(lease, status=RunStatus.WAITING)
    await bench.create("r2", thread_id=THREAD, on_busy=CANCEL_PREVIOUS)
    assert await bench.status("r1") is RunStatus.READY
    await bench.claimed("r1")


@check()
async def a_run_that_replaces_others_cancels_the_queued_ones_too(bench: Bench) -> None:
    """Every live run of the thread comes before it, so every one is told to stop."""
    await bench.own("r1", thread_id=THREAD)
    await bench.create("r2", thread_id=THREAD, on_busy=QUEUE)
    await bench.create("r3", thread_id=THREAD, on_busy=CANCEL_PREVIOUS)
    for name, count in (("r1", 1), ("r2", 1), ("r3", 0)):
        assert len(await bench.store.inbox(SCOPE, RunId(name))) == count


@check()
async def a_free_thread_needs_no_rule(bench: Bench) -> None:
    """`queue` and `cancel_previous` in a thread without a live run are an ordinary start."""
    for name, rule in (("r1", QUEUE), ("r2", CANCEL_PREVIOUS)):
        await bench.create(name, thread_id=THREAD, on_busy=rule)
        lease = await bench.claimed(name)
        await bench.append(lease, Script(RunId(name)).done(), status=RunStatus.DONE)


@check()
async def threads_are_named_in_their_scope(bench: Bench) -> None:
    """Another scope's thread of the same name is another thread."""
    await bench.create("r1", thread_id=THREAD)
    await bench.create("r2", thread_id=THREAD, scope="bob")
    await bench.claimed("r1")
    await bench.claimed("r2")


@check()
async def runs_without_a_thread_do_not_know_of_each_other(bench: Bench) -> None:
    """No thread is not a thread that all such runs share."""
    await bench.create("r1", thread_id=NO_THREAD)
    await bench.create("r2", thread_id=NO_THREAD)
    await bench.claimed("r1")
    await bench.claimed("r2")
