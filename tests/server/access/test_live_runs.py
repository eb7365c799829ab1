"""How many live runs each principal has."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import AsyncExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.access.connections import ALICE, BOB
from treadle.errors import TooManyRunsError
from treadle.server.access.live_runs import RECOUNT_S, LiveRuns
from treadle.testing.fake_clock import FakeClock
from treadle.values.ids import RunId


class Store:
    """What a store says of runs: live are those that it was told of."""

    def __init__(self) -> None:
        self.live: set[RunId] = set()
        self.asked = 0

    async def still_live(self, runs: Collection[RunId]) -> Collection[RunId]:
        """Which of these are live."""
        self.asked += 1
        return self.live & set(runs)


async def start(runs: LiveRuns, store: Store, name: str, *, principal: object = ALICE) -> None:
    """Start a run that stays."""
    async with runs.start(principal, store.still_live) as place:  # type: ignore[arg-type]  # a principal
        store.live.add(RunId(name))
        place.keep(RunId(name))


@pytest.mark.requirement("ACCESS-caps")
async def test_a_principal_has_so_many_live_runs_and_no_more() -> None:
    """Design: live runs per principal are capped, with 429 and Retry-After."""
    runs, store = LiveRuns(2, FakeClock()), Store()
    for name in ("r_1", "r_2"):
        await start(runs, store, name)
    with pytest.raises(TooManyRunsError) as told:
        await start(runs, store, "r_3")
    assert told.value.retry_after_s == RECOUNT_S
    await start(runs, store, "r_4", principal=BOB)
    runs.ended(RunId("r_1"))
    runs.ended(RunId("r_1"))
    await start(runs, store, "r_5")
    assert (runs.taken(ALICE), runs.taken(BOB)) == (2, 1)


async def test_an_end_that_nobody_told_of_is_found_when_the_count_is_full() -> None:
    """Ours: a run may have ended in another process. A full count asks the store once a second at most."""
    clock, store = FakeClock(), Store()
    runs = LiveRuns(2, clock)
    for name in ("r_1", "r_2"):
        await start(runs, store, name)
    assert store.asked == 0
    for _ in range(3):
        with pytest.raises(TooManyRunsError):
            await start(runs, store, "r_3")
    assert store.asked == 1
    store.live.discard(RunId("r_1"))
    clock.advance(RECOUNT_S)
    await start(runs, store, "r_3")
    assert store.asked == 2


async def test_starts_under_way_count() -> None:
    """Ours: many at once do not slip past a cap that each of them would keep."""
    runs, store = LiveRuns(3, FakeClock()), Store()
    async with AsyncExitStack() as stack:
        for _ in range(3):
            await stack.enter_async_context(runs.start(ALICE, store.still_live))
        with pytest.raises(TooManyRunsError):
            await start(runs, store, "r_1")
    assert runs.taken(ALICE) == 0


async def test_one_question_to_the_store_serves_all_who_wait() -> None:
    """Ours: a full house is no reason to ask the same thing a hundred times."""
    store, gate = Store(), asyncio.Event()
    runs = LiveRuns(1, FakeClock())
    await start(runs, store, "r_0")
    store.live.clear()

    async def slow(known: Collection[RunId]) -> Collection[RunId]:
        await gate.wait()
        return await store.still_live(known)

    async def one() -> bool:
        try:
            async with runs.start(ALICE, slow):
                return True
        except TooManyRunsError:
            return False

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one()) for _ in range(5)]
        gate.set()
    assert any(task.result() for task in tasks)
    assert store.asked == 1
    assert runs.taken(ALICE) == 0


async def test_a_start_that_is_cancelled_while_it_waits_holds_nothing() -> None:
    """Ours: a client that leaves in the queue leaves no trace."""
    store = Store()
    runs = LiveRuns(1, FakeClock())
    await start(runs, store, "r_0")
    waits = asyncio.Event()

    async def never(_: Collection[RunId]) -> Collection[RunId]:
        waits.set()
        return await asyncio.get_running_loop().create_future()

    async def one() -> None:
        async with runs.start(ALICE, never):
            raise AssertionError("there was no room")

    task = asyncio.create_task(one())
    await waits.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    runs.ended(RunId("r_0"))
    assert runs._counts == {}  # noqa: SLF001 (what is kept for nobody is what leaks)


STEPS = st.lists(
    st.tuples(st.sampled_from(["kept", "failed", "cancelled", "ended", "lost", "wait"]), st.integers(0, 9)),
    max_size=40,
)


@pytest.mark.slow
@pytest.mark.requirement("ACCESS-leak")
@given(STEPS)
def test_no_sequence_of_admissions_leaks_a_place(steps: list[tuple[str, int]]) -> None:
    """Ours: after all has ended, all is free and nothing is kept; before, no more than the cap is live."""
    asyncio.run(_played(steps))


async def _played(steps: list[tuple[str, int]]) -> None:
    clock, store = FakeClock(), Store()
    runs = LiveRuns(3, clock)
    for number, (step, pick) in enumerate(steps):
        principal, live = (ALICE, BOB)[pick % 2], sorted(store.live)
        match step:
            case "kept":
                try:
                    await start(runs, store, f"r_{principal.name}{number}", principal=principal)
                except TooManyRunsError:
                    assert runs.taken(principal) == 3
            case "failed" | "cancelled":
                fault = asyncio.CancelledError if step == "cancelled" else OSError
                with pytest.raises((fault, TooManyRunsError)):
                    async with runs.start(principal, store.still_live):
                        raise fault
            case "ended" | "lost" if live:
                store.live.discard(live[pick % len(live)])
                if step == "ended":
                    runs.ended(live[pick % len(live)])
            case _:
                clock.advance(float(pick))
        for one in (ALICE, BOB):
            assert sum(one.name in run_id for run_id in store.live) <= runs.taken(one) <= 3
    for run_id in list(runs._whose):  # noqa: SLF001 (all that may still be counted)
        runs.ended(run_id)
    assert (runs._counts, runs._whose) == ({}, {})  # noqa: SLF001 (what is kept for nobody is what leaks)
