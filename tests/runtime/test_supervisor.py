"""Claims, leases, and a good end."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Any

import pytest

from tests.runtime.agents import kinds, model_of, scripted
from tests.runtime.stores import GATED, SCOPE, LoopClock, StoreInHand, pass_time, seen, until, virtually, watched
from treadle.adapters.stores.memory import MemoryStore
from treadle.app.runner import Runner
from treadle.errors import RunLogError
from treadle.runtime.supervisor import LEASE_S, PATIENCE_S, Supervisor
from treadle.values.runs import Lease, NewRun, RunStatus

PLAN = "p"


class Slow:
    """A worker whose work ends when it is told to."""

    plans = frozenset({PLAN})

    def __init__(self) -> None:
        self.working: dict[str, asyncio.Event] = {}
        self.most = 0
        self.cancelled: list[str] = []
        self.looked: list[str] = []

    @property
    def live(self) -> Sequence[str]:
        """What is at work."""
        return tuple(self.working)

    async def look(self, run_id: str) -> None:
        """Somebody looks."""
        self.looked.append(run_id)

    async def work(self, lease: Lease) -> None:
        """Work until told."""
        done = self.working[lease.run_id] = asyncio.Event()
        self.most = max(self.most, len(self.working))
        try:
            await done.wait()
        except asyncio.CancelledError:
            self.cancelled.append(f"{lease.run_id} {lease.epoch}")
            raise
        finally:
            self.working.pop(lease.run_id, None)


async def created(store: Any, *run_ids: str) -> None:  # noqa: ANN401 (any store)
    """Runs to claim."""
    for run_id in run_ids:
        new = NewRun(run_id=run_id, scope=SCOPE, thread_id=f"t {run_id}", agent="a", digest="d", request=b"", plan=PLAN)
        await store.create(new)


def supervisor(store: Any, worker: Slow, **more: Any) -> Supervisor:  # noqa: ANN401 (any store, any options)
    """A supervisor of that worker."""
    return Supervisor(store=store, worker=worker, name="w", **{"drain_s": 0.0, **more})  # type: ignore[arg-type]  # what it asks of a worker


@virtually
async def test_no_more_runs_are_at_work_than_there_are_slots() -> None:
    """Ours: a slot is free again when its run is over, however it ended."""
    store, worker = MemoryStore(LoopClock()), Slow()
    await created(store, *"abcde")
    async with supervisor(store, worker, max_live=2):
        done = 0
        while done < 5:
            await until(lambda: bool(worker.working))
            next(iter(worker.working.values())).set()
            await pass_time(0.1)
            done += 1
        assert worker.most == 2
        assert (await store.state(SCOPE, "e")).status is RunStatus.OWNED


@virtually
async def test_a_lease_is_held_for_as_long_as_its_run_is_at_work() -> None:
    """Ours: an hour of work is one claim."""
    store, worker = MemoryStore(LoopClock()), Slow()
    await created(store, "a")
    async with supervisor(store, worker):
        await pass_time(3600)
        assert (await store.state(SCOPE, "a")).epoch == 1
    assert worker.cancelled == ["a 1"]


@virtually
async def test_work_whose_lease_another_took_is_stopped_and_work_that_just_ended_is_not_touched() -> None:
    """Ours: a lease that was let go looks the same to a renewal as one that was lost."""
    store, worker = MemoryStore(LoopClock()), Slow()
    await created(store, "a", "b")
    async with supervisor(store, worker):
        await until(lambda: len(worker.working) == 2)
        lost, let_go = await store.state(SCOPE, "a"), await store.state(SCOPE, "b")
        for state in (lost, let_go):
            lease = Lease(run_id=state.run_id, scope=SCOPE, epoch=1, next_seq=0, next_index=0)
            await store.append(lease, (), status=RunStatus.READY if state is lost else RunStatus.WAITING)
        other = await store.claim("other", plans={PLAN}, ttl_s=600.0)
        assert other is not None
        assert other.run_id == "a"
        await pass_time(LEASE_S)
        assert worker.cancelled == ["a 1"]
        assert list(worker.working) == ["b"]


@virtually
async def test_a_run_that_is_claimed_anew_here_ends_the_older_work_on_it() -> None:
    """Ours: a store that heard no renewal for too long gives the run away, be it to the same process."""
    store, worker = MemoryStore(LoopClock()), Slow()
    hand = StoreInHand(store)
    hand.deaf = True
    await created(store, "a")
    async with supervisor(hand, worker):
        await pass_time(LEASE_S + PATIENCE_S + 1)
        assert worker.cancelled == ["a 1"]
        assert (await store.state(SCOPE, "a")).epoch == 2
        hand.deaf = False


@virtually
async def test_a_store_that_fails_is_asked_again(caplog: pytest.LogCaptureFixture) -> None:
    """Ours: claims, leases and inboxes go on, however a store fails."""
    store, worker = MemoryStore(LoopClock()), Slow()

    class Failing(StoreInHand):
        failing = True

        async def claim(self, worker: str, /, *, plans: Collection[str], ttl_s: float) -> Lease | None:
            if self.failing:
                raise ValueError("no row") if len(caplog.records) else RunLogError("no store")
            claimed: Lease | None = await self.inner.claim(worker, plans=plans, ttl_s=ttl_s)
            return claimed

    hand = Failing(store)
    await created(store, "a")
    async with supervisor(hand, worker, max_live=1):
        await pass_time(2 * PATIENCE_S + 1)
        assert worker.working == {}
        hand.failing = False
        await pass_time(PATIENCE_S)
        assert list(worker.working) == ["a"]
    assert "treadle claims failed" in caplog.text


@virtually
async def test_the_inboxes_of_runs_at_work_are_looked_at_every_second() -> None:
    """Promise 6: a stop from elsewhere is heard within a second."""
    store, worker = MemoryStore(LoopClock()), Slow()
    await created(store, "a")
    async with supervisor(store, worker):
        await pass_time(10.5)
    assert worker.looked == ["a"] * 10


@virtually
async def test_an_end_that_is_hurried_still_lets_nothing_run_on() -> None:
    """Ours: a second Ctrl-C during the drain; every task ends."""
    agent = scripted(GATED)
    before = asyncio.all_tasks()

    async def life() -> None:
        async with Runner([agent], store=store, drain_s=600) as runner:
            run = await runner.start("a", "hi")
            await seen(runner, run.run_id, "text_delta")

    store = MemoryStore(LoopClock())
    living = asyncio.create_task(life())
    await pass_time(10)
    assert not living.done()
    living.cancel()
    with pytest.raises(asyncio.CancelledError):
        await living
    assert asyncio.all_tasks() == before
    model_of(agent).open_gate("go")
    async with Runner([agent], store=store) as runner:
        (state,) = await runner.runs()
        assert kinds(await watched(runner, state.run_id))[-1] == "done"
    assert asyncio.get_running_loop().time() < LEASE_S
