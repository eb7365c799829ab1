"""Coroutines whose first step is taken at once, without a turn of the event loop.

A coroutine that waits for nothing is over when `begin` returns; one that waits goes on as any task does. It has a task
and a context of its own from the beginning, so timeouts and task groups in its first step are its own.

A task that was not needed beyond the first step has no trace of it and is kept for the next coroutine: to make one and
to let it end costs as much as what most tools do. Whoever got hold of such a task means the coroutine that it was given
to, so a task that is held outside is never given to another one.

Source: the asyncio documentation, "Extending" (how a task implementation enters and leaves a task).
"""

from __future__ import annotations

import asyncio
from asyncio import tasks
from collections.abc import Coroutine, Generator
from contextvars import Context, copy_context
from sys import getrefcount
from typing import Any, cast
from weakref import getweakrefcount


class FirstSteps:
    """Begins coroutines, one after the other, and keeps at most one spare task."""

    __slots__ = ("_spare",)

    def __init__(self) -> None:
        self._spare: _Steps | None = None

    def begin(self, coroutine: Coroutine[Any, Any, None], *, name: str) -> asyncio.Task[None] | None:
        """Take the first step of a coroutine, and give the task that takes the others. None: there are no others.

        What the first step raises, the task raises with the next turn of the event loop: an interrupt from the keyboard
        stops the loop, as it does in any task, and does not break what was about to begin the next coroutine.
        """
        loop, steps = asyncio.get_running_loop(), self._spare
        # It may have been cancelled since, as by one who cancels all tasks that there are.
        if steps is None or not steps.is_as_new:
            steps = _Steps(loop)
        self._spare = None
        task = steps.task
        task.set_name(name)
        caller = asyncio.current_task(loop)
        if caller is not None:
            tasks._leave_task(loop, caller)  # noqa: SLF001 (documented for task implementations)
        tasks._enter_task(loop, task)  # noqa: SLF001 (as above)
        try:
            is_over = steps.begin(coroutine)
        finally:
            tasks._leave_task(loop, task)  # noqa: SLF001 (as above)
            if caller is not None:
                tasks._enter_task(loop, caller)  # noqa: SLF001 (as above)
        if not is_over:
            return task
        if steps.is_as_new:
            self._spare = steps
        return None

    def close(self) -> None:
        """Let the spare task end; it does so with the next turn of the event loop."""
        if self._spare is not None:
            self._spare.end()
            self._spare = None


class _Steps:
    """What a task drives: nothing yet, and then a coroutine whose first step was taken before the task could."""

    __slots__ = (
        "_context",
        "_coroutine",
        "_idle",
        "_is_ended",
        "_is_held",
        "_loop",
        "_raised",
        "_waits",
        "_waits_for",
        "task",
    )

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._coroutine: Coroutine[Any, Any, None] | None = None
        self._context: Context | None = None
        self._idle: asyncio.Future[None] | None = None
        self._is_ended = False
        self._is_held = False
        self._raised: BaseException | None = None
        self._waits = False
        self._waits_for: Any = None
        self.task: asyncio.Task[None] = asyncio.Task(cast("Coroutine[Any, Any, None]", self), loop=loop)

    @property
    def is_as_new(self) -> bool:
        """Whether nothing that the last coroutine did to its task is left on it. One that is not is let end."""
        task = self.task
        as_new = not (self._is_held or task.done() or task.cancelling() or task._callbacks)  # noqa: SLF001 (there is no public way to see who waits for a task)
        if not as_new:
            self.end()
        return as_new

    def begin(self, coroutine: Coroutine[Any, Any, None]) -> bool:
        """Take the first step. Give whether it was the last."""
        context, task = copy_context(), self.task
        references, weak = getrefcount(task), getweakrefcount(task)
        try:
            waits_for = context.run(coroutine.send, None)
        except StopIteration:
            # A registry of tasks, say, that is asked to cancel this one after it has served another coroutine.
            self._is_held = getrefcount(task) > references or getweakrefcount(task) > weak
            return True
        except BaseException as raised:  # noqa: BLE001 (it is raised where it belongs)
            self._raised = raised
        else:
            self._coroutine, self._context = coroutine, context
            self._waits, self._waits_for = True, waits_for
        self._stir()
        return False

    def end(self) -> None:
        """Nothing more will come."""
        self._is_ended = True
        self._stir()

    def _stir(self) -> None:
        if self._idle is not None and not self._idle.done():
            self._idle.set_result(None)

    def _raise(self) -> None:
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised

    def send(self, value: Any) -> Any:  # noqa: ANN401 (a coroutine's own)
        self._raise()
        if self._coroutine is None or self._context is None:
            if self._is_ended:
                del self.task  # It holds this in turn, and neither is to wait for a collector.
                raise StopIteration
            self._idle = idle = self._loop.create_future()
            # What a future gives when it is awaited is what tells the task to wait for it.
            waiting: Generator[Any, None, None] = idle.__await__()
            return next(waiting)
        if self._waits:
            # The task is told only now what it waits for.
            self._waits = False
            return self._waits_for
        return self._context.run(self._coroutine.send, value)

    def throw(self, error: BaseException) -> Any:  # noqa: ANN401 (a coroutine's own)
        self._raise()
        if self._coroutine is None or self._context is None:
            raise error
        if self._waits:
            self._waits = False
            # A task that is cancelled while it waits cancels what it waits for, and hears of the end of that.
            waits_for = self._waits_for if isinstance(error, asyncio.CancelledError) else None
            if asyncio.isfuture(waits_for) and waits_for.cancel(*error.args):
                return waits_for
        return self._context.run(self._coroutine.throw, error)


Coroutine.register(_Steps)
