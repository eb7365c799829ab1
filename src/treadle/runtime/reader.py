"""A cursor over a run's log: what is there, then what comes.

Shape: kernel events in index order, from where the cursor stands to the closing event. Delta events are made as
they are read, all that are there at once; nobody else holds them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, Self, TypeVar

from treadle.runtime.kind_runs import ENTRIES, KindRun, KindRuns
from treadle.values.delta_makers import text_deltas, thinkings, tool_arguments
from treadle.values.events import KernelEvent
from treadle.values.facts import FACT_TYPES
from treadle.values.ids import RunId
from treadle.values.model import ARGUMENTS, TEXT, THINKING

E = TypeVar("E")

BOUND: Final = 64
"""Events that an attached run may be ahead of its reader."""

_FACTS: Final = frozenset(FACT_TYPES)
_MAKERS: Final[dict[str, Callable[[int, RunId, Any, Sequence[str]], list[KernelEvent]]]] = {
    TEXT: text_deltas,
    THINKING: thinkings,
    ARGUMENTS: tool_arguments,
}


class Reader(Generic[E]):
    """An async iterator over a log, each event said in a reader's own terms.

    Its place is its own: a wait that is cancelled, by a timeout round one step, loses and doubles nothing, and a
    second `async for` goes on where the first one stopped.
    """

    __slots__ = ("_at", "_item", "_ready", "_run_id", "_runs", "_say")

    def __init__(self, runs: KindRuns, run_id: RunId, say: Callable[[KernelEvent], Sequence[E]] | None) -> None:
        self._runs = runs
        self._run_id = run_id
        self._say = say
        self._at = 0
        self._item = 0
        self._ready: list[E] = []
        """What was read and not given out yet, the next one last."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> E:
        if not self._ready:
            await self._read()
        return self._ready.pop()

    async def _read(self) -> None:
        """Make ready what is there, or wait for it.

        Raises:
            StopAsyncIteration: The log is closed and read to its end.
        """
        log = self._runs
        while True:
            events = self._taken()
            if events:
                ready: list[Any] = events
                if self._say is not None:
                    ready = [said for event in events for said in self._say(event)]
                if ready:
                    ready.reverse()
                    self._ready = ready
                    return
            elif log.closed:
                raise StopAsyncIteration
            else:
                if log.bounded:
                    log.let(log.next + BOUND)
                await log.more()

    def _taken(self) -> list[KernelEvent]:
        """The events that are there, of the stretch at hand or of the next one that has any."""
        runs = self._runs.runs
        while self._at < len(runs):
            run, item = runs[self._at], self._item
            self._item = len(run.items)
            if item < self._item and (events := self._made(run, item)):
                return events
            # Only a stretch that another one follows is complete: the cursor steps on before it reads there.
            if self._at + 1 == len(runs):
                break
            self._at, self._item = self._at + 1, 0
        return []

    def _made(self, run: KindRun, item: int) -> list[KernelEvent]:
        items = run.items[item:]
        if run.kind is ENTRIES:
            return [entry for entry in items if type(entry) not in _FACTS]
        return _MAKERS[run.kind](run.first + item, self._run_id, run.key, items)
