"""Stores for tests of their parts: a file with its tables, and runs in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from treadle.adapters.stores.sqlite import appending, creating, rows, run_table, schema
from treadle.adapters.stores.sqlite.appending import Appended, Batch
from treadle.adapters.stores.sqlite.connection import open_writer
from treadle.codec.records import RecordCodec
from treadle.testing.conformance.stores.logs import Script, Told, records_of
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import Lease, NewRun, RunStatus
from treadle.values.stretches import Stretch

CODEC = RecordCodec()
SCOPE = "alice"
RUN = RunId("r1")
PLAN = "plan-1"


@contextmanager
def tables(path: Path) -> Iterator[sqlite3.Connection]:
    """The connection that writes a new store."""
    connection = open_writer(path, synchronous="NORMAL")
    try:
        schema.make_ready(connection, path)
        yield connection
    finally:
        connection.close()


@contextmanager
def tables_in_memory() -> Iterator[sqlite3.Connection]:
    """The tables of a store without a file, for what is tried hundreds of times."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        schema.make_ready(connection, Path("memory"))
        yield connection
    finally:
        connection.close()


def new_run(run_id: str = "r1", /, **fields: Any) -> NewRun:  # noqa: ANN401 (any fields of a new run)
    """A run to create, in a thread of its own unless one is named."""
    given: dict[str, Any] = {"scope": SCOPE, "thread_id": ThreadId(f"thread of {run_id}"), "agent": "calc"}
    given |= {"digest": "d1", "request": b"1+2?", "plan": PLAN}
    return NewRun(run_id=RunId(run_id), **{**given, **fields})


def owned(
    connection: sqlite3.Connection,
    run_id: str = "r1",
    /,
    **fields: Any,  # noqa: ANN401 (any fields of a new run)
) -> tuple[Lease, Script]:
    """A new run, and its owner."""
    creating.create(connection, new_run(run_id, **fields), 1.0)
    state = run_table.claim(connection, "w1", plans=[PLAN], now_s=1.0, ttl_s=10.0)
    assert state is not None
    lease = Lease(run_id=state.run_id, scope=state.scope, epoch=state.epoch, next_seq=0, next_index=0)
    return lease, Script(lease.run_id)


def append(
    connection: sqlite3.Connection,
    lease: Lease,
    *stretches: Stretch,
    status: RunStatus = RunStatus.OWNED,
    **more: Any,  # noqa: ANN401 (what else an append is given)
) -> Appended:
    """One append, as the store does it."""
    batch = Batch(
        lease=lease,
        rows=appending.sealed(CODEC, lease, stretches),
        status=status,
        now_s=more.get("now_s", 2.0),
        wake_at_s=more.get("wake_at_s"),
        take=tuple(more.get("take", ())),
        flaw=appending.flaw_of(lease, stretches),
    )
    desk = appending.Appending(CODEC)
    done = desk.append(connection, batch)
    desk.write(connection)
    return done


def log(connection: sqlite3.Connection, run_id: RunId = RUN) -> list[Told]:
    """All records of a run."""
    return records_of(CODEC.load_stretch(row) for row, _ in rows.all_rows(connection, SCOPE, run_id))


def row_count(connection: sqlite3.Connection, run_id: RunId = RUN) -> int:
    """How many rows a run has."""
    return len(rows.all_rows(connection, SCOPE, run_id))
