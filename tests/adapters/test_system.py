"""Time and fresh names from the operating system."""

from __future__ import annotations

import asyncio
import re

from treadle.adapters.system import RandomIds, SystemClock
from treadle.testing.virtual_time import run_virtually


def test_run_ids_are_names_that_nobody_can_guess():
    """Port: unique for ever, of letters, digits and `_` alone."""
    made = {RandomIds().run_id() for _ in range(1000)}
    assert len(made) == 1000
    assert all(re.fullmatch(r"r_[0-9a-z]{20}", one) for one in made)


def test_durations_are_those_of_the_running_loop():
    """Port: the monotonic clock is the loop's, so virtual time is seen."""

    async def main() -> float:
        clock = SystemClock()
        began = clock.monotonic_s()
        await asyncio.sleep(90)
        return clock.monotonic_s() - began

    assert run_virtually(main()) == 90


def test_the_wall_clock_is_utc_seconds():
    """Port: seconds since the epoch, by now far above a billion."""
    assert SystemClock().now_s() > 1_700_000_000
