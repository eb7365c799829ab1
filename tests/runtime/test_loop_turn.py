"""A turn of the event loop."""

from __future__ import annotations

import asyncio

import pytest

from treadle.runtime.loop_turn import loop_turn


async def test_others_that_are_ready_go_first() -> None:
    """Ours: as `asyncio.sleep(0)` has it, turn for turn."""
    said: list[str] = []

    async def saying(name: str) -> None:
        for number in range(3):
            said.append(f"{name}{number}")
            await loop_turn()

    await asyncio.gather(saying("a"), saying("b"))
    assert said == ["a0", "b0", "a1", "b1", "a2", "b2"]


async def test_a_cancel_comes_through() -> None:
    """Ours: who is cancelled while it lets others go hears of it there."""
    went_on: list[bool] = []

    async def letting() -> None:
        await loop_turn()
        went_on.append(True)

    task = asyncio.create_task(letting())
    await loop_turn()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert went_on == []
