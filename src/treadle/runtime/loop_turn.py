"""A turn of the event loop, let to others without a future and without a call of `asyncio.sleep`."""

from __future__ import annotations

from collections.abc import Generator
from types import coroutine


@coroutine
def loop_turn() -> Generator[None, None, None]:
    """Go on with the next turn of the event loop, behind all that is ready to run."""
    yield
