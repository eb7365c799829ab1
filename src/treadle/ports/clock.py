"""The port to time."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """Two clocks: one for people, one for durations."""

    def now_s(self) -> float:
        """UTC seconds since the epoch."""
        ...

    def monotonic_s(self) -> float:
        """Seconds that only grow, by the clock of the running event loop."""
        ...
