"""Appends: checked before anything is written, and known again when they are repeated."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.adapters.stores.sqlite.files import CODEC, PLAN, RUN, SCOPE, append, log, owned, row_count, tables_in_memory
from treadle.adapters.stores.sqlite import run_table
from treadle.adapters.stores.sqlite.appending import Appending, Batch, flaw_of, sealed
from treadle.errors import FencedError, SequenceConflictError
from treadle.testing.conformance.stores.logs import Script, with_epoch
from treadle.values.model import THINKING
from treadle.values.runs import Lease, RunStatus
from treadle.values.stretches import EntryStretch, Stretch

LEASE = Lease(run_id=RUN, scope=SCOPE, epoch=3, next_seq=0, next_index=0)


def _batch(lease: Lease, *stretches: Stretch, status: RunStatus = RunStatus.OWNED) -> Batch:
    return Batch(
        lease=lease,
        rows=sealed(CODEC, lease, stretches),
        status=status,
        now_s=2.0,
        wake_at_s=None,
        take=(),
        flaw=flaw_of(lease, stretches),
    )


def test_the_lease_says_the_epoch() -> None:
    """Ours: whatever a stretch says; one with nothing in it is no row."""
    script = Script(RUN)
    nothing = EntryStretch(seq=1, index=1, entries=(), at_s=1.0)
    assert [row.row.epoch for row in sealed(CODEC, LEASE, [script.speech("a"), nothing, script.stage("s")])] == [3, 3]


def test_a_batch_is_numbered_without_a_gap() -> None:
    """Ours: a store checks numbers and never gives any, in a batch as at the end of the log."""
    script = Script(RUN)
    first, second = script.mixed("s", "t"), script.speech("a")
    assert flaw_of(LEASE, [first, second]) is None
    for flawed in (
        [first, replace(second, seq=9)],
        [first, replace(second, index=9)],
        [replace(first, index=1), replace(second, index=3)],
    ):
        assert isinstance(flaw_of(LEASE, flawed), SequenceConflictError)


def test_where_a_passage_ended_is_told() -> None:
    """Ours: speech that is followed by something else may be joined to one row."""
    with tables_in_memory() as connection:
        lease, script = owned(connection)
        assert append(connection, lease, script.speech("a")).ended is None
        assert append(connection, lease, script.speech("b")).ended is None
        assert append(connection, lease, script.speech("c", kind=THINKING)).ended == (2, 2)
        assert append(connection, lease, script.speech("d", kind=THINKING), script.facts(1)).ended == (4, 4)
        assert append(connection, lease, script.stage("s")).ended is None
        assert append(connection, lease, script.speech("e")).ended is None


def test_rows_wait_for_the_end_of_the_transaction() -> None:
    """Ours: appends of all runs are written together; what was taken back is forgotten."""
    with tables_in_memory() as connection:
        lease, script = owned(connection)
        desk = Appending(CODEC)
        first = script.speech("a")
        desk.append(connection, _batch(lease, first))
        assert row_count(connection) == 0
        desk.taken_back()
        desk.write(connection)
        assert row_count(connection) == 0
        desk.append(connection, _batch(lease, first))
        desk.append(connection, _batch(lease, script.speech("b")))
        # A repeated append is compared with what is written.
        assert not desk.append(connection, _batch(lease, first)).is_new
        assert row_count(connection) == 2
        with pytest.raises(SequenceConflictError):
            desk.append(connection, _batch(lease, replace(first, texts=("x",))))
        assert [told.content for told in log(connection)] == [("text", 1, "a"), ("text", 1, "b")]


def test_a_claim_ends_what_is_known_of_a_run() -> None:
    """Ours: the old owner is fenced though it was the last to write."""
    with tables_in_memory() as connection:
        lease, script = owned(connection)
        desk = Appending(CODEC)
        desk.append(connection, _batch(lease, script.speech("a")))
        desk.write(connection)
        state = run_table.claim(connection, "w2", plans=[PLAN], now_s=99.0, ttl_s=1.0)
        assert state is not None
        desk.claimed(SCOPE, RUN)
        with pytest.raises(FencedError):
            desk.append(connection, _batch(lease, script.speech("b")))
        with pytest.raises(FencedError):
            desk.renew(connection, lease, until_s=200.0)
        desk.append(connection, _batch(replace(lease, epoch=2), script.at(1, 1).speech("b")))


def test_an_append_that_does_not_follow_the_log_is_refused() -> None:
    """Ours: too far, at another index, or with a gap of its own; a damaged place holds nothing that can be the same."""
    with tables_in_memory() as connection:
        lease, script = owned(connection)
        first = script.speech("a", "b")
        append(connection, lease, first)
        for place in ((3, 3), (2, 3)):
            with pytest.raises(SequenceConflictError):
                append(connection, lease, script.at(*place).speech("c"))
        gap = [script.at(2, 2).speech("c"), script.at(9, 9).speech("d")]
        with pytest.raises(SequenceConflictError):
            append(connection, lease, *gap)
        with pytest.raises(SequenceConflictError):
            append(connection, lease, first, script.at(9, 9).speech("d"))
        connection.execute("update rows set body = x'7b'")
        with pytest.raises(SequenceConflictError):
            append(connection, lease, first)
        assert row_count(connection) == 1


def test_a_run_that_was_claimed_for_nobody_is_given_back() -> None:
    """Ours: but not one that somebody else has by now."""
    with tables_in_memory() as connection:
        lease, script = owned(connection)
        append(connection, lease, script.speech("a"))
        Appending(CODEC).give_back(connection, replace(lease, epoch=9), 5.0)
        assert run_table.state(connection, SCOPE, RUN).status is RunStatus.OWNED
        Appending(CODEC).give_back(connection, lease, 5.0)
        state = run_table.state(connection, SCOPE, RUN)
        assert (state.status, state.next_seq) == (RunStatus.READY, 1)
        assert log(connection) == with_epoch([Script(RUN).speech("a")], 1)
