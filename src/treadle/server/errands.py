"""Work of a server that outlives the request which began it: each piece has this owner, who waits for it.

In: coroutines. Out: a handle on each; what one raises is logged and harms no other.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final

from treadle.errors import CapError

_log: Final = logging.getLogger("treadle.server")

MOST: Final = 4096
"""Errands at the same time."""
SETTLE_S: Final = 0.25
"""Seconds in which one that waits for something may still see that it has come."""


class Errand:
    """One errand. `is_idle`: it waits for something that may never come, so nobody waits for it."""

    def __init__(self) -> None:
        self.is_idle = False
        self.task: asyncio.Task[None] | None = None

    def stop(self) -> None:
        """Be done with it."""
        if self.task is not None:
            self.task.cancel()


class Errands:
    """The errands of one server."""

    def __init__(self) -> None:
        self._errands: dict[asyncio.Task[None], Errand] = {}

    def __len__(self) -> int:
        return len(self._errands)

    def begin(self, make: Callable[[Errand], Coroutine[Any, Any, None]], *, name: str) -> Errand:
        """Let an errand be run.

        Raises:
            CapError: There are as many as there may be. This one was not begun.
        """
        if len(self._errands) >= MOST:
            raise CapError(f"this server runs at most {MOST} errands at once")
        errand = Errand()
        # Made by the task itself, so that one which is stopped before its first step leaves nothing unawaited.
        running = self._run(make, errand, name)
        errand.task = task = asyncio.get_running_loop().create_task(running, name=f"treadle errand {name}")
        self._errands[task] = errand
        task.add_done_callback(self._errands.pop)
        return errand

    async def end(self, *, grace_s: float) -> None:
        """Stop those that wait for something, give the others so long, then stop them too."""
        if self._errands:
            await asyncio.wait(set(self._errands), timeout=SETTLE_S)
        for errand in [one for one in self._errands.values() if one.is_idle]:
            errand.stop()
        if self._errands:
            await asyncio.wait(set(self._errands), timeout=grace_s)
        for errand in self._errands.values():
            errand.stop()
        if self._errands:
            await asyncio.wait(set(self._errands))

    async def _run(self, make: Callable[[Errand], Coroutine[Any, Any, None]], errand: Errand, name: str) -> None:
        try:
            await make(errand)
        except Exception:  # noqa: BLE001 (the border of an errand: nobody waits for what it raises)
            _log.exception("errand %s failed", name)
