"""How far a run's output may go before it has to stop: at its reader, or at the size that it may have.

In: the log of a run. Out: what to wait for, and an input where the output is larger than it may be.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from treadle.kernel.inputs import DeadlinePassed, Input
from treadle.runtime.kind_runs import KindRuns
from treadle.values.limits import Limit

CHECKPOINT: Final = 256
"""Pieces between two looks at the size of the output, and between two stops where no reader bounds the run."""


class OutputBound:
    """The bound of one run's output.

    Units: `limit_bytes` counts UTF-8 bytes of text, thinking and argument text; None is no limit.
    """

    __slots__ = ("_limit_bytes", "_look_at", "_post", "_runs")

    def __init__(self, *, runs: KindRuns, limit_bytes: int | None, post: Callable[[Input], None]) -> None:
        self._runs = runs
        self._limit_bytes = limit_bytes
        self._post = post
        self._look_at = runs.next + CHECKPOINT

    def checkpoint(self) -> Awaitable[None] | None:
        """Every so many pieces: compare the output with its limit, and tell what to wait for.

        A model that never waits must not keep the loop from timers and from cancels, so there is a wait where no
        reader bounds the run as well.
        """
        runs = self._runs
        if self._limit_bytes is not None and runs.next >= self._look_at and self.is_over():
            self._post(DeadlinePassed(limit=Limit.OUTPUT_BYTES))
        if runs.bounded:
            return runs.room()
        runs.limit = runs.next + CHECKPOINT
        return asyncio.sleep(0)

    def is_over(self) -> bool:
        """Whether the output by now is larger than it may be. Asked when a turn ends, whatever its size."""
        if self._limit_bytes is None:
            return False
        self._look_at = self._runs.next + CHECKPOINT
        return self._runs.measured() > self._limit_bytes

    async def room(self) -> None:
        """Wait at a checkpoint."""
        if (room := self.checkpoint()) is not None:
            await room
