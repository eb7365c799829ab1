"""A cursor over a run's log: what is there, then what comes.

Shape: kernel events in index order, from where the cursor stands to the closing event. Delta events are made as
they are read, up to `BATCH` of a stretch at once; nobody else holds them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from itertools import chain
from typing import Any, Final, Generic, Self, TypeVar

from treadle.runtime.kind_runs import ENTRIES, KindRuns
from treadle.runtime.loop_turn import loop_turn
from treadle.runtime.steps_ahead import StepsAhead
from treadle.values.delta_makers import TextTwin, ThinkingTwin, text_deltas, thinkings, tool_arguments
from treadle.values.events import KernelEvent, TextDelta, Thinking
from treadle.values.facts import FACT_TYPES
from treadle.values.ids import RunId
from treadle.values.model import ARGUMENTS, TEXT, THINKING
from treadle.values.records import Entry

E = TypeVar("E")

BOUND: Final = 64
"""Events that an attached run may be ahead of its reader."""
BATCH: Final = 256
"""Events that a reader makes ready at once: a long log that is read late is not unfolded whole."""

_FACTS: Final = frozenset(FACT_TYPES)
_NONE: Final[Sequence[Any]] = ()


def _events(_first: int, _run_id: RunId, _key: None, entries: Sequence[Entry]) -> list[KernelEvent]:
    return [entry for entry in entries if type(entry) not in _FACTS]  # type: ignore[misc]  # what is no fact is an event


_MAKERS: Final[dict[str, Callable[[int, RunId, Any, Sequence[Any]], list[KernelEvent]]]] = {
    TEXT: text_deltas,
    THINKING: thinkings,
    ARGUMENTS: tool_arguments,
    ENTRIES: _events,
}
_SPOKEN: Final[dict[str, tuple[type[Any], type[KernelEvent]]]] = {
    TEXT: (TextTwin, TextDelta),
    THINKING: (ThinkingTwin, Thinking),
}
"""What is filled for an event, and what it becomes then."""


class Reader(Generic[E]):
    """An async iterator over a log, each event said in a reader's own terms.

    Its place is its own: a wait that is cancelled, by a timeout round one step, loses and doubles nothing, and a
    second `async for` goes on where the first one stopped.
    """

    __slots__ = ("__anext__", "_run_id", "_runs", "_say", "_start", "writer")

    __anext__: Callable[[], Awaitable[E]]
    """The step of a generator: a method that is a coroutine would cost half as much again for every event."""

    def __init__(self, runs: KindRuns, run_id: RunId, say: Callable[[KernelEvent], Sequence[E]] | None) -> None:
        self._runs = runs
        self._run_id = run_id
        self._say = say
        self.writer: StepsAhead | None = None
        """Who writes, where it goes on by what this reader does. None: it is somewhere else."""
        self._start: tuple[int, int, int, Iterator[Any]] | None = (0, 0, runs.runs[0].first, iter(_NONE))
        self.__anext__ = self._begin

    def __aiter__(self) -> Self:
        return self

    async def _begin(self) -> E:
        """The first step of a generator: a step that is cancelled before it begins would end one that has not begun."""
        if (start := self._start) is not None:
            self._start = None
            self.__anext__ = self._steps(*start).__anext__
        return await self.__anext__()

    async def _steps(  # noqa: C901, PLR0912, PLR0915 (all that is read passes here: calls are too dear)
        self, at: int, item: int, index: int, rest: Iterator[Any]
    ) -> AsyncGenerator[E, None]:
        """Give out the rest of what was taken, and go on from an item of a stretch; the event there has this index."""
        log, stretches, run_id, say = self._runs, self._runs.runs, self._run_id, self._say
        run, first, items, left = stretches[at], index, _NONE, iter(_NONE)
        is_new = True
        try:
            for event in rest:
                yield event
            while True:
                run = stretches[at]
                items = run.items[item : item + BATCH]
                speech, first = None, run.first + item
                if items:
                    speech, is_new = None if say else _SPOKEN.get(run.kind), True
                    at, item = (at, item + len(items)) if run is stretches[-1] or len(items) == BATCH else (at + 1, 0)
                if speech is not None:
                    # Nearly all that is read is made here, one by one as it is given out.
                    index, passage = index + len(items), run.key
                    twin, event_class = speech
                    left = iter(items)
                    for number, text in enumerate(left, first):
                        made: Any = twin()
                        made.index = number
                        made.run_id = run_id
                        made.passage = passage
                        made.text = text
                        made.__class__ = event_class
                        yield made
                elif items:
                    events: Sequence[Any] = _MAKERS[run.kind](first, run_id, run.key, items)
                    index += len(events)
                    rest = iter(events) if say is None else chain.from_iterable(map(say, events))
                    for event in rest:
                        yield event
                # Only a stretch that another one follows is complete.
                elif at + 1 < len(stretches):
                    at, item = at + 1, 0
                elif log.closed:
                    return
                elif log.bounded and log.limit < index + BOUND // 2:
                    # It is let go on in large steps: each may be a turn of the event loop.
                    room = log.let(index + BOUND)
                    # A writer that waited runs next, here or in the next turn of the loop.
                    if room is not None and (self.writer is None or not self.writer.go_on(room)):
                        await loop_turn()
                elif is_new and (writer := self.writer) is not None and writer.waits_for is None:
                    # It goes on with the next turn of the event loop, and this one after it: no future is needed.
                    is_new, log.is_awaited = False, True
                    await loop_turn()
                    log.is_awaited = False
                else:
                    await log.more()
        except (asyncio.CancelledError, Exception):
            # A generator that raised is over, the reader is not. A step that is cancelled before it begins raises where
            # the last event was given out: what was taken with that is still to be.
            log.is_awaited = False
            if untold := list(left):
                rest = iter(_MAKERS[run.kind](first + len(items) - len(untold), run_id, run.key, untold))
            self._start, self.__anext__ = (at, item, index, rest), self._begin
            raise
