"""An event loop whose clock jumps: where everything waits for time alone, the next timer is due at once.

A test of a ten-minute deadline takes no time and never races: no timer fires while anything is ready to run. What
waits for a socket or a thread is waited for in real time, within `REAL_WAIT_S`.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

T = TypeVar("T")

REAL_WAIT_S: Final = 5.0
"""Seconds of real time that a loop waits for the outside before it gives up."""


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop with a clock of its own, which begins at 0."""

    def __init__(self) -> None:
        self._virtual_s = 0.0
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._virtual_s

    def jump(self, seconds: float) -> None:
        """Let so much time pass."""
        self._virtual_s += seconds


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self, loop: VirtualTimeLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:  # noqa: ANN401 (the base class's own type)
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is not None:
            self._loop.jump(timeout)
            return ready
        ready = super().select(REAL_WAIT_S)
        if not ready:
            raise TimeoutError(f"nothing happened for {REAL_WAIT_S} s, and no timer is set: a wait that nobody ends")
        return ready


def run_virtually(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end on a loop of its own with virtual time."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(main)
