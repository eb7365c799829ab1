"""A new run, by the rules of its key and of its thread.

In: a run to create. Out: the run that stands then, in one transaction. Only the first live run of a thread may be
claimed; the others wait for the end of the one before.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Final

from treadle.adapters.stores.sqlite import messages, run_table
from treadle.codec.forms import JSON, stored_bytes
from treadle.errors import KeyReusedError, ThreadBusyError
from treadle.runtime.failpoints import Failpoint, reach
from treadle.values.ids import NO_THREAD, RunId
from treadle.values.runs import NewRun, OnBusyThread, RunState, RunStatus

CANCEL: Final = "cancel"

_INSERT: Final = (
    "insert into runs (scope, run_id, thread_id, agent, plan, status, created_s, changed_s, due_s, key, digest)"
    " values (?, ?, ?, ?, ?, 'ready', ?, ?, ?, ?, ?)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """The run that stands, and what else changed: `told` were sent a cancel, and `woken`, which waited, are ready."""

    state: RunState
    is_new: bool
    told: tuple[RunId, ...] = ()
    woken: tuple[RunId, ...] = ()


def create(connection: sqlite3.Connection, run: NewRun, now_s: float) -> Created:
    """Create a run, or find the one that was created for this request.

    Raises:
        KeyReusedError: The key, or the run's id, stands for another request.
        ThreadBusyError: The thread has a live run and the rule is `reject`.
    """
    known = _known(connection, run)
    if known is not None:
        return Created(state=run_table.state(connection, run.scope, known), is_new=False)
    before = [] if run.thread_id == NO_THREAD else run_table.live_in_thread(connection, run.scope, run.thread_id)
    if before and run.on_busy is OnBusyThread.REJECT:
        raise ThreadBusyError(f"thread {run.thread_id!r} has a live run, {before[0][1]!r}")
    properties = stored_bytes(JSON.dump(run.properties))
    due_s = None if before else now_s
    words = (run.scope, run.run_id, run.thread_id, run.agent, run.plan, now_s, now_s, due_s, run.key, run.digest)
    connection.execute(_INSERT, words)
    connection.execute(
        "insert into requests (scope, run_id, request, properties) values (?, ?, ?, ?)",
        (run.scope, run.run_id, run.request, properties),
    )
    told = before if run.on_busy is OnBusyThread.CANCEL_PREVIOUS else []
    woken = [number for number, _, status in told if status == RunStatus.WAITING]
    for number, earlier, _ in told:
        messages.put(connection, run.scope, earlier, key=f"{CANCEL} by {run.run_id}", kind=CANCEL, body=b"")
        if number in woken:
            run_table.make_ready(connection, number, now_s=now_s)
    reach(Failpoint.CREATE_BEFORE_COMMIT)
    return Created(
        state=run_table.state(connection, run.scope, run.run_id),
        is_new=True,
        told=tuple(earlier for _, earlier, _ in told),
        woken=tuple(earlier for number, earlier, _ in told if number in woken),
    )


def _known(connection: sqlite3.Connection, run: NewRun) -> RunId | None:
    """The run that was created for this request; None where there is none."""
    for column, word in (("key", run.key), ("run_id", run.run_id)):
        found = connection.execute(
            f"select run_id, digest from runs where scope = ? and {column} = ?", (run.scope, word)
        ).fetchone()
        if found is not None:
            if found[1] != run.digest:
                raise KeyReusedError(f"{column.replace('_', ' ')} {word!r} stands for another request")
            return RunId(found[0])
    return None
