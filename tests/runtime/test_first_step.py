"""Coroutines whose first step is taken at once."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import weakref

import pytest

from treadle.runtime.first_step import FirstSteps

MARK: contextvars.ContextVar[str] = contextvars.ContextVar("mark", default="")


def begun(coroutine, *, name):
    """Begin a coroutine that has others before and after it: there is a spare task, and there may be another."""
    steps = FirstSteps()
    assert steps.begin(_nothing(), name="before") is None
    task = steps.begin(coroutine, name=name)
    assert steps.begin(_nothing(), name="after") is None
    steps.close()
    return task


async def _nothing():
    assert MARK.get() == ""


async def _sets_and_ends():
    MARK.set("of another call")


async def test_what_waits_for_nothing_is_over_at_once():
    """Ours: no turn of the event loop for a coroutine that needs none."""
    done = []

    async def quick() -> None:
        done.append(asyncio.current_task().get_name())

    assert begun(quick(), name="quick") is None
    assert done == ["quick"]


async def test_one_task_serves_all_that_wait_for_nothing():
    """Ours: a task costs as much as what most tools do. It waits between two turns of the loop, and ends when told."""
    seen, steps, before = [], FirstSteps(), asyncio.all_tasks()

    async def quick() -> None:
        # Not the task itself: one that is held outside serves nobody else.
        seen.append(id(asyncio.current_task()))

    for _ in range(3):
        assert steps.begin(quick(), name="quick") is None
        await asyncio.sleep(0)
    (spare,) = asyncio.all_tasks() - before
    assert set(seen) == {id(spare)}
    assert not spare.done()
    steps.close()
    await spare
    steps.close()


async def test_a_spare_task_that_waits_goes_on_with_what_comes():
    """Ours: what waits takes the spare task over, and the next coroutine gets another."""
    seen, steps = [], FirstSteps()
    gates = [asyncio.get_running_loop().create_future() for _ in range(2)]

    async def slow(gate) -> None:
        seen.append(asyncio.current_task())
        await gate
        seen.append(asyncio.current_task())

    steps.begin(_nothing(), name="spare")
    await asyncio.sleep(0)
    first, second = (steps.begin(slow(gate), name="slow") for gate in gates)
    for gate in gates:
        gate.set_result(None)
    await asyncio.wait([first, second])
    assert first is not second
    assert sorted(map(id, seen)) == sorted(map(id, [first, first, second, second]))


@pytest.mark.parametrize("what", ["cancel", "callback"])
async def test_a_task_that_bears_a_trace_is_not_used_again(what):
    """Ours: a tool that cancels its own task, or wants to hear of its end, does so for itself alone."""
    seen, steps, ended = [], FirstSteps(), []

    async def marks() -> None:
        task = asyncio.current_task()
        seen.append(task)
        if what == "cancel":
            task.cancel()
        else:
            task.add_done_callback(ended.append)

    async def quick() -> None:
        seen.append(asyncio.current_task())

    assert steps.begin(marks(), name="marks") is None
    assert steps.begin(quick(), name="quick") is None
    steps.close()
    await asyncio.wait(seen)
    assert seen[0] is not seen[1]
    assert (seen[0].cancelled(), ended) == ((True, []) if what == "cancel" else (False, [seen[0]]))
    assert not seen[1].cancelled()


@pytest.mark.parametrize("registry", [set, weakref.WeakSet])
async def test_a_task_that_is_held_outside_serves_nobody_else(registry):
    """Ours: a tool that stops the search before its own, by the task of that, does not stop itself."""
    held, ended, steps = registry(), [], FirstSteps()

    async def search(gate: asyncio.Future[None] | None) -> None:
        for task in list(held):
            task.cancel()
        held.add(asyncio.current_task())
        if gate is not None:
            await gate
        ended.append(gate)

    gate = asyncio.get_running_loop().create_future()
    assert steps.begin(search(None), name="at once") is None
    task = steps.begin(search(gate), name="waits")
    gate.set_result(None)
    await asyncio.wait([task])
    assert (task.cancelled(), ended) == (False, [None, gate])
    steps.close()


@pytest.mark.parametrize("turns", [0, 1, 2])
async def test_a_spare_task_that_was_cancelled_is_not_used(turns):
    """Ours: one who cancels all tasks there are cancels the spare one too, and the next coroutine is none of them."""
    ended, steps, before = [], FirstSteps(), asyncio.all_tasks()

    async def waits(gate: asyncio.Future[None]) -> None:
        await gate
        ended.append(gate)

    steps.begin(_nothing(), name="spare")
    await asyncio.sleep(0)
    (spare,) = asyncio.all_tasks() - before
    spare.cancel()
    for _ in range(turns):
        await asyncio.sleep(0)
    gate = asyncio.get_running_loop().create_future()
    task = steps.begin(waits(gate), name="next")
    gate.set_result(None)
    await asyncio.wait([task, spare])
    assert (spare.cancelled(), task.cancelled(), ended) == (True, False, [gate])


async def test_what_waits_goes_on_as_a_task_does():
    """Ours: futures and bare turns of the loop, each waited for once."""
    seen = []
    gate = asyncio.get_running_loop().create_future()

    async def slow() -> None:
        seen.append("begun")
        seen.append(await gate)
        await asyncio.sleep(0)
        seen.append("over")

    task = begun(slow(), name="slow")
    assert seen == ["begun"]
    gate.set_result("told")
    await task
    assert seen == ["begun", "told", "over"]


async def test_a_bare_turn_of_the_loop_may_come_first():
    """Ours: a coroutine that only lets others run is one that waits."""
    seen = []

    async def polite() -> None:
        await asyncio.sleep(0)
        seen.append("over")

    task = begun(polite(), name="polite")
    assert seen == []
    await task
    assert seen == ["over"]


async def test_the_first_step_has_a_task_of_its_own():
    """Ours: a timeout or a task group in the first step is the call's own, and the caller stays the current task."""
    caller = asyncio.current_task()
    seen = []

    async def looks() -> None:
        seen.append(asyncio.current_task())
        await asyncio.sleep(0)
        seen.append(asyncio.current_task())

    task = begun(looks(), name="looks")
    assert asyncio.current_task() is caller
    await task
    assert seen == [task, task]


async def test_a_timeout_in_the_first_step_ends_the_wait_and_nothing_else():
    """Ours: what a timeout cancels is the task that it was entered in."""

    async def waits() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await asyncio.Event().wait()

    await begun(waits(), name="waits")


async def test_context_variables_do_not_leak():
    """Ours: every call has a context of its own, which lasts to its end."""
    seen = []

    async def sets() -> None:
        MARK.set("inside")
        await asyncio.sleep(0)
        seen.append(MARK.get())

    steps = FirstSteps()
    steps.begin(_sets_and_ends(), name="before")
    steps.begin(_nothing(), name="after")
    steps.close()
    task = begun(sets(), name="sets")
    assert MARK.get() == ""
    await task
    assert (seen, MARK.get()) == (["inside"], "")


@pytest.mark.parametrize("turns", [0, 1, 2])
async def test_a_cancel_comes_through_whenever_it_comes(turns):
    """Ours: also before the task has taken a step of its own."""
    seen = []

    async def waits() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            seen.append("cleaned")

    task = begun(waits(), name="waits")
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert seen == ["cleaned"]


@pytest.mark.parametrize("turns", [0, 1, 2])
async def test_a_cancel_reaches_what_is_waited_for(turns):
    """Ours: as with any task, whenever it comes. Children that are gathered do not run on without their parent."""
    children = []

    async def parent() -> None:
        children.extend(asyncio.create_task(asyncio.Event().wait()) for _ in range(2))
        await asyncio.gather(*children)

    task = begun(parent(), name="parent")
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert [child.cancelled() for child in children] == [True, True]


async def test_a_cancel_that_is_caught_lets_it_go_on():
    """Ours: a coroutine may wait again after its first wait was cancelled."""

    async def stubborn() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0)

    task = begun(stubborn(), name="stubborn")
    task.cancel()
    await task
    assert not task.cancelled()


@pytest.mark.parametrize("cancels", [False, True])
async def test_what_the_first_step_raises_is_the_task_s(cancels):
    """Ours: as with any task. Whoever began it goes on, and is still the current task; the next one gets another."""
    caller = asyncio.current_task()

    async def fails() -> None:
        raise LookupError("first step")

    task = begun(fails(), name="fails")
    assert asyncio.current_task() is caller
    if cancels:
        task.cancel()
    with pytest.raises(LookupError):
        await task


async def test_what_a_later_step_raises_is_the_task_s():
    """Ours: as with any task."""

    async def fails() -> None:
        await asyncio.sleep(0)
        raise LookupError("second step")

    task = begun(fails(), name="fails")
    with pytest.raises(LookupError):
        await task


def test_it_may_be_begun_outside_of_a_task():
    """Ours: a callback of the loop has no task."""
    seen = []

    async def quick() -> None:
        seen.append(asyncio.current_task())

    async def main() -> None:
        over = asyncio.Event()

        def callback() -> None:
            assert begun(quick(), name="quick") is None
            seen.append(asyncio.current_task())
            over.set()

        asyncio.get_running_loop().call_soon(callback)
        await over.wait()

    asyncio.run(main())
    assert isinstance(seen[0], asyncio.Task)
    assert seen[1] is None


async def test_a_spare_task_that_is_over_waits_for_no_collector():
    """Ours: what a run leaves behind holds itself nowhere."""
    gc.disable()
    try:
        steps, before = FirstSteps(), asyncio.all_tasks()
        assert steps.begin(_nothing(), name="quick") is None
        await asyncio.sleep(0)
        (spare,) = asyncio.all_tasks() - before
        trace = weakref.ref(spare)
        del spare
        steps.close()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert trace() is None
    finally:
        gc.enable()
