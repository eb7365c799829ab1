"""A task whose first step is taken at once, without a turn of the event loop.

A coroutine that waits for nothing is over when `begun` returns; one that waits goes on as any task does. It has a
task and a context of its own from the beginning, so timeouts and task groups in its first step are its own.

Source: the asyncio documentation, "Extending" (how a task implementation enters and leaves a task).
"""

from __future__ import annotations

import asyncio
from asyncio import tasks
from collections.abc import Coroutine
from contextvars import copy_context
from typing import Any, cast


def begun(coroutine: Coroutine[Any, Any, None], *, name: str) -> asyncio.Task[None]:
    """Take the first step of a coroutine, and give the task that takes the others.

    Raises:
        BaseException: The coroutine raised it in its first step.
    """
    loop, context = asyncio.get_running_loop(), copy_context()
    rest = _Rest(coroutine)
    task = asyncio.Task(cast("Coroutine[Any, Any, None]", rest), loop=loop, name=name, context=context)
    caller = asyncio.current_task(loop)
    if caller is not None:
        tasks._leave_task(loop, caller)  # noqa: SLF001 (documented for task implementations)
    tasks._enter_task(loop, task)  # noqa: SLF001 (as above)
    try:
        context.run(rest.begin)
    finally:
        tasks._leave_task(loop, task)  # noqa: SLF001 (as above)
        if caller is not None:
            tasks._enter_task(loop, caller)  # noqa: SLF001 (as above)
    return task


class _Rest:
    """A coroutine for a task to drive, whose first step was taken before the task could."""

    __slots__ = ("_coroutine", "_is_over", "_waits", "_waits_for")

    def __init__(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self._coroutine = coroutine
        self._is_over = True
        self._waits = False
        self._waits_for: Any = None

    def begin(self) -> None:
        try:
            self._waits_for = self._coroutine.send(None)
        except StopIteration:
            return
        self._is_over, self._waits = False, True

    def send(self, value: Any) -> Any:  # noqa: ANN401 (a coroutine's own)
        if self._is_over:
            raise StopIteration
        if self._waits:
            # The task is told only now what it waits for.
            self._waits = False
            return self._waits_for
        return self._coroutine.send(value)

    def throw(self, error: BaseException) -> Any:  # noqa: ANN401 (a coroutine's own)
        if self._is_over:
            raise error
        self._waits = False
        return self._coroutine.throw(error)


Coroutine.register(_Rest)
