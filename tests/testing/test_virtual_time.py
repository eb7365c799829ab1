"""The loop whose clock jumps."""

from __future__ import annotations

import asyncio
import threading

import pytest

from treadle.testing import virtual_time
from treadle.testing.virtual_time import run_virtually


def test_an_hour_passes_at_once():
    """Ours: a wait for time alone takes none."""

    async def main() -> float:
        loop = asyncio.get_running_loop()
        began = loop.time()
        await asyncio.sleep(3600)
        return loop.time() - began

    assert run_virtually(main()) == 3600


def test_timers_fire_in_the_order_of_their_times():
    """Ours: jumping does not reorder."""

    async def main() -> list[int]:
        fired: list[int] = []
        loop = asyncio.get_running_loop()
        for when in (30, 10, 20):
            loop.call_later(when, fired.append, when)
        await asyncio.sleep(40)
        return fired

    assert run_virtually(main()) == [10, 20, 30]


def test_a_thread_is_waited_for_in_real_time():
    """Ours: the outside has no virtual clock."""

    async def main() -> str:
        loop = asyncio.get_running_loop()
        said = loop.create_future()
        threading.Thread(target=lambda: loop.call_soon_threadsafe(said.set_result, "hello")).start()
        return await said

    assert run_virtually(main()) == "hello"


def test_a_wait_that_nobody_ends_is_an_error(monkeypatch):
    """Ours: a test that hangs says so."""
    monkeypatch.setattr(virtual_time, "REAL_WAIT_S", 0.01)

    async def main() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(TimeoutError, match="a wait that nobody ends"):
        run_virtually(main())
