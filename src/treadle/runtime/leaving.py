"""What leaving does: who reads a run here, and whether it goes on when its last reader has gone.

A reader leaves when it stops before its stream ends. One whose stream came to its end by itself, at the end of the run
or at a pause, has not left; and a run that nobody ever read here is not touched.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from treadle.values.ids import RunId

_CONTINUE_FOR: Final = re.compile(r"continue (\d{1,9}(?:\.\d{1,9})?) ?s", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class OnDisconnect:
    """The rule of one run.

    Shape: `cancel_after_s` is None for a run that goes on, else the seconds without a reader before it is cancelled.
    """

    cancel_after_s: float | None = None


GOES_ON: Final = OnDisconnect()


def on_disconnect_of(text: str) -> OnDisconnect:
    """The rule that this text says: `continue`, `cancel`, or `continue N s`.

    Raises:
        ValueError: It says none of them.
    """
    if text == "continue":
        return GOES_ON
    if text == "cancel":
        return OnDisconnect(cancel_after_s=0.0)
    if found := _CONTINUE_FOR.fullmatch(text):
        return OnDisconnect(cancel_after_s=float(found[1]))
    raise ValueError(f"on_disconnect is 'continue', 'cancel' or 'continue N s', not {text!r}")


class Readership:
    """Who reads which run here.

    Shape: `abandoned` is told the scope and the id of a run whose rule says that it is to be cancelled now.
    """

    def __init__(self, abandoned: Callable[[str, RunId], None]) -> None:
        self._abandoned = abandoned
        self._readers: dict[RunId, int] = {}
        self._timers: dict[RunId, asyncio.TimerHandle] = {}

    def is_read(self, run_id: RunId) -> bool:
        """Whether anybody reads this run here."""
        return run_id in self._readers

    def enter(self, run_id: RunId) -> None:
        """Somebody reads this run from now on."""
        self._readers[run_id] = self._readers.get(run_id, 0) + 1
        self._forget_timer(run_id)

    def leave(self, scope: str, run_id: RunId, rule: OnDisconnect, *, at_end: bool) -> None:
        """One of a run's readers has gone; `at_end`: because its stream had ended."""
        self._readers[run_id] -= 1
        if self._readers[run_id]:
            return
        del self._readers[run_id]
        if rule.cancel_after_s is not None and not at_end:
            loop = asyncio.get_running_loop()
            self._timers[run_id] = loop.call_later(rule.cancel_after_s, self._over, scope, run_id)

    def close(self) -> None:
        """Keep no rule any more."""
        for run_id in list(self._timers):
            self._forget_timer(run_id)

    def _over(self, scope: str, run_id: RunId) -> None:
        self._timers.pop(run_id, None)
        self._abandoned(scope, run_id)

    def _forget_timer(self, run_id: RunId) -> None:
        if (timer := self._timers.pop(run_id, None)) is not None:
            timer.cancel()
