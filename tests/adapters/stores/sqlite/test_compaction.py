"""Rows of finished passages become one, in slices, and nobody notices."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.adapters.stores.sqlite.files import (
    CODEC,
    RUN,
    SCOPE,
    append,
    log,
    owned,
    row_count,
    tables,
    tables_in_memory,
)
from treadle.adapters.stores.sqlite.compaction import Compaction
from treadle.testing.conformance.stores.logs import with_epoch
from treadle.values.model import THINKING
from treadle.values.runs import RunStatus
from treadle.values.stretches import Stretch

_parts = st.lists(
    st.one_of(
        st.tuples(st.just("text"), st.integers(1, 9)),
        st.tuples(st.just(THINKING), st.integers(1, 9)),
        st.tuples(st.just("stage"), st.just(1)),
        st.tuples(st.just("facts"), st.integers(1, 2)),
    ),
    max_size=8,
)


def _worked(compaction: Compaction, connection: sqlite3.Connection) -> int:
    """Do all there is; how many slices it took."""
    slices = 0
    while compaction.is_due():
        connection.execute("begin")
        compaction.slice(connection)
        connection.execute("commit")
        compaction.done()
        slices += 1
        assert slices < 1000, "compaction has no end"
    return slices


def _loose(connection: sqlite3.Connection) -> list[int]:
    return [loose for (loose,) in connection.execute("select loose from runs")]


@given(parts=_parts, slice_rows=st.integers(2, 6), row_texts=st.sampled_from([4, 8192]))
def test_every_record_stays_where_it_is_after_every_slice(
    parts: list[tuple[str, int]], slice_rows: int, row_texts: int
) -> None:
    """Ours: for every log, every size of a slice and every bound of a row, a reader sees the same."""
    with tables_in_memory() as connection:
        lease, script = owned(connection)
        batch: list[Stretch] = []
        for passage, (kind, count) in enumerate(parts, 1):
            if kind in {"text", THINKING}:
                batch += [script.speech(f"{kind}{number}", kind=kind, key=passage) for number in range(count)]
            else:
                batch.append(script.stage("s") if kind == "stage" else script.facts(*range(1, count + 1)))
        append(connection, lease, *batch, status=RunStatus.DONE)
        expected = with_epoch(batch, lease.epoch)
        compaction = Compaction(CODEC, slice_rows=slice_rows, row_texts=row_texts)
        compaction.want(SCOPE, RUN)
        while compaction.is_due():
            compaction.slice(connection)
            assert log(connection) == expected
            compaction.done()
        assert _loose(connection) == [0]
        if row_texts > 9:
            assert row_count(connection) == len(parts)


def test_a_finished_passage_is_one_row(tmp_path: Path) -> None:
    """Ours: one row a passage at rest, however many slices it takes."""
    with tables(tmp_path / "runs.db") as connection:
        lease, script = owned(connection)
        texts = [script.speech(str(number)) for number in range(1000)]
        append(connection, lease, *texts)
        assert row_count(connection) == 1000
        end = append(connection, lease, script.stage("end"))
        assert end.ended == (1000, 1000)
        compaction = Compaction(CODEC)
        compaction.want(SCOPE, RUN, before=end.ended)
        assert _worked(compaction, connection) > 4
        assert row_count(connection) == 2
        assert [told.content for told in log(connection)][:1000] == [("text", 1, str(n)) for n in range(1000)]


def test_a_passage_that_goes_on_is_left_alone(tmp_path: Path) -> None:
    """Ours: what is looked at ends where the finished passage ends."""
    with tables(tmp_path / "runs.db") as connection:
        lease, script = owned(connection)
        append(connection, lease, script.speech("a"), script.speech("b"))
        ended = append(connection, lease, script.speech("hm", kind=THINKING)).ended
        append(connection, lease, script.speech("so", kind=THINKING))
        compaction = Compaction(CODEC)
        compaction.want(SCOPE, RUN, before=ended)
        _worked(compaction, connection)
        assert row_count(connection) == 3


def test_texts_of_two_owners_are_not_joined(tmp_path: Path) -> None:
    """Ours: a cursor says the epoch of the event it stands on, so a row has one."""
    with tables(tmp_path / "runs.db") as connection:
        lease, script = owned(connection)
        append(connection, lease, script.speech("a"))
        connection.execute("update rows set epoch = 7")
        append(connection, lease, script.speech("b"), status=RunStatus.DONE)
        compaction = Compaction(CODEC)
        compaction.want(SCOPE, RUN)
        _worked(compaction, connection)
        assert [told.epoch for told in log(connection)] == [7, 1]


def test_a_row_that_cannot_be_read_is_left_where_it_is(tmp_path: Path) -> None:
    """Ours: damage is told to who reads it; it stops nothing else."""
    with tables(tmp_path / "runs.db") as connection:
        lease, script = owned(connection)
        append(connection, lease, *(script.speech(text) for text in "abcde"), status=RunStatus.DONE)
        connection.execute("update rows set body = x'7b' where seq = 2")
        compaction = Compaction(CODEC)
        compaction.want(SCOPE, RUN)
        _worked(compaction, connection)
        assert row_count(connection) == 3


def test_what_an_earlier_owner_did_not_get_to_is_found(tmp_path: Path) -> None:
    """Ours: a run at rest is marked until its rows are joined."""
    with tables(tmp_path / "runs.db") as connection:
        lease, script = owned(connection)
        append(connection, lease, script.speech("a"), script.speech("b"), status=RunStatus.DONE)
        assert _loose(connection) == [1]
        compaction = Compaction(CODEC)
        compaction.want_loose(connection)
        _worked(compaction, connection)
        assert (row_count(connection), _loose(connection)) == (1, [0])
        compaction.want_loose(connection)
        assert not compaction.is_due()


def test_who_waits_for_it_hears_of_its_end(tmp_path: Path) -> None:
    """Ours: also where it fails, or is not done at all, and where it is wanted twice."""
    told: list[str] = []
    with tables(tmp_path / "runs.db") as connection:
        compaction = Compaction(CODEC)
        compaction.want(SCOPE, RUN, then=lambda: told.append("first"))
        compaction.want(SCOPE, RUN, then=lambda: told.append("second"))
        _worked(compaction, connection)
        assert told == ["first", "second"]
        compaction.want(SCOPE, RUN, then=lambda: told.append("failed"))
        compaction.failed()
        compaction.want(SCOPE, RUN, then=lambda: told.append("left"))
        compaction.abandon()
        assert told[2:] == ["failed", "left"]
        assert not compaction.is_due()
