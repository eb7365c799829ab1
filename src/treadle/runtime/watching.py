"""A reader of a stored run: what is there, then what comes, from any cursor.

Law: a reader sees only what is stored, each event once and in order. Wake-ups are hints; the rows decide.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Final

from treadle.errors import CursorError
from treadle.ports.log import RunLog
from treadle.values.events import CLOSING_TYPES, FINAL_TYPES, KernelEvent
from treadle.values.ids import RunId
from treadle.values.runs import Cursor
from treadle.values.stretches import events_of

SLICE: Final = 512
"""Records that are read at a time."""
PATIENCE_S: Final = 15.0
"""Seconds after which a reader looks again although nobody woke it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedRecord:
    """One event of a stored run and the place it stands at."""

    cursor: str
    """Opaque: give it back to go on after this event."""
    event: KernelEvent


async def watched(
    log: RunLog, scope: str, run_id: RunId, *, after: str | None, to_end_of: str = "run"
) -> AsyncGenerator[WatchedRecord, None]:
    """The events of a run after a cursor, live until the end of the run, or of the segment at hand.

    Args:
        after: The cursor of the last event that was seen; None begins with the first.
        to_end_of: `run`, or `segment`: then a pause ends the reading as well.
    Raises:
        RunNotFoundError: No such run in this scope.
        CursorError: The cursor is not one of this log.
    """
    at = await _place(log, scope, run_id, after)
    ends = FINAL_TYPES if to_end_of == "run" else CLOSING_TYPES
    while True:
        stretches = await log.read(scope, run_id, at, limit=SLICE)
        for stretch in stretches:
            for event in events_of(stretch, run_id, after=at):
                at = event.index
                yield WatchedRecord(cursor=f"{stretch.epoch}:{at}", event=event)
                if isinstance(event, ends) and (to_end_of == "segment" or isinstance(event, FINAL_TYPES)):
                    if isinstance(event, FINAL_TYPES) or not await _goes_on(log, scope, run_id, at):
                        return
        if not stretches or at + 1 >= (state := await log.state(scope, run_id)).next_index:
            state = await log.state(scope, run_id)
            if state.is_final and at + 1 >= state.next_index:
                return
            if at + 1 >= state.next_index:
                await log.wait(scope, run_id, at, timeout_s=PATIENCE_S)


async def _goes_on(log: RunLog, scope: str, run_id: RunId, at: int) -> bool:
    """Whether the run was resumed after this closing event already."""
    return (await log.state(scope, run_id)).next_index > at + 1


async def _place(log: RunLog, scope: str, run_id: RunId, after: str | None) -> int:
    state = await log.state(scope, run_id)
    if after is None:
        return -1
    try:
        cursor = Cursor.read(after)
    except ValueError as malformed:
        raise CursorError(str(malformed)) from malformed
    if cursor.index >= state.next_index:
        raise CursorError(f"cursor {after!r} is ahead of run {run_id!r}, which has {state.next_index} events")
    for stretch in await log.read(scope, run_id, cursor.index - 1, limit=1):
        if stretch.index <= cursor.index < stretch.index + stretch.events and stretch.epoch != cursor.epoch:
            reset_to = f"{stretch.epoch}:{cursor.index}"
            said = f"cursor {after!r} was written by another owner of run {run_id!r}; go on from {reset_to!r}"
            raise CursorError(said, reset_to=reset_to)
    return cursor.index
