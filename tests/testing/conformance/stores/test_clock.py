"""The clock that a check sets."""

from __future__ import annotations

import asyncio

from treadle.testing.conformance.stores.clock import BEGINNING_S, SettableClock
from treadle.testing.virtual_time import run_virtually


def test_the_wall_clock_stands_still_until_it_is_advanced() -> None:
    """Ours: a lease ends when a check says so."""
    clock = SettableClock()
    assert clock.now_s() == BEGINNING_S
    clock.advance(2.5)
    assert clock.now_s() == BEGINNING_S + 2.5


def test_durations_are_true() -> None:
    """Ours: a bounded wait is bounded whatever the wall clock says."""

    async def main() -> float:
        clock = SettableClock()
        began = clock.monotonic_s()
        await asyncio.sleep(3.0)
        return clock.monotonic_s() - began

    assert run_virtually(main()) == 3.0
