"""Wake-ups."""

from __future__ import annotations

import asyncio

from treadle.adapters.stores.memory.hints import Hints
from treadle.testing.virtual_time import run_virtually


def test_everyone_who_waits_is_woken_at_once() -> None:
    """Ours: one wake-up is for all who wait then, and no time passes."""

    async def main() -> float:
        hints = Hints()
        waits = [asyncio.create_task(hints.wait(60.0)) for _ in range(3)]
        await asyncio.sleep(0)
        hints.wake()
        await asyncio.gather(*waits)
        return asyncio.get_running_loop().time()

    assert run_virtually(main()) == 0.0


def test_a_wait_that_nobody_ends_is_over_in_time() -> None:
    """Ours: every wait is bounded, and one for no time does not wait."""

    async def main() -> float:
        hints = Hints()
        await hints.wait(60.0)
        await hints.wait(0.0)
        hints.wake()
        return asyncio.get_running_loop().time()

    assert run_virtually(main()) == 60.0


def test_a_wait_that_is_cancelled_as_it_is_woken_stays_cancelled() -> None:
    """Ours: whoever leaves is forgotten, and a cancel is never swallowed."""

    async def main() -> bool:
        hints = Hints()
        wait = asyncio.create_task(hints.wait(60.0))
        await asyncio.sleep(0)
        wait.cancel()
        hints.wake()
        await asyncio.gather(wait, return_exceptions=True)
        return wait.cancelled()

    assert run_virtually(main())


def test_each_wait_is_over_in_its_own_time_whoever_came_first() -> None:
    """Ours: one timer for all of them, and none waits for another."""

    async def main() -> list[float]:
        hints, loop = Hints(), asyncio.get_running_loop()

        async def waited(seconds: float) -> float:
            await hints.wait(seconds)
            return loop.time()

        late = asyncio.create_task(waited(60.0))
        await asyncio.sleep(5.0)
        return list(await asyncio.gather(late, waited(10.0), waited(30.0), waited(70.0)))

    assert run_virtually(main()) == [60.0, 15.0, 35.0, 75.0]


def test_a_wait_in_another_event_loop_is_over_in_time_too() -> None:
    """Ours: a store outlives the loop that it was used in, and a timer does not."""
    hints = Hints()

    async def left() -> None:
        wait = asyncio.create_task(hints.wait(1e-3))
        await asyncio.sleep(0)
        wait.cancel()

    async def main() -> None:
        async with asyncio.timeout(5.0):
            await hints.wait(2e-3)

    asyncio.run(left())
    asyncio.run(main())
