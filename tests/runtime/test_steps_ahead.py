"""A coroutine whose next step is taken by who lets it go on: the same task, the same steps, fewer turns of the loop."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import warnings
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runtime.agents import until
from treadle.runtime.steps_ahead import AHEAD, NOTHING, StepsAhead

MARK: contextvars.ContextVar[str] = contextvars.ContextVar("mark", default="")


class Worker:
    """Waits for what it is told, one after the other, and keeps a diary."""

    def __init__(self, waits: str) -> None:
        self.waits = waits
        self.room: asyncio.Future[None] | None = None
        self.gate: asyncio.Future[None] | None = None
        self.diary: list[str] = []
        self.steps = StepsAhead(self.work())
        self.task = self.steps.start("worker")

    async def work(self) -> None:
        """One wait for each letter: for room, for a gate, for a turn of the loop, for a deadline that never passes."""
        MARK.set("inside")
        try:
            for number, letter in enumerate(self.waits):
                self.diary.append(f"{letter}{number}")
                await self.wait(letter)
                assert asyncio.current_task() is self.task
                assert MARK.get() == "inside"
        except asyncio.CancelledError:
            self.diary.append("cancelled")
            raise
        self.diary.append("end")

    async def wait(self, letter: str) -> None:
        """As the letter says."""
        loop = asyncio.get_running_loop()
        if letter == "r":
            self.room = loop.create_future()
            await self.room
        elif letter == "g":
            self.gate = loop.create_future()
            await self.gate
        elif letter == "t":
            await asyncio.sleep(0)
        elif letter == "d":
            async with asyncio.timeout(3600):
                self.room = loop.create_future()
                await self.room
        else:
            raise LookupError(letter)

    def let(self, *, ahead: bool) -> bool:
        """Give the room that is waited for. Gives whether the next step was taken."""
        room = self.room
        if room is None or room.done():
            return False
        room.set_result(None)
        return ahead and self.steps.go_on(room)

    def open(self) -> None:
        """Open the gate that is waited for."""
        if self.gate is not None and not self.gate.done():
            self.gate.set_result(None)


async def ended(worker: Worker) -> None:
    """Give the worker all that it waits for, until it is over."""
    for _ in range(1000):
        if worker.task.done():
            return
        worker.let(ahead=False)
        worker.open()
        await asyncio.sleep(0)
    raise AssertionError(f"it did not end: {worker.diary}")


deeds = st.lists(st.sampled_from(["ahead", "let", "open", "turn", "turn"]), max_size=40)


@pytest.mark.parametrize("debug", [False, True])
@settings(max_examples=60)
@given(st.text("rrrgtd", max_size=25), deeds)
def test_whoever_takes_the_steps_they_are_the_same(debug, waits, told):
    """Ours: the same task, context and order of steps, and the end comes, whatever comes between them."""

    async def main() -> list[str]:
        worker = Worker(waits)
        for deed in told:
            if deed == "turn":
                await asyncio.sleep(0)
            elif deed == "open":
                worker.open()
            else:
                worker.let(ahead=deed == "ahead")
            assert asyncio.current_task() is not worker.task
            assert MARK.get() == ""
        await ended(worker)
        assert worker.task.exception() is None
        assert worker.steps.is_over
        return worker.diary

    assert asyncio.run(main(), debug=debug) == [*[f"{one}{at}" for at, one in enumerate(waits)], "end"]


@settings(max_examples=100)
@given(st.text("rrrgtd", max_size=12), deeds, deeds, st.integers(0, 2))
def test_a_cancel_comes_through_once_whenever_it_comes(waits, before, after, turns):
    """Ours: at any point, with steps taken or not taken before and after it, as it comes to any task."""

    async def main() -> None:
        worker = Worker(waits)
        for deed in [*before, "cancel", *["turn"] * turns, *after]:
            if deed == "turn":
                await asyncio.sleep(0)
            elif deed == "open":
                worker.open()
            elif deed == "cancel":
                worker.task.cancel()
            else:
                worker.let(ahead=deed == "ahead")
        has_begun = bool(worker.diary)
        await ended(worker)
        # What had taken its last step by then hears of nothing any more.
        is_past = worker.diary[-1:] == ["end"]
        assert is_past or worker.task.cancelled()
        assert worker.diary.count("cancelled") == (has_begun and not is_past)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asyncio.run(main())
        gc.collect(1)  # What one example leaves is young, and a whole heap takes half a second.


async def test_no_step_is_taken_while_a_cancel_is_on_its_way():
    """Ours: it is heard with the next turn of the loop, and not so many steps later."""
    worker = Worker("rrrr")
    await asyncio.sleep(0)
    assert worker.let(ahead=True)
    worker.task.cancel()
    assert not worker.let(ahead=True)
    await asyncio.wait([worker.task])
    assert worker.diary == ["r0", "r1", "cancelled"]


async def test_a_turn_of_the_loop_comes_after_so_many_steps():
    """Ours: timers, cancels and other tasks wait for no more than that."""
    worker = Worker("r" * 40)
    await asyncio.sleep(0)
    for _ in range(2):
        assert [worker.let(ahead=True) for _ in range(AHEAD + 1)] == [*[True] * AHEAD, False]
        await asyncio.sleep(0)
    worker.task.cancel()
    await asyncio.wait([worker.task])


async def test_one_who_stays_away_holds_nothing_up():
    """Ours: a step that was taken ends in a wait, and the task waits for the same with its next turn."""
    worker = Worker("rgr")
    await asyncio.sleep(0)
    assert worker.let(ahead=True)
    assert worker.diary == ["r0", "g1"]
    worker.open()
    await until(lambda: worker.diary == ["r0", "g1", "r2"])
    worker.let(ahead=False)
    await worker.task


async def test_what_it_waits_for_is_told():
    """Ours: a future, None for a turn of the loop, and nothing where there is nothing to go on from."""
    worker = Worker("rt")
    assert worker.steps.waits_for is NOTHING
    await asyncio.sleep(0)
    assert worker.steps.waits_for is worker.room
    worker.let(ahead=True)
    assert worker.steps.waits_for is None
    await worker.task
    assert worker.steps.waits_for is NOTHING


async def test_a_step_within_a_step_is_refused():
    """Ours: a coroutine that is at work is not begun again, be it that it lets itself go on."""
    found: list[bool] = []
    first = asyncio.get_running_loop().create_future()

    async def work() -> None:
        await first
        found.append(steps.go_on(first))

    steps = StepsAhead(work())
    task = steps.start("work")
    await asyncio.sleep(0)
    first.set_result(None)
    assert steps.go_on(first)
    assert found == [False]
    await task


def test_another_event_loop_takes_no_step():
    """Ours: a task belongs to its loop."""

    async def begin() -> Worker:
        worker = Worker("r")
        await asyncio.sleep(0)
        return worker

    async def elsewhere(worker: Worker) -> bool:
        return worker.let(ahead=True)

    with asyncio.Runner() as one, asyncio.Runner() as other:
        worker = one.run(begin())
        assert other.run(elsewhere(worker)) is False
        one.run(ended(worker))


async def test_it_may_be_let_go_on_outside_of_a_task():
    """Ours: by a callback of the loop, say."""
    worker = Worker("r")
    await asyncio.sleep(0)
    asyncio.get_running_loop().call_soon(lambda: worker.let(ahead=True))
    await worker.task
    assert worker.diary == ["r0", "end"]


@pytest.mark.parametrize("ahead", [True, False])
@pytest.mark.parametrize("cancels", [True, False])
async def test_what_a_step_raises_is_the_task_s(ahead, cancels):
    """Ours: who let it go on goes on as well."""
    worker = Worker("r!")
    await asyncio.sleep(0)
    assert worker.let(ahead=ahead) == ahead
    if cancels and ahead:
        worker.task.cancel()
    await asyncio.wait([worker.task])
    assert isinstance(worker.task.exception(), LookupError)


def test_an_interrupt_in_a_step_stops_the_loop():
    """Ours: it is the loop's, as from any task, and no failure of who let it go on."""
    went_on = []

    async def work(room: asyncio.Future[None]) -> None:
        await room
        raise KeyboardInterrupt

    async def main() -> None:
        room = asyncio.get_running_loop().create_future()
        steps = StepsAhead(work(room))
        steps.start("work")
        await asyncio.sleep(0)
        room.set_result(None)
        went_on.append(steps.go_on(room))
        await asyncio.Event().wait()

    with asyncio.Runner() as runner, pytest.raises(KeyboardInterrupt):
        runner.run(main())
    assert went_on == [True]


async def test_a_cancel_from_within_a_step_reaches_what_is_waited_for_next():
    """Ours: a task that cancels itself hears of it at its next wait, be it in a step that another one took."""
    room, later = (asyncio.get_running_loop().create_future() for _ in range(2))

    async def work() -> None:
        await room
        task.cancel()
        await later

    steps = StepsAhead(work())
    task = steps.start("work")
    await asyncio.sleep(0)
    room.set_result(None)
    assert steps.go_on(room)
    await asyncio.wait([task])
    assert task.cancelled()
    assert later.cancelled()


async def test_a_task_that_was_cancelled_before_its_first_step_leaves_nothing():
    """Ours: no warning of a coroutine that nobody awaited."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        worker = Worker("r")
        worker.task.cancel()
        await asyncio.wait([worker.task])
        gc.collect()
    assert worker.task.cancelled()
    assert worker.diary == []


@pytest.mark.parametrize("ahead", [True, False])
async def test_what_is_over_waits_for_no_collector(ahead):
    """Ours: what a run leaves behind holds itself nowhere."""
    gc.disable()
    try:
        worker = Worker("rr")
        await asyncio.sleep(0)
        while worker.let(ahead=ahead):
            pass
        await ended(worker)
        await asyncio.sleep(0)
        trace = weakref.ref(worker.task)
        del worker
        assert trace() is None
    finally:
        gc.enable()


def test_a_loop_that_closes_over_it_closes_it():
    """Ours: a coroutine that was left in a wait is closed with its task, as any is."""

    async def main() -> Worker:
        worker = Worker("rr")
        await asyncio.sleep(0)
        worker.let(ahead=True)
        return worker

    worker = asyncio.run(main())
    assert worker.diary == ["r0", "r1", "cancelled"]
