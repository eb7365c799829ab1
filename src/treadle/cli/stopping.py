"""Ctrl-C and SIGTERM, as a wish the loop hears: the first asks the run to stop, the second ends the process.

A handler of Python, not of the loop: it also runs while a tool blocks the loop, so that the second one always works.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from treadle.cli.exits import ExitCode

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stop:
    """Whether somebody asked for the end, and by which signal."""

    def __init__(self) -> None:
        self._asked = asyncio.Event()
        self.terminated = False
        """Asked by SIGTERM: not only this answer is to end, the process is."""

    async def wait(self) -> None:
        """Return once somebody has asked."""
        await self._asked.wait()

    def ask(self) -> None:
        """Ask for the end. Asking twice changes nothing."""
        self._asked.set()

    @property
    def asked(self) -> bool:
        """Whether somebody has asked."""
        return self._asked.is_set()


@contextmanager
def stop_signals() -> Iterator[Stop]:
    """Within this block the first stop signal asks for the end and the next one ends the process at once.

    Only on the main thread of a process, with the loop running.
    """
    stop = Stop()
    loop = asyncio.get_running_loop()

    heard_before = False

    def heard(number: int, _frame: FrameType | None) -> None:
        nonlocal heard_before
        if heard_before:
            # Past asking: no clean-up may stand in the way.
            os._exit(ExitCode.CANCELLED)
        heard_before = True
        stop.terminated = number == signal.SIGTERM
        loop.call_soon_threadsafe(stop.ask)

    before = {number: signal.signal(number, heard) for number in STOP_SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
