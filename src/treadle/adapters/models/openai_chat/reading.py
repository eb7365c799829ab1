"""The body of a response to what the model says, one list a read.

In: an HTTP response whose head has come. Out: items, and at last the end of the turn or the error that took its place.
Decides how long a body is waited for that has nothing more to say; knows nothing of requests and of chunks.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

import httpx2

from treadle.adapters.models.openai_chat.failures import of_broken_stream
from treadle.adapters.models.openai_chat.stream import ChatStream
from treadle.errors import ModelError
from treadle.values.model import ModelItem

DRAIN_TIMEOUT_S: Final = 0.02
"""How long the end of the body is waited for after the end marker, so that the connection can be used again."""
TAIL_TIMEOUT_S: Final = 2.0
"""How long is waited, after a finish reason, for what may follow it: the counts, the end marker, the end of the body.
Whatever is told meanwhile starts it anew; bytes that tell nothing do not."""


async def read(response: httpx2.Response) -> AsyncGenerator[list[ModelItem], None]:
    """The items of a response, one list a read.

    Raises:
        ModelError: What broke, after all that came before it.
    """
    stream = ChatStream(content_type=response.headers.get("content-type", ""))
    rest: list[ModelItem] = []
    broken: httpx2.HTTPError | None = None
    async with aclosing(response.aiter_bytes()) as reads:
        try:
            async for data in reads:
                rest = stream.feed(data)
                if stream.has_finished:
                    break
                yield rest
                rest = []
            tail = _Tail(reads, stream)
            while tail.is_due:
                yield rest
                rest = []
                rest = await tail.heard()
        except httpx2.HTTPError as error:
            broken = error
        if stream.failure is None and stream.is_over:
            await _drain(reads)
    if not stream.is_over:
        rest = stream.end()
    if rest:
        yield rest
    if stream.failure is not None:
        raise _told(stream.failure, broken)


def _told(failure: ModelError, broken: httpx2.HTTPError | None) -> ModelError:
    """A connection that broke is why the answer did."""
    if broken is None:
        return failure
    told = of_broken_stream(broken)
    told.__cause__ = broken
    return told


class _Tail:
    """What follows a finish reason, waited for a bounded time. Time in which nobody waits is not counted."""

    def __init__(self, reads: AsyncGenerator[bytes, None], stream: ChatStream) -> None:
        self._reads = reads
        self._stream = stream
        self._left_s = TAIL_TIMEOUT_S
        self._is_cut = False

    @property
    def is_due(self) -> bool:
        return self._stream.has_finished and not self._stream.is_over and not self._is_cut

    async def heard(self) -> list[ModelItem]:
        """The items of the next read; none, and no more is due, where there is no read in time."""
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        try:
            async with asyncio.timeout(self._left_s):
                data = await anext(self._reads, None)
        except TimeoutError:
            data = None
        if data is None:
            self._is_cut = True
            return []
        items = self._stream.feed(data)
        self._left_s = TAIL_TIMEOUT_S if items else self._left_s - (loop.time() - began_s)
        return items


async def _drain(reads: AsyncGenerator[bytes, None]) -> None:
    """Read to the end of the body if it is there: a connection whose body is left unread cannot be used again."""
    try:
        async with asyncio.timeout(DRAIN_TIMEOUT_S):
            async for _ in reads:
                pass
    except (TimeoutError, httpx2.HTTPError):
        return
