"""The failpoints of the way to the disk and back, and what a test may do at them.

A child process kills itself at a point as the kernel would: nothing is flushed, nothing is cleaned up.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from treadle.runtime.failpoints import Failpoint, arm, reach

__all__ = ["ENVIRONMENT", "POINTS", "Failpoint", "arm_from", "armed", "kill_at", "reach"]

POINTS: Final = tuple(Failpoint)
ENVIRONMENT: Final = "TREADLE_KILL_AT"
"""The variable that `arm_from` reads: `POINT` or `POINT:N`, the N-th time it is reached, counted from 1."""


def kill_at(point: Failpoint, *, time: int = 1) -> Callable[[Failpoint], None]:
    """An action that ends this process by SIGKILL when the point is reached for the given time."""
    left = time

    def action(reached: Failpoint) -> None:
        nonlocal left
        if reached is point:
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)

    return action


def arm_from(environment: Mapping[str, str]) -> None:
    """Arm what the variable `TREADLE_KILL_AT` says; nothing where there is none.

    Raises:
        ValueError: It names no point, or no number.
    """
    said = environment.get(ENVIRONMENT)
    if said:
        name, _, time = said.partition(":")
        arm(kill_at(Failpoint(name), time=int(time or 1)))


@contextmanager
def armed(action: Callable[[Failpoint], None]) -> Iterator[None]:
    """Have `action` called at every point within the block."""
    arm(action)
    try:
        yield
    finally:
        arm(None)
