"""What a run costs in numbers that no busy machine changes: Python calls, event-loop callbacks, tasks.

In: a coroutine function to run. Out: counts of one run of it, the harness included.
"""

from __future__ import annotations

import asyncio
import cProfile
import pstats
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

Play = Callable[[], Coroutine[Any, Any, None]]


@dataclass(slots=True)
class Counts:
    """Counts of one run."""

    calls: int = 0
    callbacks: int = 0
    tasks: int = 0


def counted(runner: asyncio.Runner, play: Play) -> Counts:
    """Run twice, once for what the event loop does, once for calls: the counting of one must not count in the other."""
    counts = Counts()
    runner.run(play())
    with _turns_counted(runner.get_loop(), counts):
        runner.run(play())
    profile = cProfile.Profile()
    profile.enable()
    runner.run(play())
    profile.disable()
    counts.calls = pstats.Stats(profile).total_calls  # type: ignore[attr-defined]  # an attribute the stubs leave out
    return counts


@contextmanager
def _turns_counted(loop: asyncio.AbstractEventLoop, counts: Counts) -> Iterator[None]:
    run_handle, make_task = asyncio.Handle._run, loop.create_task  # noqa: SLF001 (there is no public place to count)

    def run(handle: asyncio.Handle) -> None:
        counts.callbacks += 1
        run_handle(handle)

    def create_task(*args: Any, **keywords: Any) -> Any:  # noqa: ANN401 (handed on as they come)
        counts.tasks += 1
        return make_task(*args, **keywords)

    asyncio.Handle._run = run  # noqa: SLF001 (as above, and put back below)
    loop.create_task = create_task
    try:
        yield
    finally:
        asyncio.Handle._run = run_handle  # noqa: SLF001 (as above)
        del loop.create_task
