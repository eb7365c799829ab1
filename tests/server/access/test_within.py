"""A wait with a limit."""

from __future__ import annotations

import asyncio

import pytest

from tests.runtime.stores import pass_time, virtually
from treadle.server.access.within import within


class MarkerError(Exception):
    """What a test raises."""


@pytest.mark.parametrize("waits", [0, 1, 3])
@virtually
async def test_what_is_over_in_time_gives_what_it_gives(waits: int) -> None:
    """Ours: however often it waits, and wherever it does so the first time."""

    async def adding() -> int:
        total = 0
        for number in range(waits):
            await pass_time(number)
            total += number
        return total

    assert await within(10, adding()) == sum(range(waits))


async def test_what_waits_for_nothing_sets_no_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: that is what it is for."""

    def refuse(_: float) -> None:
        raise AssertionError("a timer was set")

    monkeypatch.setattr(asyncio, "timeout", refuse)

    async def at_once() -> str:
        return "made"

    assert await within(10, at_once()) == "made"


@pytest.mark.parametrize("waits", [0, 1])
@virtually
async def test_what_it_raises_is_raised(waits: int) -> None:
    """Ours: an error is handed on from the first step and from any other."""

    async def failing() -> None:
        for _ in range(waits):
            await pass_time(1)
        raise MarkerError

    with pytest.raises(MarkerError):
        await within(10, failing())


@virtually
async def test_what_takes_longer_is_stopped() -> None:
    """Ours: and hears of it, so that it can clean up."""
    cleaned = []

    async def slow() -> None:
        try:
            await pass_time(11)
        finally:
            await pass_time(0)
            cleaned.append(True)

    with pytest.raises(TimeoutError):
        await within(10, slow())
    assert cleaned == [True]


@virtually
async def test_one_that_is_cancelled_cancels_what_it_awaits() -> None:
    """Ours: a cancel from outside is no timeout."""
    heard = []

    async def waiting() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            heard.append("cancelled")
            raise

    task = asyncio.create_task(within(10, waiting()))
    await pass_time(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert heard == ["cancelled"]
