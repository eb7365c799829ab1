"""Checks of `claim`, `renew` and `ready`: one owner at a time, and none for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

import pytest

from treadle.errors import FencedError
from treadle.testing.conformance.stores.bench import LONG_S, PLAN, SCOPE, SHORT_S, TTL_S, Bench, settle, soon
from treadle.testing.conformance.stores.check import check
from treadle.testing.conformance.stores.logs import Script, with_epoch
from treadle.values.ids import ThreadId
from treadle.values.runs import Lease, OnBusyThread, RunStatus

TRIES: Final = 1000
RACERS: Final = 8


@check()
async def a_claim_gives_a_run_to_one_owner(bench: Bench) -> None:
    """The lease says where the log ends; nobody else gets the run."""
    await bench.create("r1")
    assert await bench.claim() == Lease(run_id=bench.new_run().run_id, scope=SCOPE, epoch=1, next_seq=0, next_index=0)
    state = await bench.state()
    assert (state.status, state.epoch) == (RunStatus.OWNED, 1)
    assert await bench.claim() is None


@check()
async def there_may_be_nothing_to_claim(bench: Bench) -> None:
    """An empty store gives no lease, and neither does one whose runs are final."""
    assert await bench.claim() is None
    lease, script = await bench.own()
    await bench.finish(lease, script)
    bench.clock.advance(TTL_S + 1)
    assert await bench.claim() is None


@check()
async def the_oldest_run_is_claimed_first(bench: Bench) -> None:
    """Whoever came first does not starve, whatever the runs are called."""
    for name in ("r2", "r3", "r1"):
        await bench.create(name)
    for name in ("r2", "r3", "r1"):
        await bench.claimed(name)


@check()
async def a_worker_claims_what_it_has_the_plan_for(bench: Bench) -> None:
    """A run of another plan is left to others, and does not stand in the way."""
    await bench.create("r1", plan="plan-1")
    await bench.create("r2", plan="plan-2")
    await bench.create("r3", plan="plan-3")
    assert await bench.store.claim("w1", plans=(), ttl_s=TTL_S) is None
    assert await bench.claim("plan-9") is None
    await bench.claimed("r2", "plan-2")
    lease = await bench.store.claim("w1", plans=["plan-2", "plan-3"], ttl_s=TTL_S)
    assert lease is not None
    assert lease.run_id == "r3"


@check()
async def the_epoch_rises_with_every_claim(bench: Bench) -> None:
    """So that no two owners are ever taken for each other; the lease says where the log ends by then."""
    lease, script = await bench.own()
    for epoch in (1, 2, 3):
        assert (lease.epoch, lease.next_seq, lease.next_index) == (epoch, script.seq, script.index)
        await bench.append(lease, script.facts(epoch), script.stage("a", "b"), status=RunStatus.READY)
        lease = await bench.claimed("r1")


@check()
async def a_lease_holds_until_it_is_over(bench: Bench) -> None:
    """By the store's clock: a second before the end it holds, a second after it anyone may claim."""
    await bench.own()
    bench.clock.advance(TTL_S - 1)
    assert await bench.claim() is None
    bench.clock.advance(2)
    assert (await bench.claimed("r1")).epoch == 2


@check()
async def a_renewed_lease_holds_from_then_on(bench: Bench) -> None:
    """Its time counts from the renewal."""
    lease, _ = await bench.own()
    bench.clock.advance(TTL_S - 1)
    await bench.store.renew(lease, ttl_s=TTL_S)
    bench.clock.advance(TTL_S - 1)
    assert await bench.claim() is None
    bench.clock.advance(2)
    assert (await bench.claimed("r1")).epoch == 2


@check()
async def a_stale_owner_cannot_renew(bench: Bench) -> None:
    """The newer one keeps the run."""
    stale, _ = await bench.own()
    bench.clock.advance(TTL_S + 1)
    lease = await bench.claimed("r1")
    with pytest.raises(FencedError):
        await bench.store.renew(stale, ttl_s=LONG_S)
    bench.clock.advance(TTL_S + 1)
    assert (await bench.claimed("r1")).epoch == lease.epoch + 1


@check()
async def a_run_that_was_given_up_cannot_be_renewed(bench: Bench) -> None:
    """Given back, waiting or final: its lease ended with the append that said so."""
    for number, status in enumerate((RunStatus.READY, RunStatus.WAITING, RunStatus.DONE)):
        await bench.create(f"r{number}", plan=f"plan {number}")
        lease = await bench.claimed(f"r{number}", f"plan {number}")
        script = Script(lease.run_id)
        await bench.append(lease, script.stage("end"), status=status)
        with pytest.raises(FencedError):
            await bench.store.renew(lease, ttl_s=TTL_S)


@check()
async def an_owner_whose_lease_is_over_goes_on_until_somebody_claims(bench: Bench) -> None:
    """Only a newer owner fences; a slow one that nobody replaced has lost nothing."""
    lease, script = await bench.own()
    bench.clock.advance(TTL_S + 1)
    await bench.append(lease, script.stage("late"))
    await bench.store.renew(lease, ttl_s=TTL_S)
    assert await bench.claim() is None


@check()
async def a_run_that_was_given_back_can_be_claimed(bench: Bench) -> None:
    """An empty append with the status `ready` gives a run back at once, with no wait for the lease."""
    lease, _ = await bench.own()
    assert await bench.append(lease, status=RunStatus.READY) is RunStatus.READY
    assert (await bench.claimed("r1")).epoch == 2


@check()
async def a_waiting_run_is_claimed_when_its_time_has_come(bench: Bench) -> None:
    """`wake_at` brings an owner; until then nobody gets the run, and without one nobody ever does."""
    lease, script = await bench.own()
    wake_at_s = bench.clock.now_s() + 3600
    await bench.append(lease, script.stage("pause"), status=RunStatus.WAITING, wake_at_s=wake_at_s)
    state = await bench.state()
    assert (state.status, state.wake_at_s) == (RunStatus.WAITING, wake_at_s)
    bench.clock.advance(3599)
    assert await bench.claim() is None
    bench.clock.advance(2)
    lease = await bench.claimed("r1")
    assert (lease.epoch, await bench.status()) == (2, RunStatus.OWNED)
    await bench.append(lease, script.stage("pause"), status=RunStatus.WAITING)
    bench.clock.advance(1_000_000)
    assert await bench.claim() is None


@check()
async def a_moment_to_wake_is_forgotten_once_the_run_is_awake(bench: Bench) -> None:
    """A later pause without a `wake_at` does not inherit that of an earlier one."""
    lease, _ = await bench.own()
    await bench.append(lease, status=RunStatus.WAITING, wake_at_s=bench.clock.now_s() + 5)
    await bench.send()
    lease = await bench.claimed("r1")
    (message,) = await bench.store.inbox(SCOPE, lease.run_id)
    assert await bench.append(lease, status=RunStatus.WAITING, take=[message.number]) is RunStatus.WAITING
    assert (await bench.state()).wake_at_s is None
    bench.clock.advance(TTL_S + 100)
    assert await bench.claim() is None


@check(is_heavy=True)
async def of_many_who_claim_at_once_one_owns(bench: Bench) -> None:
    """A thousand tries, eight at a time, over a run whose lease is over each time."""
    await bench.create("r1")
    for epoch in range(1, TRIES // RACERS + 1):
        leases = await asyncio.gather(*(_claim_as(bench, f"w{number}") for number in range(RACERS)))
        assert [lease.epoch for lease in leases if lease is not None] == [epoch]
        bench.clock.advance(TTL_S + 1)


@check(is_heavy=True)
async def of_an_old_owner_and_a_new_one_the_new_one_writes(bench: Bench) -> None:
    """The old one appends at the same moment, at the same place, and is fenced; the log is the new one's alone."""
    old, script = await bench.own()
    expected: list[object] = []
    for round_number in range(TRIES // RACERS):
        bench.clock.advance(TTL_S + 1)
        new = await bench.claimed("r1")
        mine, theirs = script.at(script.seq, script.index), script.at(script.seq, script.index)
        fenced, written = await asyncio.gather(
            bench.append(old, theirs.stage(f"old {round_number}")),
            bench.append(new, stretch := mine.stage(f"new {round_number}")),
            return_exceptions=True,
        )
        assert isinstance(fenced, FencedError), f"a stale owner was told {fenced!r}"
        assert written is RunStatus.OWNED, f"the owner was told {written!r}"
        expected.extend(with_epoch([stretch], new.epoch))
        old, script = new, mine
    assert await bench.log() == expected


@check()
async def many_runs_find_an_owner_each(bench: Bench) -> None:
    """Of many workers at once each gets a run of its own."""
    names = [f"r{number}" for number in range(50)]
    for name in names:
        await bench.create(name)
    leases = await asyncio.gather(*(_claim_as(bench, name) for name in names))
    assert sorted(lease.run_id for lease in leases if lease is not None) == sorted(names)


@check()
async def a_worker_is_woken_by_a_new_run(bench: Bench) -> None:
    """Whoever waits for work hears of it."""
    await _wakes(bench, lambda: bench.create("r1"), "r1")


@check()
async def a_worker_is_woken_by_a_run_that_was_given_back(bench: Bench) -> None:
    """Nobody waits for its lease to end."""
    lease, _ = await bench.own()
    await _wakes(bench, lambda: bench.append(lease, status=RunStatus.READY), "r1")


@check()
async def a_worker_is_woken_by_a_message_to_a_waiting_run(bench: Bench) -> None:
    """An answer goes to work at once, and so does one that came before the pause."""
    lease, _ = await bench.own()
    await bench.append(lease, status=RunStatus.WAITING)
    await _wakes(bench, lambda: bench.send("k1"), "r1")
    newer = await _taken_over(bench)
    await _wakes(bench, lambda: bench.append(newer, status=RunStatus.WAITING), "r1")


@check()
async def a_worker_is_woken_by_the_end_of_the_run_before(bench: Bench) -> None:
    """A queued run's turn has come."""
    thread = ThreadId("t1")
    lease, script = await bench.own("r1", thread_id=thread)
    await bench.create("r2", thread_id=thread, on_busy=OnBusyThread.QUEUE)
    await _wakes(bench, lambda: bench.finish(lease, script), "r2")


@check()
async def a_worker_does_not_sleep_past_a_run_that_came_before(bench: Bench) -> None:
    """Between a claim that found nothing and the wait a run may come."""
    assert await bench.claim() is None
    await bench.create("r1")
    await soon(bench.store.ready(timeout_s=LONG_S))


@check()
async def a_worker_that_nothing_wakes_comes_back(bench: Bench) -> None:
    """The wait for work is bounded, with nothing to do and with nothing that can be done yet."""
    await soon(bench.store.ready(timeout_s=SHORT_S))
    await bench.own()
    assert await bench.claim() is None
    await soon(bench.store.ready(timeout_s=SHORT_S))
    await soon(bench.store.ready(timeout_s=0.0))


async def _wakes(bench: Bench, news: Callable[[], Awaitable[object]], run_id: str) -> None:
    """Whoever found nothing to claim is woken by this, and then finds that run."""
    assert await bench.claim() is None
    waits = asyncio.create_task(bench.store.ready(timeout_s=LONG_S))
    await settle()
    await news()
    await soon(waits)
    await bench.claimed(run_id)


async def _taken_over(bench: Bench) -> Lease:
    """The run's lease ends, and another owner has it."""
    bench.clock.advance(TTL_S + 1)
    return await bench.claimed("r1")


async def _claim_as(bench: Bench, worker: str) -> Lease | None:
    return await bench.store.claim(worker, plans={PLAN}, ttl_s=TTL_S)
