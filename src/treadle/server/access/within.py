"""A wait with a limit that costs nothing where nothing is waited for.

Source: PEP 380 (what handing on to a coroutine means).
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from functools import partial
from types import coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def within(limit_s: float, waiting: Coroutine[Any, Any, T]) -> T:
    """Await a coroutine, so long at most. One that is over with its first step is given no timer.

    Raises:
        TimeoutError: It took longer.
    """
    try:
        waits_for = waiting.send(None)
    except StopIteration as over:
        made: T = over.value
        return made
    async with asyncio.timeout(limit_s):
        return await _rest(waiting, waits_for)


@coroutine
def _rest(begun: Coroutine[Any, Any, T], waits_for: Any) -> Generator[Any, Any, T]:  # noqa: ANN401 (an event loop's own)
    """Go on with a coroutine whose first step was taken."""
    while True:
        try:
            given = yield waits_for
        except BaseException as raised:  # noqa: BLE001 (it is handed on)
            step = partial(begun.throw, raised)
        else:
            step = partial(begun.send, given)
        try:
            waits_for = step()
        except StopIteration as over:
            made: T = over.value
            return made
