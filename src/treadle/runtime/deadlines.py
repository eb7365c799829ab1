"""The one timer of a run: its wall clock, and the silence of its model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from treadle.kernel.inputs import DeadlinePassed, Input, ModelBroke
from treadle.ports.clock import Clock
from treadle.runtime.kind_runs import KindRuns
from treadle.values.limits import Limit, Limits

# A stall is looked for this many times within its limit, so it is seen at most a quarter late.
_LOOKS = 4


class Deadlines:
    """Posts an input when the run has gone on for too long, or its model has said nothing for too long.

    A provider read shows in the log, or else in `reads`, which is to be counted up for it. `listening` says that the
    model is being read.
    """

    __slots__ = ("_clock", "_end_s", "_limits", "_post", "_runs", "_seen", "_seen_s", "_timer", "listening", "reads")

    def __init__(self, *, limits: Limits, clock: Clock, post: Callable[[Input], None], runs: KindRuns) -> None:
        self._limits = limits
        self._clock = clock
        self._post = post
        self._timer: asyncio.TimerHandle | None = None
        self._end_s: float | None = None
        self._runs = runs
        self._seen = (-1, -1)
        self._seen_s = 0.0
        self.reads = 0
        self.listening = False

    def start(self, *, lived_s: float = 0.0) -> None:
        """Begin to count, or go on with a run that was at work for so long."""
        now_s = self._clock.monotonic_s()
        if self._limits.wall_clock_s is not None:
            self._end_s = now_s + self._limits.wall_clock_s - lived_s
        self._arm(now_s)

    def listen(self) -> None:
        """The model is being read from now on: to be asked, or read again, counts as a read."""
        # No clock is asked: it is done once in 64 deltas, and the next look counts from when it looks.
        self.listening = True
        self.reads += 1

    def stop(self) -> None:
        """Count no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self, now_s: float) -> None:
        waits = []
        if self._limits.stall_s is not None:
            waits.append(self._limits.stall_s / _LOOKS)
        if self._end_s is not None:
            waits.append(max(0.0, self._end_s - now_s))
        if waits:
            self._timer = asyncio.get_running_loop().call_later(min(waits), self._look)

    def _look(self) -> None:
        now_s = self._clock.monotonic_s()
        if self._end_s is not None and now_s >= self._end_s:
            self._post(DeadlinePassed(limit=Limit.WALL_CLOCK))
            self._end_s = None
        if self._progress() != self._seen or not self.listening:
            self._seen, self._seen_s = self._progress(), now_s
        elif self._limits.stall_s is not None and now_s - self._seen_s >= self._limits.stall_s:
            self._post(ModelBroke(code=Limit.STALL.value, retryable=True))
            self._seen_s = now_s
        self._arm(now_s)

    def _progress(self) -> tuple[int, int]:
        return self._runs.next, self.reads
