"""A run's kernel events as a stream of typed ones, over any source of events.

In: an async iterable of kernel events, from one place of a log to a closing event. Out: stream events, in the
bare or the public form. Knows nothing of logs, loops or agents.

A stream ends at the first closing event: what a source gives after it is not read. The source is closed on every
way out: at the end, when it breaks, when the reader is cancelled, when the reader closes the stream, even before
its first step. A source without `aclose` is fine. A close that fails changes nothing of what the reader was told;
it goes to the event loop's exception handler.

Source: docs/stream-events.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable
from types import TracebackType
from typing import Final, Self

from treadle.errors import MisuseError, RunFailedError, TreadleError
from treadle.projections.typed.closing import bare_of, completion, typed_of
from treadle.projections.typed.events import ResponseComplete, StreamEvent
from treadle.runtime.shown_so_far import ShownSoFar
from treadle.values import events as ev
from treadle.values.events import KernelEvent

_CLOSING: Final = frozenset[type[KernelEvent]](ev.CLOSING_TYPES)

_Steps = AsyncGenerator[StreamEvent, None]


class TypedStream(AsyncIterator[StreamEvent]):
    """Stream events to iterate over once; `async with` closes the source when the block is left.

    A second `async for` goes on where the first one stopped.
    """

    __slots__ = ("_source", "_steps")

    def __init__(self, steps: _Steps, source: _Source) -> None:
        self._steps = steps
        self._source = source

    def __aiter__(self) -> AsyncIterator[StreamEvent]:
        # The generator itself: a reader who just walks away drops it, and the loop then closes it.
        return self._steps

    def __anext__(self) -> Awaitable[StreamEvent]:
        return self._steps.__anext__()

    async def aclose(self) -> None:
        """Close the source, from any task, before the first step too. A second close does nothing.

        Cancel:  Safe: the source's own close is what is cancelled.
        """
        if not getattr(self._steps, "ag_running", False):
            await self._steps.aclose()
        await self._source.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def typed_stream(events: AsyncIterable[KernelEvent]) -> TypedStream:
    """The bare form: `done` ends with usage and a completion, a pause with usage and what is asked.

    `cancelled` says nothing. `error` says nothing either: the exception that the source raises after it goes to the
    reader as it is.

    Raises:
        RunFailedError: While reading: the source gave `error` and raised nothing, or ended without a closing event.
    """
    source = _Source(events)
    return TypedStream(_bare(source), source)


def public_stream(events: AsyncIterable[KernelEvent]) -> TypedStream:
    """The public form: on every ending one `ResponseComplete`, last.

    A source that breaks, or ends without a closing event, ends the stream with the outcome `error` and what was
    shown until then. A broken rule of ours (`MisuseError`) and a cancel of the reader are no ends of a run: they go
    through.
    """
    source = _Source(events)
    return TypedStream(_public(source), source)


class _Source:
    """The source of a stream, closed once, and never while it runs."""

    __slots__ = ("_is_closed", "events", "is_left")

    def __init__(self, events: AsyncIterable[KernelEvent]) -> None:
        self.events = events
        self.is_left = False
        """The reader has closed the stream, so that an end without a closing event is none of the run's."""
        self._is_closed = False

    async def close(self) -> None:
        self.is_left = True
        close = getattr(self.events, "aclose", None)
        # A generator that is being read by another task refuses to be closed; its reader does it at the next event.
        if self._is_closed or close is None or getattr(self.events, "ag_running", False):
            return
        self._is_closed = True
        try:
            await close()
        except Exception as failure:  # noqa: BLE001 (the run is over: how its source closes must not change its end)
            _tell("the source of a typed stream failed to close", failure)


async def _bare(source: _Source) -> _Steps:
    try:
        steps = aiter(source.events)
        async for event in steps:
            if source.is_left:
                return
            for said in bare_of(event):
                yield said
            if type(event) is ev.Error:
                # The run's own exception comes with the next step, if it comes.
                await anext(steps, None)
                raise RunFailedError(f"run {event.run_id!r} ended in error {event.code!r}", result=completion(event))
            if type(event) in _CLOSING:
                return
        if not source.is_left:
            raise RunFailedError("the events of a run ended without a closing event", result=None)
    finally:
        await source.close()


async def _public(source: _Source) -> _Steps:
    shown = ShownSoFar()
    try:
        async for event in source.events:
            if source.is_left:
                return
            shown.add(event)
            for said in typed_of(event):
                yield said
            if type(event) in _CLOSING:
                return
        if not source.is_left:
            yield _broken_off(shown)
    except MisuseError:
        raise
    except Exception as failure:  # noqa: BLE001 (the border of a run: whatever broke, its reader is told an end)
        _tell("the events of a run broke off", failure)
        if not source.is_left:
            yield _broken_off(shown, failure)
    finally:
        await source.close()


def _broken_off(shown: ShownSoFar, failure: Exception | None = None) -> ResponseComplete:
    """The end of a run whose source gave none."""
    code, retryable = (failure.code, failure.retryable) if isinstance(failure, TreadleError) else ("internal", False)
    return ResponseComplete(
        outcome="error",
        text=shown.text,
        answer=shown.answer,
        run_id=shown.run_id,
        termination="error",
        error_code=code,
        error_class="internal",
        retryable=retryable,
    )


def _tell(message: str, failure: Exception) -> None:
    asyncio.get_running_loop().call_exception_handler({"message": message, "exception": failure})
