"""A wall clock that stands still until it is told to go on."""

from __future__ import annotations

import asyncio
from typing import Final

BEGINNING_S: Final = 1_000_000.0


class SettableClock:
    """The clock a store under test is given: leases end and wake-ups come when a check says so.

    Durations are those of the running event loop: a bounded wait is bounded by true time.
    """

    def __init__(self) -> None:
        self._now_s = BEGINNING_S

    def now_s(self) -> float:
        """UTC seconds since the epoch."""
        return self._now_s

    def monotonic_s(self) -> float:
        """Seconds that only grow, by the clock of the running event loop."""
        return asyncio.get_running_loop().time()

    def advance(self, seconds: float) -> None:
        """Let so much time pass."""
        self._now_s += seconds
