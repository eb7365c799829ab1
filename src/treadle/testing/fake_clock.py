"""A clock that moves when it is told to."""

from __future__ import annotations


class FakeClock:
    """The clock port for tests: time stands still between two `advance`.

    Units: seconds. `now_s` is UTC seconds since the epoch and begins where it is told to; `monotonic_s` begins at 0.
    It moves no timer of an event loop: for those there is `run_virtually`.
    """

    def __init__(self, now_s: float = 1_000_000_000.0) -> None:
        self._start_s = now_s
        self._passed_s = 0.0

    def now_s(self) -> float:
        """UTC seconds since the epoch."""
        return self._start_s + self._passed_s

    def monotonic_s(self) -> float:
        """Seconds since the clock was made."""
        return self._passed_s

    def advance(self, seconds: float) -> None:
        """Let so much time pass.

        Raises:
            ValueError: Time does not go back.
        """
        if seconds < 0:
            raise ValueError(f"a clock advances by 0 seconds or more, not {seconds!r}")
        self._passed_s += seconds
