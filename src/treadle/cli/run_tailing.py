"""The events of a stored run, from the first or from behind a cursor, as they stand and as they come.

In: a store and the name of a run. Out: records to whoever shows them, and how the run stood at the end of the reading.
Reading ends at the final event; and where the log ends while nobody works on the run, for then nothing comes. Who
leaves stops nothing: neither the run nor anybody else who reads it.

Law: a reader who comes back folds from the start, and shows only what lies behind its cursor.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from treadle.cli.answering import Answered, has_result
from treadle.cli.conclusion import told
from treadle.cli.diagnostics import complain
from treadle.cli.exits import ExitCode
from treadle.cli.foreign_text import json_line
from treadle.cli.stopping import stop_signals
from treadle.cli.views import Form, View
from treadle.codec.events import kernel_event_json
from treadle.ports.log import LogReads
from treadle.projections.typed.closing import typed_of
from treadle.runtime.result import result_of
from treadle.runtime.watching import WatchedRecord, place_of, watched
from treadle.values.events import CLOSING_TYPES, FINAL_TYPES, ClosingEvent
from treadle.values.runs import RunState, RunStatus

NOBODY = "nobody works on the run now; it goes on once a process that has its agent opens the store"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tailed:
    """How far a run was read. `closing` is its last event where that closes a segment, else None."""

    state: RunState
    closing: ClosingEvent | None
    tool_results: int


async def tail(log: LogReads, state: RunState, view: View, *, form: Form, after: str | None) -> Tailed | None:
    """Show a run's events. None where a stop signal ended the reading.

    Args:
        after: Only the records behind this cursor are shown; None: all of them.
    Raises:
        CursorError: The cursor is not one of this log.
        RecordFormatError: A row cannot be read. What stands before it was shown.
        ReaderGoneError: Nobody reads the output any more.
    """
    place = await place_of(log, state, after)
    with stop_signals() as stop:
        reading = asyncio.create_task(_read(log, state, view, form=form, place=place))
        stopping = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait((reading, stopping), return_when=asyncio.FIRST_COMPLETED)
            return reading.result() if reading.done() else None
        finally:
            for task in (reading, stopping):
                task.cancel()
            await asyncio.wait((reading, stopping))


def concluded(tailed: Tailed | None) -> ExitCode:
    """Say how the run stands if it is not done. A run that ended or paused gives its code; leaving it is no failure."""
    if tailed is None:
        return ExitCode.DONE
    closing, state = tailed.closing, tailed.state
    if closing is None or not (state.is_final or state.status is RunStatus.WAITING):
        complain(f"{state.status.value}: {NOBODY}")
        return ExitCode.DONE
    result = result_of(closing, thread_id=state.thread_id, messages=())
    return told(Answered(result=result, failure=None, tool_results=tailed.tool_results, terminated=False))


async def _read(log: LogReads, state: RunState, view: View, *, form: Form, place: int) -> Tailed:
    closing: ClosingEvent | None = None
    tool_results = 0
    is_begun = False
    show = shown_as(form, view.shows)
    async with aclosing(_records(log, state)) as records:
        async for record in records:
            event = record.event
            closing = event if isinstance(event, CLOSING_TYPES) else None
            tool_results += has_result(event)
            text = show(record)
            if text and event.index > place:
                is_begun = True
                await view.output.send(text)
    if is_begun:
        await view.output.send(view.ends())
    return Tailed(state=await log.state(state.scope, state.run_id), closing=closing, tool_results=tool_results)


async def _records(log: LogReads, state: RunState) -> AsyncGenerator[WatchedRecord, None]:
    """All records of a run to its final event, or to the end of its log while nobody works on it."""
    if state.next_index == 0 and state.status is not RunStatus.OWNED:
        return
    async with aclosing(watched(log, state.scope, state.run_id, after=None)) as records:
        async for record in records:
            yield record
            at = record.event.index
            if isinstance(record.event, FINAL_TYPES):
                return
            if at + 1 >= state.next_index:
                state = await log.state(state.scope, state.run_id)
                if at + 1 >= state.next_index and state.status is not RunStatus.OWNED:
                    return


def shown_as(form: Form, show: Callable[[Any], str]) -> Callable[[WatchedRecord], str]:
    """What a record adds to the output; `show` says what one event of the form's own kind adds."""
    match form:
        case Form.PEOPLE:
            return lambda record: show(record.event)
        case Form.STREAM_EVENTS:
            return lambda record: "".join(map(show, typed_of(record.event)))
        case Form.KERNEL_EVENTS:
            return _kernel_line


def _kernel_line(record: WatchedRecord) -> str:
    terms = kernel_event_json(record.event)
    return f"{json_line({'kind': terms['kind'], 'index': terms['index'], 'cursor': record.cursor} | terms)}\n"
