"""An interrupt of our own: a task is cancelled in the middle of a wait, and goes on when it has let go.

In: the task. Out: cancels, until it lets go; then all of them are taken back, so that a cancel of somebody else's is
seen for what it is.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

INSIST_S: Final = 0.25
"""Seconds after which what was interrupted, and has not let go, is interrupted again."""


class Interrupt:
    """One at a time. A model that closes slowly, or swallows the first cancel, does not hold it up."""

    __slots__ = ("_cancels", "_timer", "is_on")

    def __init__(self) -> None:
        self.is_on = False
        self._cancels = 0
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, task: asyncio.Task[Any]) -> None:
        """Interrupt the wait that this task is in, and insist."""
        self.is_on = True
        self._cancels += 1
        task.cancel()
        self._timer = asyncio.get_running_loop().call_later(INSIST_S, self.begin, task)

    def ease(self) -> None:
        """It has let go: insist no longer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def take_back(self, task: asyncio.Task[Any]) -> bool:
        """End the interrupt. Gives whether somebody else wants the task to end as well."""
        self.ease()
        self.is_on = False
        while self._cancels:
            self._cancels -= 1
            task.uncancel()
        return task.cancelling() > 0
