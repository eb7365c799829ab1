"""Runs of a store to its threads: a line a thread, the one that was spoken in last first.

In: states of runs, newest first. Out: text. A run without a thread is in none.

Source: docs/cli.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from treadle.cli.foreign_text import json_line
from treadle.cli.run_listing import ListedRun, asked_of
from treadle.cli.tables import moment, table
from treadle.ports.runs_seen import RunsSeen
from treadle.values.ids import ThreadId
from treadle.values.runs import RunState

PAGE: Final = 200
"""Runs that are asked for at a time."""
HEADS: Final = ("THREAD", "RUNS", "STATE", "CHANGED", "LAST RUN", "ASKED LAST")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedThread:
    """A thread in a list: how many runs it has, and the newest of them.

    Units: `created_s` and `changed_s` are UTC seconds: of its oldest run, and of its last change.
    """

    thread_id: ThreadId
    runs: int
    last: ListedRun
    created_s: float
    changed_s: float


async def threads(store: RunsSeen, scope: str) -> list[ListedThread]:
    """All threads of a scope, the one with the newest run first."""
    by_thread: dict[ThreadId, list[tuple[float, float]]] = {}
    newest: dict[ThreadId, RunState] = {}
    page = await store.find(scope, limit=PAGE)
    while page:
        for state in page:
            if state.thread_id:
                by_thread.setdefault(state.thread_id, []).append((state.created_s, state.changed_s))
                newest.setdefault(state.thread_id, state)
        page = await store.find(scope, before=page[-1].run_id, limit=PAGE) if len(page) == PAGE else ()
    return [
        ListedThread(
            thread_id=thread_id,
            runs=len(times),
            last=ListedRun(state=newest[thread_id], asked=await asked_of(store, newest[thread_id])),
            created_s=min(created_s for created_s, _ in times),
            changed_s=max(changed_s for _, changed_s in times),
        )
        for thread_id, times in by_thread.items()
    ]


def for_people(listed: Sequence[ListedThread], *, terminal: bool) -> str:
    """The list as a table; "" where there are none."""
    return table(HEADS, [_cells(thread) for thread in listed], terminal=terminal)


def for_scripts(listed: Sequence[ListedThread]) -> str:
    """The list as JSON, an object a line."""
    return "".join(f"{json_line(_terms(thread))}\n" for thread in listed)


def _terms(thread: ListedThread) -> dict[str, Any]:
    return {
        "thread_id": thread.thread_id,
        "runs": thread.runs,
        "created_s": thread.created_s,
        "changed_s": thread.changed_s,
        "last_run_id": thread.last.state.run_id,
        "last_state": thread.last.state.status.value,
        "last_prompt": thread.last.asked,
    }


def _cells(thread: ListedThread) -> tuple[str, ...]:
    last = thread.last.state
    return (
        thread.thread_id,
        str(thread.runs),
        last.status.value,
        moment(thread.changed_s),
        last.run_id,
        thread.last.asked,
    )
