"""Runs of a store to a list: a line a run, newest first, for people or for scripts.

In: states of runs, and the first event of each. Out: text. A run that has not begun has no event that says what was
asked, and what is only in its facts is not told.

Source: docs/cli.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from treadle.cli.foreign_text import json_line
from treadle.cli.tables import moment, table
from treadle.errors import RecordFormatError
from treadle.ports.log import LogReads
from treadle.ports.runs_seen import RunsSeen
from treadle.values.events import RunStarted
from treadle.values.ids import ThreadId
from treadle.values.runs import RunState, RunStatus
from treadle.values.stretches import events_of

HEADS: Final = ("RUN", "STATE", "AGENT", "THREAD", "EVENTS", "CHANGED", "ASKED")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRun:
    """A run in a list. `asked` is what its user said, "" where its log does not say."""

    state: RunState
    asked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunList:
    """Runs, newest first. `is_cut`: there are more than were asked for."""

    runs: tuple[ListedRun, ...]
    is_cut: bool


async def listed(
    store: RunsSeen, scope: str, *, thread_id: ThreadId | None, status: RunStatus | None, limit: int
) -> RunList:
    """The newest `limit` runs of a scope, of one thread and with one status where these are given."""
    statuses = None if status is None else (status,)
    found = await store.find(scope, thread_id=thread_id, statuses=statuses, limit=limit + 1)
    runs = [ListedRun(state=state, asked=await asked_of(store, state)) for state in found[:limit]]
    return RunList(runs=tuple(runs), is_cut=len(found) > limit)


async def asked_of(log: LogReads, state: RunState) -> str:
    """What the user of a run said, as its first event tells it; "" where it cannot be read or is not there."""
    try:
        page = await log.read(state.scope, state.run_id, -1, limit=1)
    except RecordFormatError:
        return ""
    events = [event for stretch in page for event in events_of(stretch, state.run_id)]
    return next((event.prompt for event in events if isinstance(event, RunStarted)), "")


def for_people(runs: Sequence[ListedRun], *, terminal: bool) -> str:
    """The list as a table; "" where there are none."""
    return table(HEADS, [_cells(run) for run in runs], terminal=terminal)


def for_scripts(runs: Sequence[ListedRun]) -> str:
    """The list as JSON, an object a line."""
    return "".join(f"{json_line(run_terms(run))}\n" for run in runs)


def run_terms(run: ListedRun) -> dict[str, Any]:
    """A run in JSON terms. Times are UTC seconds."""
    state = run.state
    return {
        "run_id": state.run_id,
        "thread_id": state.thread_id,
        "agent": state.agent,
        "state": state.status.value,
        "events": state.next_index,
        "created_s": state.created_s,
        "changed_s": state.changed_s,
        "wake_at_s": state.wake_at_s,
        "prompt": run.asked,
    }


def _cells(run: ListedRun) -> tuple[str, ...]:
    state = run.state
    return (
        state.run_id,
        state.status.value,
        state.agent,
        state.thread_id or "-",
        str(state.next_index),
        moment(state.changed_s),
        run.asked,
    )
