"""Runs to lines and back: the same run gives the same lines, and lines are taken whole or not at all."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from tests.adapters.stores.sqlite.files import CODEC, PLAN, RUN, SCOPE, append, log, new_run, owned, tables_in_memory
from treadle.adapters.stores.sqlite import creating, messages, run_table, transfer
from treadle.adapters.stores.sqlite.compaction import Compaction
from treadle.errors import KeyReusedError, RecordFormatError, RunNotFoundError, SequenceConflictError
from treadle.testing.conformance.stores.logs import Script, records_of
from treadle.values.ids import RunId
from treadle.values.runs import RunStatus
from treadle.values.stretches import events_of


def _filled(connection: sqlite3.Connection, status: RunStatus = RunStatus.DONE) -> Script:
    """A run with everything in it."""
    lease, script = owned(connection, key="k1", properties={"tier": 1}, request=b"\x00\xffSECRET")
    for key in ("a", "b"):
        messages.put(connection, SCOPE, RUN, key=key, kind="answer", body=b"\x00")
    append(connection, lease, script.facts(1), script.started(), script.speech("a", "b"), script.speech("\u2028é"))
    append(connection, lease, script.mixed("s", "t"), take=[1])
    append(connection, lease, script.done("x"), status=status)
    return script


def _exported(connection: sqlite3.Connection, *, with_facts: bool = True) -> list[str]:
    return transfer.exported(connection, SCOPE, RUN, codec=CODEC, with_facts=with_facts)


def _put(connection: sqlite3.Connection, lines: Iterable[str]) -> list[bool]:
    return [transfer.put(connection, CODEC, parcel, now_s=9.0) for parcel in transfer.parcels(lines)]


def _changed(lines: list[str], at: int, **words: Any) -> list[str]:  # noqa: ANN401 (any terms of a line)
    return [json.dumps({**json.loads(line), **words}) if place == at else line for place, line in enumerate(lines)]


def test_a_run_comes_out_as_it_went_in() -> None:
    """Ours: every record, the state, what was asked, the inbox and the key."""
    with tables_in_memory() as one, tables_in_memory() as other:
        _filled(one)
        lines = _exported(one)
        assert _put(other, lines) == [True]
        assert log(other) == log(one)
        assert run_table.state(other, SCOPE, RUN) == run_table.state(one, SCOPE, RUN)
        assert [one.key for one in messages.open_messages(other, SCOPE, RUN)] == ["b"]
        assert not messages.put(other, SCOPE, RUN, key="a", kind="answer", body=b"")
        assert not creating.create(other, new_run("r2", key="k1"), 9.0).is_new
        assert _exported(other) == lines
        assert [json.loads(line)["line"] for line in lines].count("run") == 1


def test_lines_do_not_depend_on_how_rows_are_cut() -> None:
    """Ours: before compaction and after it."""
    with tables_in_memory() as connection:
        _filled(connection)
        before = _exported(connection)
        compaction = Compaction(CODEC)
        compaction.want(SCOPE, RUN)
        while compaction.is_due():
            compaction.slice(connection)
            compaction.done()
        assert _exported(connection) == before


def test_without_facts_there_is_what_was_shown() -> None:
    """Design: facts never reach a default export, nor does what they were made of."""
    with tables_in_memory() as one, tables_in_memory() as other:
        _filled(one)
        lines = _exported(one, with_facts=False)
        assert not any("round_opened" in line or '"message"' in line for line in lines)
        assert json.loads(lines[0])["request"] == ""
        assert _put(other, lines) == [True]
        assert log(other) == [told for told in log(one) if told.index is not None]
        # The same lines are known to the store that has the facts as well.
        assert _put(one, lines) == _put(other, lines) == [False]


def test_an_import_is_idempotent_and_refuses_other_content() -> None:
    """Ours: a run that is there is left as it is."""
    with tables_in_memory() as connection:
        _filled(connection)
        lines = _exported(connection)
        assert _put(connection, lines) == [False]
        spaced = [json.dumps(json.loads(line), indent=None) for line in lines]
        assert _put(connection, spaced) == [False]
        for changed in (_changed(lines, 0, agent="other"), [lines[0], *lines[1:-1]]):
            with pytest.raises(SequenceConflictError):
                _put(connection, changed)
        renamed = _changed(lines, 0, run_id="r9")
        with pytest.raises(KeyReusedError):
            _put(connection, renamed)
        assert run_table.names(connection, SCOPE) == [RUN]


def test_a_live_run_goes_on_elsewhere_with_its_facts_alone() -> None:
    """Ours: who takes the lines does not own the run; a run without facts cannot be rebuilt."""
    with tables_in_memory() as one, tables_in_memory() as other:
        script = _filled(one, RunStatus.OWNED)
        with pytest.raises(RecordFormatError, match="without facts"):
            _put(other, _exported(one, with_facts=False))
        _put(other, _exported(one))
        assert run_table.state(other, SCOPE, RUN).status is RunStatus.READY
        state = run_table.claim(other, "w", plans=[PLAN], now_s=9.0, ttl_s=1.0)
        assert state is not None
        assert (state.epoch, state.next_seq, state.next_index) == (2, script.seq, script.index)


def test_a_waiting_run_waits_on_and_a_thread_keeps_its_order() -> None:
    """Ours: the moment to wake comes along, and of two live runs of a thread the second is queued."""
    with tables_in_memory() as one, tables_in_memory() as other:
        lease, script = owned(one)
        append(one, lease, script.stage("s"), status=RunStatus.WAITING, wake_at_s=50.0)
        lines = _exported(one)
        _put(other, lines)
        assert run_table.state(other, SCOPE, RUN).wake_at_s == 50.0
        _put(other, _changed(lines, 0, run_id="r2", status="ready"))
        assert run_table.claim(other, "w", plans=[PLAN], now_s=20.0, ttl_s=1.0) is None
        state = run_table.claim(other, "w", plans=[PLAN], now_s=50.0, ttl_s=1.0)
        assert state is not None
        assert state.run_id == RUN


def test_lines_that_are_no_export_are_refused() -> None:
    """Ours: whole or not at all; the line is named and not repeated."""
    with tables_in_memory() as one, tables_in_memory() as other:
        _filled(one)
        lines = _exported(one)
        bad: list[list[str]] = [
            ["{}"],
            ["rubbish"],
            lines[1:],
            [lines[0], *lines[2:]],
            [lines[0], lines[1]],
            _changed(lines, 0, version=9),
            _changed(lines, 2, index=7),
            _changed(lines, 2, body={}),
            _changed(lines, 1, form=99),
        ]
        for damaged in bad:
            with pytest.raises(RecordFormatError):
                _put(other, damaged)
        assert run_table.names(other, SCOPE) == []
        assert _put(other, ["", *lines, " \n"]) == [True]
        with pytest.raises(RunNotFoundError):
            transfer.exported(one, SCOPE, RunId("r9"), codec=CODEC, with_facts=True)


def test_runs_are_counted() -> None:
    """Ours: an import says what it did."""
    total = transfer.Imported().plus(is_new=True).plus(is_new=False).plus(is_new=True)
    assert total == replace(transfer.Imported(), new=2, known=1)


def test_lines_can_be_looked_at_without_a_store() -> None:
    """Ours: state and log as they were, also of a run that came without what it needs to go on."""
    with tables_in_memory() as one:
        _filled(one, RunStatus.OWNED)
        kept = replace(run_table.state(one, SCOPE, RUN), status=RunStatus.READY)
        ((state, stretches),) = transfer.runs_of(_exported(one))
        assert state == kept
        assert records_of(stretches) == log(one)
        ((state, stretches),) = transfer.runs_of(_exported(one, with_facts=False))
        assert state == replace(kept, request=b"")
        events = [event for stretch in stretches for event in events_of(stretch, RUN)]
        assert [event.index for event in events] == list(range(state.next_index))
        assert sum(stretch.records for stretch in stretches) == len(events)
