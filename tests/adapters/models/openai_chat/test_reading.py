"""Bodies that end well, late, or not at all, one fact a test."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from treadle.adapters.models.openai_chat import reading
from treadle.errors import ModelError, ModelTruncatedError
from treadle.values.model import TEXT, ModelTurn, StopReason, TurnEnded, UsageTold
from treadle.values.usage import NO_USAGE, UsageDelta

HELLO = b'data: {"choices":[{"delta":{"content":"Hello"}}]}\n\n'
STOP = b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'
USAGE = b'data: {"choices":[],"usage":{"prompt_tokens":5}}\n\n'
PING = b": ping\n\n"
DONE = b"data: [DONE]\n\n"
COUNTED = UsageDelta(input_tokens=5)


class _Body(httpx2.AsyncByteStream):
    """Parts, and then silence on an open connection, unless it breaks."""

    def __init__(self, *parts: bytes, then: Exception | None = None, again: bytes = b"") -> None:
        self._parts = parts
        self._then = then
        self._again = again

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self._parts:
            yield part
        if self._then is not None:
            raise self._then
        while self._again:
            await asyncio.sleep(0)
            yield self._again
        await asyncio.Event().wait()


async def _lists(body: httpx2.AsyncByteStream) -> list[list[Any]]:
    response = httpx2.Response(200, headers={"content-type": "text/event-stream"}, stream=body)
    async with asyncio.timeout(10):
        return [items async for items in reading.read(response)]


@pytest.fixture
def short_tail(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tail that a test can wait for."""
    monkeypatch.setattr(reading, "TAIL_TIMEOUT_S", 0.01)


@pytest.mark.usefixtures("short_tail")
@pytest.mark.parametrize("again", [b"", PING])
@pytest.mark.parametrize("counts", [(), (USAGE,)])
async def test_silence_after_a_finish_reason_ends_the_turn(counts: tuple[bytes, ...], again: bytes) -> None:
    """The end marker may never come on a connection that stays open; pings do not keep a turn alive (field report)."""
    lists = await _lists(_Body(HELLO, STOP, *counts, again=again))
    usage = COUNTED if counts else NO_USAGE
    turn = ModelTurn(text="Hello", stop_reason=StopReason.STOP, usage=usage)
    told: list[Any] = [UsageTold(usage=COUNTED)] if counts else []
    assert [item for items in lists for item in items] == [(TEXT, "Hello"), *told, TurnEnded(turn=turn)]


async def test_what_follows_a_finish_reason_is_read_to_the_end_marker() -> None:
    """Counts come late, and so may text (field report)."""
    lists = await _lists(_Body(HELLO, STOP, PING, HELLO, USAGE, DONE))
    turn = ModelTurn(text="HelloHello", stop_reason=StopReason.STOP, usage=COUNTED)
    assert lists == [
        [(TEXT, "Hello")], [], [], [(TEXT, "Hello")], [UsageTold(usage=COUNTED)], [TurnEnded(turn=turn)]
    ]  # fmt: skip


@pytest.mark.usefixtures("short_tail")
async def test_before_a_finish_reason_silence_is_the_runs_business() -> None:
    """A model may think for long (ours)."""
    response = httpx2.Response(200, headers={"content-type": "text/event-stream"}, stream=_Body(HELLO))
    lists = reading.read(response)
    assert await anext(lists) == [(TEXT, "Hello")]
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await anext(lists)
    await lists.aclose()


async def test_a_connection_that_breaks_after_a_finish_reason_has_told_the_turn() -> None:
    """And before it, it has not (ours)."""
    broken = httpx2.ReadError("gone")
    assert (await _lists(_Body(HELLO, STOP, then=broken)))[-1] == [
        TurnEnded(turn=ModelTurn(text="Hello", stop_reason=StopReason.STOP))
    ]
    with pytest.raises(ModelError) as told:
        await _lists(_Body(HELLO, then=broken))
    assert type(told.value) is ModelTruncatedError
    assert told.value.__cause__ is broken
