"""The table of runs: where each stands, and what is due.

In: a connection and what is asked. Out: states. Functions that write are called within a transaction of the writer,
and have made their checks before they write.

A run is due where it may be claimed: one that is ready since it became so, one that is owned when its lease is over,
one that waits when its `wake_at` has come. One that is final, or queued behind another of its thread, is not.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from treadle.adapters.stores.sqlite import rows
from treadle.adapters.stores.sqlite.rows import StoredRow
from treadle.codec.forms import read_json
from treadle.errors import RunNotFoundError
from treadle.values.ids import RunId, ThreadId
from treadle.values.mappings import frozen
from treadle.values.runs import FINAL_STATUSES, LIVE_STATUSES, RunState, RunStatus

_STATES: Final = (
    "select runs.run_id, runs.scope, runs.thread_id, runs.agent, runs.status, runs.epoch,"
    " max(runs.next_seq, coalesce((select seq + records from rows where rows.scope = runs.scope"
    " and rows.run_id = runs.run_id order by idx desc, seq desc limit 1), 0)),"
    " max(runs.next_index, coalesce((select idx + events from rows where rows.scope = runs.scope"
    " and rows.run_id = runs.run_id order by idx desc, seq desc limit 1), 0)),"
    " runs.created_s, runs.changed_s,"
    " runs.wake_at_s, requests.request, runs.plan, requests.properties"
    " from runs join requests on requests.scope = runs.scope and requests.run_id = runs.run_id"
    " where runs.scope = ?"
)
_FINAL: Final = ", ".join(f"'{status.value}'" for status in sorted(FINAL_STATUSES))
_LIVE: Final = ", ".join(f"'{status.value}'" for status in sorted(LIVE_STATUSES))


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the writer must know of a run before it writes. `seq` and `index` are those that come next."""

    number: int
    thread_id: ThreadId
    status: RunStatus
    epoch: int
    seq: int
    index: int
    last_kind: str | None
    """The kind of the last row; None where there is none."""

    def after(self, row: StoredRow) -> Standing:
        """Where it stands behind one more row."""
        return Standing(
            number=self.number,
            thread_id=self.thread_id,
            status=self.status,
            epoch=self.epoch,
            seq=self.seq + row.records,
            index=self.index + row.events,
            last_kind=row.row.kind,
        )


def state(connection: sqlite3.Connection, scope: str, run_id: RunId) -> RunState:
    """Where a run stands.

    Raises:
        RunNotFoundError: No such run in this scope.
    """
    found = connection.execute(f"{_STATES} and runs.run_id = ?", (scope, run_id)).fetchone()
    if found is None:
        raise not_found(run_id)
    return _state(found)


def standing(connection: sqlite3.Connection, scope: str, run_id: RunId) -> Standing:
    """Where a run stands, as far as a writer must know.

    Raises:
        RunNotFoundError: No such run in this scope.
    """
    found = connection.execute(
        "select number, thread_id, status, epoch, next_seq, next_index from runs where scope = ? and run_id = ?",
        (scope, run_id),
    ).fetchone()
    if found is None:
        raise not_found(run_id)
    number, thread_id, status, epoch, seq, index = found
    end = rows.end(connection, scope, run_id)
    return Standing(
        number=number,
        thread_id=ThreadId(thread_id),
        status=RunStatus(status),
        epoch=epoch,
        seq=seq if end is None else max(seq, end.next_seq),
        index=index if end is None else max(index, end.next_index),
        last_kind=None if end is None else end.kind,
    )


def find(
    connection: sqlite3.Connection,
    scope: str,
    *,
    thread_id: ThreadId | None,
    statuses: Collection[RunStatus] | None,
    before: RunId | None,
    limit: int,
) -> list[RunState]:
    """Runs of a scope, newest first.

    Raises:
        RunNotFoundError: There is no run `before`.
    """
    query, words = _STATES, [scope]
    if thread_id is not None:
        query, words = f"{query} and runs.thread_id = ?", [*words, thread_id]
    if statuses is not None:
        marks = ", ".join("?" for _ in statuses)
        query, words = f"{query} and runs.status in ({marks})", [*words, *(status.value for status in statuses)]
    if before is not None:
        standing(connection, scope, before)
        query = f"{query} and runs.number < (select number from runs where scope = ? and run_id = ?)"
        words = [*words, scope, before]
    found = connection.execute(f"{query} order by runs.number desc limit ?", (*words, limit))
    return [_state(columns) for columns in found]


def names(connection: sqlite3.Connection, scope: str) -> list[RunId]:
    """All runs of a scope, oldest first."""
    found = connection.execute("select run_id from runs where scope = ? order by number", (scope,))
    return [RunId(run_id) for (run_id,) in found]


def claim(
    connection: sqlite3.Connection, worker: str, *, plans: Collection[str], now_s: float, ttl_s: float
) -> RunState | None:
    """Give the run that is due for longest to a worker, and the state that it has then."""
    marks = ", ".join("?" for _ in plans)
    found = connection.execute(
        "update runs set status = 'owned', epoch = epoch + 1, worker = ?, due_s = ?, changed_s = ?, wake_at_s = null"
        f" where number = (select number from runs where due_s <= ? and plan in ({marks})"
        " order by due_s, number limit 1) returning scope, run_id",
        (worker, now_s + ttl_s, now_s, now_s, *plans),
    ).fetchall()
    return state(connection, found[0][0], RunId(found[0][1])) if found else None


def renew(connection: sqlite3.Connection, number: int, *, until_s: float) -> None:
    """Put off the end of a lease."""
    connection.execute("update runs set due_s = ? where number = ?", (until_s, number))


def rest(
    connection: sqlite3.Connection, run: Standing, status: RunStatus, *, now_s: float, wake_at_s: float | None
) -> None:
    """Take a run from its owner and give it another status, its rows being those that are there.

    Shape:  `run` says where the log ends after this append.
    """
    due_s = {RunStatus.READY: now_s, RunStatus.WAITING: wake_at_s}.get(status)
    connection.execute(
        "update runs set status = ?, next_seq = ?, next_index = ?, changed_s = ?, due_s = ?, wake_at_s = ?,"
        " worker = null, loose = 1 where number = ?",
        (status.value, run.seq, run.index, now_s, due_s, wake_at_s, run.number),
    )


def make_ready(connection: sqlite3.Connection, number: int, *, now_s: float) -> None:
    """A run that waits has something to hear."""
    connection.execute(
        "update runs set status = 'ready', due_s = ?, wake_at_s = null, changed_s = ? where number = ?",
        (now_s, now_s, number),
    )


def free_next(connection: sqlite3.Connection, scope: str, thread_id: ThreadId, *, now_s: float) -> None:
    """The next run that is queued in a thread may be claimed."""
    connection.execute(
        "update runs set due_s = ? where number = (select number from runs where scope = ? and thread_id = ?"
        " and status = 'ready' and due_s is null order by number limit 1)",
        (now_s, scope, thread_id),
    )


def live_in_thread(connection: sqlite3.Connection, scope: str, thread_id: ThreadId) -> list[tuple[int, RunId, str]]:
    """Number, id and status of the runs of a thread that are not final, oldest first."""
    found = connection.execute(
        f"select number, run_id, status from runs where scope = ? and thread_id = ? and status in ({_LIVE})"
        " order by number",
        (scope, thread_id),
    )
    return [(number, RunId(run_id), status) for number, run_id, status in found]


def next_due_s(connection: sqlite3.Connection, now_s: float) -> float | None:
    """When the next run will be due that is not due yet."""
    found = connection.execute("select min(due_s) from runs where due_s > ?", (now_s,)).fetchone()
    return None if found[0] is None else float(found[0])


def recover(connection: sqlite3.Connection, now_s: float) -> None:
    """The owner of this store is new, so nobody owns a run; and no run became ready in the future."""
    connection.execute("update runs set status = 'ready', due_s = ?, worker = null where status = 'owned'", (now_s,))
    connection.execute("update runs set due_s = ? where status = 'ready' and due_s > ?", (now_s, now_s))


def final_before(connection: sqlite3.Connection, before_s: float, *, limit: int) -> list[tuple[str, RunId]]:
    """Final runs that have not changed since, the oldest first."""
    found = connection.execute(
        f"select scope, run_id from runs where status in ({_FINAL}) and changed_s < ? order by changed_s limit ?",
        (before_s, limit),
    )
    return [(scope, RunId(run_id)) for scope, run_id in found]


def not_found(run_id: RunId) -> RunNotFoundError:
    """The same words for a run that is not there and one of another scope."""
    return RunNotFoundError(f"there is no run {run_id!r}")


def _state(columns: tuple[Any, ...]) -> RunState:
    run_id, scope, thread_id, agent, status, epoch, seq, index, created_s, changed_s, wake_at_s, request, plan, more = (
        columns
    )
    return RunState(
        run_id=RunId(run_id),
        scope=scope,
        thread_id=ThreadId(thread_id),
        agent=agent,
        status=RunStatus(status),
        epoch=epoch,
        next_seq=seq,
        next_index=index,
        created_s=created_s,
        changed_s=changed_s,
        wake_at_s=wake_at_s,
        request=request,
        plan=plan,
        properties=frozen(read_json(more)),
    )
