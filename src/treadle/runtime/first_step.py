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
from contextvars import copy_context
from sys import getrefcount
from types import coroutine
from typing import Any
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
    """What a task drives: nothing yet, and then a coroutine whose first step was taken before the task could.

    The task has a context of its own, which its first coroutine runs in; so the task takes the steps of that one
    itself, and nothing of ours stands between them. One that a spare task goes on with has another context.
    """

    __slots__ = (
        "_context",
        "_coroutine",
        "_idle",
        "_is_ended",
        "_is_held",
        "_is_new",
        "_loop",
        "_own",
        "_raised",
        "_waits_for",
        "task",
    )

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._own = self._context = copy_context()
        self._is_new = True
        self._coroutine: Coroutine[Any, Any, None] | None = None
        self._idle: asyncio.Future[None] | None = None
        self._is_ended = False
        self._is_held = False
        self._raised: BaseException | None = None
        self._waits_for: Any = None
        driven = self._driven()
        # Begun before the task has it: one that is cancelled before its first step hears of it all the same.
        driven.send(None)
        self.task: asyncio.Task[None] = asyncio.Task(driven, loop=loop, context=self._own)

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
        task = self.task
        context = self._own if self._is_new else copy_context()
        self._is_new = False
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
            self._coroutine, self._context, self._waits_for = coroutine, context, waits_for
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

    async def _driven(self) -> None:
        await self._turns()

    @coroutine
    def _turns(self) -> Generator[Any, Any, None]:
        """What the task does: wait for a coroutine, then take the steps that are left of it."""
        thrown = yield from self._heard(None)
        while True:
            self._raise()
            if self._coroutine is not None:
                break
            if thrown is not None:
                raise thrown
            if self._is_ended:
                del self.task  # It holds this in turn, and neither is to wait for a collector.
                return
            self._idle = idle = self._loop.create_future()
            # What a future gives when it is awaited is what tells the task to wait for it.
            thrown = yield from self._heard(next(iter(idle)))
        yield from self._rest(self._coroutine, thrown)

    @coroutine
    def _rest(self, begun: Coroutine[Any, Any, None], thrown: BaseException | None) -> Generator[Any, Any, None]:
        """Take the steps behind the first one of a coroutine. The task is told only now what it waits for."""
        waits_for, is_own = self._waits_for, self._context is self._own
        self._waits_for = None
        # A task that is cancelled while it waits cancels what it waits for, and hears of the end of that.
        if isinstance(thrown, asyncio.CancelledError) and asyncio.isfuture(waits_for):
            thrown = None if waits_for.cancel(*thrown.args) else thrown
        try:
            while True:
                if thrown is None:
                    thrown = yield from self._heard(waits_for)
                if thrown is None and is_own:
                    yield from begun
                    return
                if thrown is None:
                    waits_for = self._context.run(begun.send, None)
                    continue
                raised, thrown = thrown, None
                waits_for = begun.throw(raised) if is_own else self._context.run(begun.throw, raised)
                del raised  # It holds the frames that it came through, and none of them may hold it.
        except StopIteration:
            return

    @coroutine
    def _heard(self, waits_for: Any) -> Generator[Any, Any, BaseException | None]:  # noqa: ANN401 (a coroutine's own)
        """Wait for this, and give what was thrown meanwhile."""
        try:
            yield waits_for
        except BaseException as thrown:  # noqa: BLE001 (it is handed on)
            return thrown
        return None
