"""Checks of `wait`: a hint that comes in time, and readers that lose nothing without it."""

from __future__ import annotations

import asyncio

from treadle.testing.conformance.stores.bench import LONG_S, SCOPE, SHORT_S, Bench, settle, soon
from treadle.testing.conformance.stores.check import check
from treadle.testing.conformance.stores.logs import Script, Told, events_in
from treadle.values.ids import RunId
from treadle.values.runs import Lease, RunStatus

RUN = RunId("r1")


@check()
async def a_reader_is_woken_by_an_append(bench: Bench) -> None:
    """Every reader that waits, wherever it stands at the end of the log."""
    lease, script = await bench.own()
    for number in range(3):
        waits = [asyncio.create_task(_wait(bench, number - 1)) for _ in range(3)]
        await settle()
        await bench.append(lease, script.speech(str(number)))
        await soon(asyncio.gather(*waits))


@check()
async def a_reader_that_is_behind_does_not_wait(bench: Bench) -> None:
    """What came between its last read and the wait wakes nobody, so the wait must see it."""
    lease, script = await bench.own()
    await bench.append(lease, script.speech("a", "b"))
    for after in (-1, 0):
        await soon(_wait(bench, after))


@check()
async def a_reader_is_woken_by_a_change_of_status(bench: Bench) -> None:
    """Given back, claimed by another or ended without a record: who waits may look."""
    lease, _ = await bench.own()
    waits = asyncio.create_task(_wait(bench, -1))
    await settle()
    await bench.append(lease, status=RunStatus.READY)
    await soon(waits)
    lease = await bench.claimed("r1")
    waits = asyncio.create_task(_wait(bench, -1))
    await settle()
    await bench.append(lease, status=RunStatus.CANCELLED)
    await soon(waits)


@check()
async def nobody_waits_for_a_run_that_is_final(bench: Bench) -> None:
    """It may have ended between the reader's look and the wait, and nothing more will come."""
    lease, script = await bench.own()
    await bench.finish(lease, script)
    await soon(_wait(bench, 0))


@check()
async def a_reader_that_nothing_wakes_comes_back(bench: Bench) -> None:
    """The wait is bounded, and it may be for no time at all."""
    await bench.create()
    await soon(bench.store.wait(SCOPE, RUN, -1, timeout_s=SHORT_S))
    await soon(bench.store.wait(SCOPE, RUN, -1, timeout_s=0.0))


@check()
async def a_reader_that_leaves_its_wait_hurts_nobody(bench: Bench) -> None:
    """A cancelled wait is forgotten; the next append wakes the others."""
    lease, script = await bench.own()
    leaves, stays = asyncio.create_task(_wait(bench, -1)), asyncio.create_task(_wait(bench, -1))
    await settle()
    leaves.cancel()
    await asyncio.gather(leaves, return_exceptions=True)
    await bench.append(lease, script.speech("a"))
    await soon(stays)


@check()
async def readers_see_everything_once_however_they_come(bench: Bench) -> None:
    """Early, late, in the middle, slow, and after a cut with their cursor: each has every event once, and the end."""
    lease, script = await bench.own()
    readers = [asyncio.create_task(_follow(bench, after)) for after in (-1, -1, 4, 17)]
    await _speak(bench, lease, script)
    expected = events_in(await bench.read(-1))
    for reader, after in zip(readers, (-1, -1, 4, 17), strict=True):
        assert await soon(reader) == expected[after + 1 :]
    assert await soon(_follow(bench, 9)) == expected[10:]


@check()
async def a_reader_without_wake_ups_still_sees_everything(bench: Bench) -> None:
    """Wake-ups are hints: one whose waits merely pass has every event once, and the end."""
    lease, script = await bench.own()
    reader = asyncio.create_task(_follow(bench, -1, hears=False))
    await _speak(bench, lease, script)
    assert await soon(reader) == events_in(await bench.read(-1))


@check()
async def a_run_may_end_at_any_moment_of_a_readers_way(bench: Bench) -> None:
    """Between its read, its look at the state and its wait: it has the closing event once and never hangs."""
    for steps in range(8):
        name = f"r{steps}"
        lease, script = await bench.own(name)
        await bench.append(lease, script.speech("a", "b"))
        reader = asyncio.create_task(_follow(bench, 0, run_id=lease.run_id))
        for _ in range(steps):
            await asyncio.sleep(0)
        await bench.finish(lease, script)
        assert [told.index for told in await soon(reader)] == [1, 2]


async def _speak(bench: Bench, lease: Lease, script: Script) -> None:
    """A run from its beginning to its end, in many appends between which readers get their turn."""
    await bench.append(lease, script.facts(1), script.started())
    for number in range(30):
        await bench.append(lease, script.speech(str(number), key=number // 7 + 1))
        if number % 5 == 0:
            await bench.append(lease, script.facts(number))
        if number % 3 == 0:
            await asyncio.sleep(0)
    await bench.finish(lease, script)


async def _follow(bench: Bench, after: int, *, run_id: RunId = RUN, hears: bool = True) -> list[Told]:
    """Read to the end as a reader does: what is there, then what comes."""
    told: list[Told] = []
    while True:
        state = await bench.store.state(SCOPE, run_id)
        came = events_in(await bench.store.read(SCOPE, run_id, after, limit=4), after=after)
        told.extend(came)
        if came:
            after += len(came)
        elif state.is_final:
            return told
        else:
            await bench.store.wait(SCOPE, run_id, after, timeout_s=LONG_S if hears else 0.0)
            await asyncio.sleep(0)  # a store whose wait never waits must not keep everyone else from their turn


async def _wait(bench: Bench, after: int) -> None:
    await bench.store.wait(SCOPE, RUN, after, timeout_s=LONG_S)
