"""A cursor over a run's log: what is there, then what comes.

Shape: kernel events in index order, from where the cursor stands to the closing event. Delta events are made as
they are read; nobody else holds them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any, Final

from treadle.runtime.kind_runs import EVENT, FACT, KindRuns
from treadle.values.delta_makers import text_delta, thinking, tool_arguments
from treadle.values.events import KernelEvent
from treadle.values.ids import RunId
from treadle.values.model import ARGUMENTS, TEXT, THINKING

BOUND: Final = 64
"""Events that an attached run may be ahead of its reader."""

_MAKERS: Final[dict[str, Callable[[int, RunId, Any, str], KernelEvent]]] = {
    TEXT: text_delta,
    THINKING: thinking,
    ARGUMENTS: tool_arguments,
}


class Reader:
    """A cursor. Its place is its own, so a second `async for` goes on where the first one stopped.

    `cut` says that a wait for more was cancelled, which ended the generator that waited.
    """

    __slots__ = ("_at", "_item", "_run_id", "_runs", "cut")

    def __init__(self, runs: KindRuns, run_id: RunId) -> None:
        self._runs = runs
        self._run_id = run_id
        self._at = 0
        self._item = 0
        self.cut = False

    async def events(self) -> AsyncGenerator[KernelEvent, None]:
        """The events from the cursor on.

        Cancel:  Safe. The cursor stands after the last event that was given out.
        """
        log, run_id = self._runs, self._run_id
        runs = log.runs
        while True:
            while self._at < len(runs):
                run = runs[self._at]
                items = run.items
                if run.kind is EVENT:
                    while self._item < len(items):
                        self._item += 1
                        yield items[self._item - 1]
                elif run.kind is not FACT:
                    make, first, key = _MAKERS[run.kind], run.first, run.key
                    while (item := self._item) < len(items):
                        self._item = item + 1
                        yield make(first + item, run_id, key, items[item])
                # Only a stretch that another one follows is complete: the cursor steps on before it reads there.
                if self._at + 1 == len(runs):
                    break
                self._at, self._item = self._at + 1, 0
            if log.closed:
                return
            if log.bounded:
                log.let(log.next + BOUND)
            try:
                await log.more()
            except asyncio.CancelledError:
                self.cut = True
                raise
