"""A reader of a stored run: what is there, then what comes, from any cursor.

Law: a reader sees only what is stored, each event once and in order. Wake-ups are hints; the rows decide.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from treadle.errors import CursorError
from treadle.ports.log import LogReads
from treadle.values.events import CLOSING_TYPES, FINAL_TYPES, KernelEvent
from treadle.values.ids import RunId
from treadle.values.runs import Cursor, RunState, RunStatus
from treadle.values.stretches import events_of

SLICE: Final = 512
"""Records that are read at a time."""
PATIENCE_S: Final = 15.0
"""Seconds after which a reader looks again although nobody woke it."""


class Unit(StrEnum):
    """What a reader reads to the end of."""

    RUN = "run"
    SEGMENT = "segment"
    """A pause ends the reading as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedRecord:
    """One event of a stored run and the place it stands at."""

    cursor: str
    """Opaque: give it back to go on after this event."""
    event: KernelEvent


async def place_of(log: LogReads, state: RunState, after: str | None) -> int:
    """The index that a cursor stands on in the log of this run; -1 for none, before the first event.

    Raises:
        CursorError: It is no cursor, or not one of this log. `reset_to` is then the last event of this log that
            whoever has the cursor has seen as it is; None where there is none.
    """
    if after is None:
        return -1
    try:
        cursor = Cursor.read(after)
    except ValueError as malformed:
        raise CursorError(str(malformed)) from malformed
    run_id = state.run_id
    if cursor.index >= state.next_index:
        said = f"cursor {after[:40]!r} is ahead of run {run_id!r}, which has {state.next_index} events"
        raise CursorError(said, reset_to=await _last_shared(log, state, cursor.epoch))
    epoch = await _epoch_at(log, state, cursor.index)
    if epoch != cursor.epoch:
        reset_to = await _last_shared(log, state, cursor.epoch) if cursor.epoch < epoch else None
        said = f"event {cursor.index} of run {run_id!r} is of epoch {epoch}, the cursor of {cursor.epoch}"
        raise CursorError(said, reset_to=reset_to)
    return cursor.index


async def followed(
    log: LogReads, scope: str, run_id: RunId, *, at: int, to_end_of: Unit
) -> AsyncGenerator[WatchedRecord, None]:
    """The events of a run after an index, live until the end of the run, or of the segment at hand.

    Raises:
        RunNotFoundError: No such run in this scope, or no longer.
        RecordFormatError: A row cannot be read.
    """
    while True:
        stretches = await log.read(scope, run_id, at, limit=SLICE)
        before = at
        for stretch in stretches:
            for event in events_of(stretch, run_id, after=at):
                at = event.index
                yield WatchedRecord(cursor=f"{stretch.epoch}:{at}", event=event)
                if isinstance(event, FINAL_TYPES):
                    return
                is_close = to_end_of is Unit.SEGMENT and isinstance(event, CLOSING_TYPES)
                if is_close and await is_over(log, scope, run_id, at=at, to_end_of=to_end_of, closed=True):
                    return
        if at == before and await is_over(log, scope, run_id, at=at, to_end_of=to_end_of, closed=False):
            return
        await log.wait(scope, run_id, at, timeout_s=PATIENCE_S)


async def watched(
    log: LogReads, scope: str, run_id: RunId, *, after: str | None, to_end_of: Unit = Unit.RUN
) -> AsyncGenerator[WatchedRecord, None]:
    """The events of a run after a cursor; None begins with the first. See `place_of` and `followed`."""
    at = await place_of(log, await log.state(scope, run_id), after)
    async for record in followed(log, scope, run_id, at=at, to_end_of=to_end_of):
        yield record


async def is_over(log: LogReads, scope: str, run_id: RunId, *, at: int, to_end_of: Unit, closed: bool) -> bool:
    """Whether a reader who stands at the last event has read to the end of the run, or of the segment at hand.

    Args:
        closed: The event at hand closes its segment, and this reader has just read it.
    """
    state = await log.state(scope, run_id)
    if at + 1 < state.next_index:
        return False
    return state.is_final or (to_end_of is Unit.SEGMENT and (closed or state.status is RunStatus.WAITING))


async def _epoch_at(log: LogReads, state: RunState, index: int) -> int:
    """The epoch in which the event with this index was written."""
    for stretch in await log.read(state.scope, state.run_id, index - 1, limit=1):
        if stretch.index <= index < stretch.index + stretch.events:
            return stretch.epoch
    raise CursorError(f"event {index} of run {state.run_id!r} cannot be found")


async def _last_shared(log: LogReads, state: RunState, epoch: int) -> str | None:
    """The cursor of the last event that was written before a later epoch than this one wrote any."""
    shared: str | None = None
    at = -1
    while at + 1 < state.next_index:
        before = at
        for stretch in await log.read(state.scope, state.run_id, at, limit=SLICE):
            last = stretch.index + stretch.events - 1
            if last <= at:
                continue
            if stretch.epoch > epoch:
                return shared
            at, shared = last, f"{stretch.epoch}:{last}"
        if at == before:
            break
    return shared
