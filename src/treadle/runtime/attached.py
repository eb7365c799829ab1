"""A run attached to its caller: it goes no further than its reader allows, and leaving its block cancels it.

The run has a task of its own; the task holds the log and never the handle, so a handle that is dropped is noticed.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Generic, Self, TypeVar

from treadle.errors import StateError
from treadle.kernel.inputs import CancelRequested
from treadle.runtime.kind_runs import KindRuns
from treadle.runtime.loop import RunLoop
from treadle.runtime.loop_turn import loop_turn
from treadle.runtime.reader import Reader
from treadle.runtime.result import RunResult, result_of
from treadle.runtime.steps_ahead import StepsAhead
from treadle.values.events import AskUser, Cancelled, ClosingEvent, Done, Error, Interrupt
from treadle.values.ids import RunId
from treadle.values.model import ModelTurn
from treadle.values.requests import HistoryMessage, TurnMessage, TurnRequest, UserMessage

E = TypeVar("E")


class RunParts:
    """What one attached run is made of: its request, its log and its loop."""

    __slots__ = ("loop", "request", "runs")

    def __init__(self, *, request: TurnRequest, runs: KindRuns, loop: RunLoop) -> None:
        self.request = request
        self.runs = runs
        self.loop = loop

    @property
    def closing(self) -> ClosingEvent | None:
        """The closing event of the segment, once it is written."""
        last = self.runs.last if self.runs.closed else None
        return last if isinstance(last, (Done, Error, Cancelled, AskUser, Interrupt)) else None

    def result(self) -> RunResult:
        """What the run came to.

        Raises:
            StateError: The run has not closed yet.
        """
        closing = self.closing
        if closing is None:
            raise StateError("the run has no result before its closing event; read the stream to its end first")
        return result_of(closing, thread_id=self.request.thread_id, messages=self._messages(closing))

    def _messages(self, closing: ClosingEvent) -> tuple[HistoryMessage, ...]:
        request, standing = self.request, self.loop.machine.standing
        asked = UserMessage(text=request.prompt, attachments=request.attachments)
        turns: tuple[TurnMessage, ...] = tuple(standing.turns)
        if standing.turn is None and closing.outcome.answer:
            turns += (TurnMessage(turn=ModelTurn(text=closing.outcome.answer), cut=True),)
        return (*request.history, asked, *turns)


class AttachedRun(Generic[E]):
    """A run as an async context manager and an async iterator.

    Leaving the block before the end cancels the run and waits until it has closed; what was shown is kept and
    `result` tells it. Iterating again goes on where the last iteration stopped.
    """

    __slots__ = ("__weakref__", "_loop", "_parts", "_reader", "_steps", "_task")

    def __init__(self, parts: RunParts, reader: Reader[E]) -> None:
        self._parts = parts
        self._reader = reader
        self._task: asyncio.Task[None] | None = None
        self._steps: StepsAhead | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def run_id(self) -> RunId:
        """The id of the run."""
        return self._parts.request.run_id

    @property
    def result(self) -> RunResult:
        """What the run came to.

        Raises:
            StateError: The run has not closed yet.
        """
        return self._parts.result()

    @property
    def failure(self) -> BaseException | None:
        """The exception behind an `error`, if there was one in this process."""
        return self._parts.loop.failure

    async def cancel(self, reason: str | None = None) -> None:
        """Ask the run to stop, now or as soon as it begins. The stream goes on to its closing event."""
        if not self._parts.runs.closed:
            self._parts.loop.post(CancelRequested(reason=reason))

    async def wait(self) -> None:
        """Wait until the run has closed, without reading it. From now on no reader bounds it."""
        if self._task is not None:
            self._parts.runs.unbind()
            await asyncio.wait([self._task])

    async def aclose(self) -> None:
        """Cancel the run if it has not closed, and wait until it has. If this is cancelled the run still ends."""
        task = self._task
        if task is None:
            return
        if not self._parts.runs.closed:
            _give_up(self._parts)
        elif not task.done():
            # All is written: nearly always the task needs a turn, and no more.
            await loop_turn()
        if not task.done():
            await asyncio.wait([task])
        if not task.cancelled() and (bug := task.exception()) is not None:
            raise bug

    async def __aenter__(self) -> Self:
        if self._task is not None:
            raise StateError("a run can be entered once; ask the agent for another stream")
        self._loop = asyncio.get_running_loop()
        self._steps = steps = StepsAhead(self._parts.loop.drive(self._parts.request))
        self._task = steps.start(f"treadle run {self.run_id}")
        self._reader.writer = steps
        # The event loop itself keeps only weak references to tasks.
        _DRIVING.add(self._task)
        self._task.add_done_callback(_DRIVING.discard)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __aiter__(self) -> AsyncIterator[E]:
        if self._task is None:
            raise StateError("a run starts when its block is entered: `async with agent.stream(...) as stream:`")
        return self._reader

    def __del__(self) -> None:
        steps, loop = self._steps, self._loop
        if steps is None or steps.is_over or loop is None or loop.is_closed():
            return
        warnings.warn(f"run {self.run_id} was dropped before its end; use `async with`", ResourceWarning, stacklevel=2)
        loop.call_soon_threadsafe(_give_up, self._parts)


_DRIVING: set[asyncio.Task[None]] = set()


def _give_up(parts: RunParts) -> None:
    parts.runs.unbind()
    parts.loop.post(CancelRequested(reason="reader_left"))
