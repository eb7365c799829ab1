"""Sources of kernel events that end, break and close in every way, and count how often they were closed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from treadle.runtime.typed_stream import TypedStream
from treadle.values.events import KernelEvent


class Source:
    """Gives its events, then waits, raises or ends. `aclose` counts, and fails if it is told to."""

    def __init__(
        self,
        events: Sequence[KernelEvent] = (),
        *,
        raises: BaseException | None = None,
        hangs: bool = False,
        close_raises: BaseException | None = None,
    ) -> None:
        self.events = list(events)
        self.raises = raises
        self.hangs = hangs
        self.close_raises = close_raises
        self.closed = 0
        self.waits = asyncio.Event()
        """Set when a reader waits for what never comes."""

    def __aiter__(self) -> AsyncIterator[KernelEvent]:
        return self

    async def __anext__(self) -> KernelEvent:
        if self.events:
            return self.events.pop(0)
        if self.hangs:
            self.waits.set()
            await asyncio.Event().wait()
        if self.raises is not None:
            raise self.raises
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Count, and fail if told to."""
        self.closed += 1
        await asyncio.sleep(0)
        if self.close_raises is not None:
            raise self.close_raises


class Unclosable:
    """Gives its events and has no `aclose`."""

    def __init__(self, events: Sequence[KernelEvent]) -> None:
        self.events = list(events)

    def __aiter__(self) -> AsyncIterator[KernelEvent]:
        return self

    async def __anext__(self) -> KernelEvent:
        if self.events:
            return self.events.pop(0)
        raise StopAsyncIteration


class Told:
    """What was told to the event loop's exception handler while the block ran."""

    def __init__(self) -> None:
        self.contexts: list[dict[str, Any]] = []

    def __enter__(self) -> list[dict[str, Any]]:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: self.contexts.append(context))
        return self.contexts

    def __exit__(self, *_: object) -> None:
        asyncio.get_running_loop().set_exception_handler(None)


async def read(stream: TypedStream) -> list[Any]:
    """Everything that the stream gives."""
    return [said async for said in stream]
