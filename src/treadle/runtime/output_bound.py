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

    __slots__ = ("_limit_bytes", "_look_at", "_post", "_runs", "_size_bytes", "_sized")

    def __init__(self, *, runs: KindRuns, limit_bytes: int | None, post: Callable[[Input], None]) -> None:
        self._runs = runs
        self._limit_bytes = limit_bytes
        self._post = post
        self._look_at = runs.next
        self._sized = (0, 0)
        self._size_bytes = 0

    def checkpoint(self) -> Awaitable[None] | None:
        """Every so many pieces: compare the output with its limit, and tell what to wait for.

        A model that never waits must not keep the loop from timers and from cancels, so there is a wait where no
        reader bounds the run as well.
        """
        runs = self._runs
        if self._limit_bytes is not None and runs.next >= self._look_at:
            self._look_at = runs.next + CHECKPOINT
            self._size_bytes += runs.size_since(self._sized)
            self._sized = runs.place()
            if self._size_bytes > self._limit_bytes:
                self._post(DeadlinePassed(limit=Limit.OUTPUT_BYTES))
        if runs.bounded:
            return runs.room()
        runs.limit = runs.next + CHECKPOINT
        return asyncio.sleep(0)

    async def room(self) -> None:
        """Wait at a checkpoint."""
        if (room := self.checkpoint()) is not None:
            await room
