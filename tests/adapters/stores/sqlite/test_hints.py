"""Wake-ups come, are bounded, and are not slept through."""

from __future__ import annotations

import asyncio

from treadle.adapters.stores.sqlite.hints import Hints, WorkHints, end


async def test_a_wake_up_reaches_all_who_wait_now() -> None:
    """Ours: whoever left, or comes later, is not woken."""
    hints = Hints()
    first, second, left = (hints.enter(60.0) for _ in range(3))
    hints.leave(left)
    hints.leave(left)
    hints.wake()
    later = hints.enter(60.0)
    assert [waiter.done() for waiter in (first, second, left, later)] == [True, True, False, False]
    for waiter in (first, second, later):
        hints.leave(waiter)
    assert len(hints) == 0


async def test_a_wait_ends_by_itself() -> None:
    """Ours: a lost wake-up costs one wait."""
    hints = Hints()
    async with asyncio.timeout(5):
        for timeout_s in (0.0, -1.0, 0.001):
            waiter = hints.enter(timeout_s)
            await waiter
            end(waiter)
            hints.leave(waiter)


async def test_news_between_a_look_and_a_wait_are_told_to_the_one_who_looked() -> None:
    """Ours: each worker is a task, and has its own view of what is new."""
    hints = WorkHints()
    assert not hints.has_news()
    hints.look()
    assert not hints.has_news()
    hints.tell()
    assert hints.has_news()

    async def other() -> bool:
        before = hints.has_news()
        hints.look()
        return before or hints.has_news()

    assert not await asyncio.create_task(other())
    assert hints.has_news()
    hints.look()
    assert not hints.has_news()
