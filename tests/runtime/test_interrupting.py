"""An interrupt of our own, among the cancels of others."""

from __future__ import annotations

import asyncio

import pytest

from treadle.runtime.interrupting import INSIST_S, Interrupt
from treadle.testing.virtual_time import run_virtually


@pytest.mark.parametrize("holds_on", [0, 1, 3])
@pytest.mark.parametrize("others", [0, 1, 2])
def test_it_insists_until_the_task_lets_go_and_takes_back_its_own_cancels_alone(holds_on: int, others: int) -> None:
    """`asyncio.Task.uncancel`: as many as there were; what is left is somebody else's."""

    async def main() -> None:
        loop, interrupt = asyncio.get_running_loop(), Interrupt()
        task = asyncio.current_task()
        assert task is not None
        begun_s, cancels = loop.time(), 0
        interrupt.begin(task)
        for _ in range(others):
            task.cancel()
        while cancels <= holds_on:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancels += 1
        assert loop.time() - begun_s == pytest.approx(INSIST_S * holds_on)
        assert interrupt.is_on
        assert interrupt.take_back(task) == (others > 0)
        assert not interrupt.is_on
        assert task.cancelling() == others
        for _ in range(others):
            task.uncancel()
        await asyncio.sleep(10 * INSIST_S)
        assert task.cancelling() == 0

    run_virtually(main())


def test_eased_it_insists_no_more() -> None:
    """Ours: what comes after the wait is not interrupted."""

    async def main() -> None:
        interrupt, task = Interrupt(), asyncio.current_task()
        assert task is not None
        interrupt.begin(task)
        with pytest.raises(asyncio.CancelledError):
            await asyncio.Event().wait()
        interrupt.ease()
        await asyncio.sleep(10 * INSIST_S)
        assert interrupt.take_back(task) is False

    run_virtually(main())
