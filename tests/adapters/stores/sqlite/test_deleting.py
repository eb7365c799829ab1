"""What is deleted is gone, from the file too."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.adapters.stores.sqlite.files import CODEC, RUN, SCOPE, append, log, new_run, owned, tables, tables_in_memory
from treadle.adapters.stores.sqlite import creating, deleting, messages, run_table
from treadle.errors import RecordFormatError, RunLiveError
from treadle.testing.conformance.stores.logs import Script
from treadle.values.ids import RunId
from treadle.values.runs import RunStatus


def _counts(connection: sqlite3.Connection) -> list[int]:
    tables = ("runs", "requests", "rows", "messages")
    return [connection.execute(f"select count(*) from {table}").fetchone()[0] for table in tables]


def test_nothing_of_a_deleted_run_is_left() -> None:
    """Design: hard delete, the inbox and the key included; a neighbour stays."""
    with tables_in_memory() as connection:
        lease, script = owned(connection, key="k1")
        creating.create(connection, new_run("r2"), 1.0)
        for run_id in (RUN, RunId("r2")):
            messages.put(connection, SCOPE, run_id, key="m1", kind="message", body=b"secret")
        with pytest.raises(RunLiveError):
            deleting.delete(connection, SCOPE, RUN)
        append(connection, lease, script.speech("a"), script.done(), status=RunStatus.DONE)
        assert _counts(connection) == [2, 2, 2, 2]
        assert deleting.delete(connection, SCOPE, RUN)
        assert _counts(connection) == [1, 1, 0, 1]
        assert not deleting.delete(connection, SCOPE, RUN)


def test_what_is_deleted_is_overwritten_in_the_file(tmp_path: Path) -> None:
    """Ours: whoever has the file has nothing of a run that was deleted, nor of its facts."""
    path = tmp_path / "runs.db"
    with tables(path) as connection:
        for name in ("r1", "r2"):
            lease, script = owned(connection, name, request=b"SECRET-REQUEST")
            texts = [script.speech(f"SECRET-TEXT {number}") for number in range(500)]
            append(connection, lease, *texts, script.done(), status=RunStatus.DONE)
        assert deleting.delete(connection, SCOPE, RUN)
        assert deleting.delete_facts(connection, SCOPE, RunId("r2"), codec=CODEC)
        assert deleting.delete(connection, SCOPE, RunId("r2"))
        connection.execute("pragma wal_checkpoint(truncate)")
    assert b"SECRET" not in path.read_bytes()


def test_facts_go_alone() -> None:
    """Ours: events keep seq and index; the request and what was taken from the inbox go with the facts."""
    with tables_in_memory() as connection:
        lease, script = owned(connection)
        for key in ("a", "b"):
            messages.put(connection, SCOPE, RUN, key=key, kind="answer", body=b"yes")
        taken = messages.open_messages(connection, SCOPE, RUN)[0].number
        append(connection, lease, script.facts(1), script.mixed("s", "t"), script.speech("a"), take=[taken])
        append(connection, lease, script.stage("u"), status=RunStatus.DONE)
        whole = log(connection)
        assert deleting.delete_facts(connection, SCOPE, RUN, codec=CODEC)
        assert log(connection) == [told for told in whole if told.index is not None]
        assert run_table.state(connection, SCOPE, RUN).request == b""
        bodies = connection.execute("select body from messages order by number").fetchall()
        assert bodies == [(b"",), (b"yes",)]
        assert not deleting.delete_facts(connection, SCOPE, RunId("r9"), codec=CODEC)


def test_facts_in_a_damaged_row_are_not_said_to_be_gone() -> None:
    """Ours: what cannot be read may hold one."""
    with tables_in_memory() as connection:
        lease, script = owned(connection)
        append(connection, lease, script.facts(1), script.stage("s"), status=RunStatus.DONE)
        connection.execute("update rows set body = x'7b' where seq = 1")
        with pytest.raises(RecordFormatError):
            deleting.delete_facts(connection, SCOPE, RUN, codec=CODEC)
        assert _counts(connection)[2] == 2


def test_events_that_stood_together_stay_together() -> None:
    """Ours: a row of events is cut only where a fact was."""
    script = Script(RUN)
    one, two, three = script.stages("a", "b", "c")
    fact = Script(RUN).facts(1).entries[0]
    parts = list(deleting.without_facts(script.entries(one, two, fact, fact, three)))
    assert [(part.seq, part.index, part.entries) for part in parts] == [(0, 0, (one, two)), (4, 2, (three,))]
    assert list(deleting.without_facts(Script(RUN).facts(1, 2))) == []
