"""Rows by place: pages that join to the whole, and damage that is told with its place."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.adapters.stores.sqlite.files import CODEC, RUN, SCOPE, append, log, owned, row_count, tables_in_memory
from treadle.adapters.stores.sqlite import rows
from treadle.errors import RecordFormatError
from treadle.testing.conformance.stores.logs import Script, records_of, with_epoch
from treadle.values.ids import RunId
from treadle.values.stretches import Stretch

_parts = st.lists(st.tuples(st.sampled_from(["speech", "stage", "facts", "mixed"]), st.integers(1, 4)), max_size=10)


def _made(script: Script, kind: str, count: int) -> Stretch:
    match kind:
        case "speech":
            return script.speech(*(str(number) for number in range(count)))
        case "stage":
            return script.stage(*(str(number) for number in range(count)))
        case "facts":
            return script.facts(*range(1, count + 1))
        case _:
            return script.mixed("s", "t")


@given(parts=_parts, limit=st.integers(1, 8))
def test_pages_join_to_the_whole_from_every_place(parts: list[tuple[str, int]], limit: int) -> None:
    """Ours: what lies after an event comes once, in order, whole; every page but the last holds an event."""
    with tables_in_memory() as connection:
        lease, script = owned(connection)
        batch = [_made(script, *part) for part in parts]
        append(connection, lease, *batch)
        whole = with_epoch(batch, lease.epoch)
        for start in range(-1, script.index):
            after, told = start, []
            while page := rows.page(connection, SCOPE, RUN, after=after, limit=limit):
                told += [one for one in records_of(rows.loaded(CODEC, RUN, page)) if not told or one.seq > told[-1].seq]
                events = sum(count for _, count in page)
                end = page[-1][0].index + page[-1][1] - 1
                if end == after:
                    break
                assert events
                after = end
            place = next((at for at, one in enumerate(whole) if one.index == start), -1)
            assert [one for one in told if one.seq > (whole[place].seq if place >= 0 else -1)] == whole[place + 1 :]
            assert all(after.seq == before.seq + 1 for before, after in pairwise(told))


@pytest.mark.parametrize("count", [1, 3, 4, 17, 64, 150])
def test_any_number_of_rows_is_written(count: int) -> None:
    """Ours: in statements of few sizes, each row once."""
    with tables_in_memory() as connection:
        lease, script = owned(connection)
        batch = [script.speech(str(number)) for number in range(count)]
        append(connection, lease, *batch)
        assert row_count(connection) == count
        assert log(connection) == with_epoch(batch, lease.epoch)


def test_a_page_is_bounded_in_bytes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a reader that asks for many records is not given hundreds of megabytes at once."""
    monkeypatch.setattr(rows, "PAGE_BYTES", 1000)
    with tables_in_memory() as connection:
        lease, script = owned(connection)
        append(connection, lease, *(script.speech("x" * 400) for _ in range(9)))
        assert len(rows.page(connection, SCOPE, RUN, after=-1, limit=1000)) == 3


def test_rows_that_hold_records_are_found_by_seq() -> None:
    """Ours: whoever repeats an append may name any place in a row."""
    with tables_in_memory() as connection:
        lease, script = owned(connection)
        append(connection, lease, script.speech("a", "b", "c"), script.facts(1), script.stage("s"))
        found = [rows.covering(connection, SCOPE, RUN, start=start, end=end) for start, end in ((0, 1), (2, 4), (4, 9))]
        assert [[row.seq for row in part] for part in found] == [[0], [0, 3], [4]]
        assert rows.covering(connection, SCOPE, RunId("r9"), start=0, end=9) == []


def test_damage_is_told_with_the_run_the_seq_and_the_events() -> None:
    """Ours: so that a reader can go on behind it."""
    with tables_in_memory() as connection:
        lease, script = owned(connection)
        append(connection, lease, script.speech("a"), script.speech("b", "c"), script.speech("d"))
        connection.execute("update rows set body = ? where seq = 1", (7,))
        page = rows.page(connection, SCOPE, RUN, after=-1, limit=10)
        assert len(rows.loaded(CODEC, RUN, page)) == 1
        with pytest.raises(RecordFormatError) as damage:
            rows.loaded(CODEC, RUN, rows.page(connection, SCOPE, RUN, after=0, limit=10), after=0)
        assert re.search(r"'r1', events 1 to 2: .*seq 1\b", str(damage.value))
        assert len(rows.loaded(CODEC, RUN, rows.page(connection, SCOPE, RUN, after=2, limit=10), after=2)) == 1


def test_a_reader_of_memory_is_given_what_a_reader_of_rows_is() -> None:
    """Ours: half a surrogate pair is replaced where it is stored, for everyone."""
    script = Script(RUN)
    for stretch in (script.speech("a\ud800", "b"), script.speech("c"), script.mixed("s", "t")):
        kept = rows.stored(CODEC, stretch)
        assert kept.stretch == CODEC.load_stretch(kept.row)
        assert (kept.events, kept.records) == (stretch.events, stretch.records)


def test_facts_behind_the_last_event_are_counted() -> None:
    """Ours: a reader at that event has not seen them."""
    script = Script(RUN)
    stretches = [script.speech("a"), script.stage("s"), script.facts(1, 2), script.mixed("s", "t")]
    assert [rows.trailing_facts(stretch) for stretch in stretches] == [0, 0, 2, 1]
