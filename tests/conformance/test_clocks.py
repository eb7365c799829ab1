"""The clock port: what the real clock and its fake keep alike."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from treadle.adapters.system import SystemClock
from treadle.ports.clock import Clock
from treadle.testing.fake_clock import FakeClock

CLOCKS = [pytest.param(SystemClock, id="system"), pytest.param(FakeClock, id="fake")]


@pytest.mark.parametrize("make", CLOCKS)
async def test_one_clock_is_for_people_and_one_for_durations(make: Callable[[], Clock]) -> None:
    """UTC seconds after the year 2000, and seconds that only grow (the port)."""
    clock = make()
    assert clock.now_s() > 946_684_800.0
    readings = [clock.monotonic_s() for _ in range(3)]
    assert readings == sorted(readings)
    assert all(type(reading) is float for reading in (*readings, clock.now_s()))
