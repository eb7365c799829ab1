"""A coroutine whose steps are its task's, and whose next step may be taken at once by who lets it go on.

A task that waits for room goes on with the next turn of the event loop. Where the reader that gives the room has
nothing else to do, that turn is all that stands between it and what it waits for: `go_on` takes the step there and
then, as the same task and in the same context. The task hears of it with its own next turn, and waits for whatever its
coroutine waits for by then. It has such a turn to come whenever it is behind, so one who stays away holds nothing up.

In: a coroutine, and the futures that it waits for. Out: its steps. Knows no run and no log.

Source: the asyncio documentation, "Extending" (how a task implementation enters and leaves a task); ADR 0056.
"""

from __future__ import annotations

import asyncio
from asyncio import tasks
from collections.abc import Callable, Coroutine, Generator
from contextvars import copy_context
from types import coroutine
from typing import Any, Final

AHEAD: Final = 8
"""Steps that are taken between two turns of the event loop: timers, cancels and other tasks wait for no more."""
NOTHING: Final = object()
"""What a coroutine waits for that does not wait."""

_running_loop, _current_task = asyncio.get_running_loop, asyncio.current_task
_enter, _leave = tasks._enter_task, tasks._leave_task  # noqa: SLF001 (documented for task implementations)


class StepsAhead:
    """One coroutine, its task, and what it waits for.

    `waits_for` is what the last step gave: a future, or None for a bare turn of the event loop. It is `NOTHING` where
    there is nothing to go on from: before the first step, within any, and after the last.
    """

    __slots__ = ("_is_behind", "_left", "_loop", "_raised", "_run", "_steps", "_task", "waits_for")

    def __init__(self, steps: Coroutine[Any, Any, None]) -> None:
        self._steps = steps
        self._run = copy_context().run
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[None] | None = None
        self._is_behind = False
        """The coroutine has gone on, and the task does not know."""
        self._left = AHEAD
        self._raised: BaseException | None = None
        self.waits_for: Any = NOTHING

    def start(self, name: str) -> asyncio.Task[None]:
        """Make the task that takes the steps."""
        self._task = task = self._loop.create_task(self._drive(), name=name)
        task.add_done_callback(self._end)
        return task

    @property
    def is_over(self) -> bool:
        """Whether the last step was taken."""
        return self._raised is not None or self._task is None or self._task.done()

    def go_on(self, waited: asyncio.Future[None]) -> bool:
        """Take the next step now, of a coroutine that waited for this future, which is done. Gives whether it was.

        It is left to the task where something else is waited for, where the task is to be cancelled, and after `AHEAD`
        steps: then a turn of the event loop is due. What the step raises, the task raises with its next turn.
        """
        task = self._task
        if self.waits_for is not waited or not self._left or task is None or task.cancelling():
            return False
        loop = _running_loop()
        if loop is not self._loop:
            return False
        self._left -= 1
        # The task waits for this future, or for one before it: it is done, so the task has a turn to come.
        self._is_behind = True
        self.waits_for = NOTHING
        caller = _current_task(loop)
        if caller is not None:
            _leave(loop, caller)
        _enter(loop, task)
        try:
            self.waits_for = self._run(self._steps.send, None)
        except BaseException as raised:  # noqa: BLE001 (it is raised where it belongs; the end is among it)
            self._raised = raised
        finally:
            _leave(loop, task)
            if caller is not None:
                _enter(loop, caller)
        return True

    def _end(self, _: asyncio.Task[None]) -> None:
        # The task holds this for ever: what is over holds itself in no circle.
        self._task = None
        # A task that is cancelled before its first step has taken none.
        self._steps.close()

    async def _drive(self) -> None:
        await self._taken()

    @coroutine
    def _taken(self) -> Generator[Any, None, None]:
        """Take the steps that nobody else takes: what the task does."""
        run, steps = self._run, self._steps
        step: Callable[[Any], Any] | None = steps.send
        given: BaseException | None = None
        waits_for: Any = NOTHING
        try:
            while True:
                if step is not None:
                    self.waits_for = NOTHING
                    self.waits_for = waits_for = run(step, given)
                    self._left = AHEAD
                step, given = steps.send, None
                try:
                    yield waits_for
                except BaseException as thrown:  # noqa: BLE001 (it is for the coroutine)
                    step, given = steps.throw, thrown
                if self._is_behind:
                    waits_for = self._caught_up()
                    if not self._is_for_the_coroutine(given, waits_for):
                        step = None
        except StopIteration:
            return

    def _caught_up(self) -> Any:  # noqa: ANN401 (whatever a coroutine waits for)
        """What the coroutine waits for by now, where others have taken steps of it; or what it raised."""
        self._is_behind = False
        if self._raised is None:
            return self.waits_for
        raised, self._raised = self._raised, None
        try:
            raise raised
        finally:
            # It holds the frames that it goes through, and none of them may hold it.
            del raised

    def _is_for_the_coroutine(self, thrown: BaseException | None, waits_for: Any) -> bool:  # noqa: ANN401 (as above)
        """Whether it goes on now. Else the task waits, as it would have from the beginning."""
        is_future = asyncio.isfuture(waits_for)
        if thrown is None:
            return is_future and waits_for.done()
        # A task that is cancelled while it waits cancels what it waits for, and hears of the end of that.
        is_cancel = is_future and isinstance(thrown, asyncio.CancelledError)
        return not (is_cancel and waits_for.cancel(*thrown.args))
