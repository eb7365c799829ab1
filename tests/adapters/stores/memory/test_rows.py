"""The log of one run in memory: whatever it is written in, it is read as it was said."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.adapters.stores.memory.rows import Rows
from treadle.errors import SequenceConflictError
from treadle.testing.conformance.stores.logs import Script, Told, events_in, records_of, with_epoch
from treadle.values.facts import FACT_TYPES
from treadle.values.ids import RunId
from treadle.values.model import THINKING
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch

RUN = RunId("r1")
Drawn = list[tuple[tuple[str, list[Any]], int]]

_parts = st.one_of(
    st.tuples(st.just("text"), st.lists(st.text("ab\u65e5\ud800", min_size=1, max_size=2), min_size=1, max_size=4)),
    st.tuples(st.just(THINKING), st.lists(st.just("hm"), min_size=1, max_size=3)),
    st.tuples(st.just("stage"), st.lists(st.just("s"), min_size=1, max_size=3)),
    st.tuples(st.just("facts"), st.lists(st.integers(1, 3), min_size=1, max_size=3)),
    st.just(("mixed", ["s", "t"])),
)
_logs = st.lists(st.tuples(_parts, st.integers(1, 2)), max_size=12)


def written(drawn: Drawn) -> tuple[Rows, list[Stretch], list[Told]]:
    """Rows, what was appended to them one by one, and the records that are to come out. Epochs never fall."""
    rows, script, epoch = Rows(), Script(RUN), 1
    stretches: list[Stretch] = []
    told: list[Told] = []
    for (kind, what), drawn_epoch in drawn:
        epoch = max(epoch, drawn_epoch)
        if kind in ("stage", "facts", "mixed"):
            made: Stretch = getattr(script, kind)(*what)
        else:
            made = script.speech(*what, kind=kind)
        rows.refuse(RUN, [made])
        rows.add([made], epoch)
        stretches.append(made)
        told.extend(with_epoch([made], epoch))
    return rows, stretches, told


@given(_logs)
def test_what_is_written_is_read_from_the_beginning(drawn: Drawn) -> None:
    """Port: in order, facts included, each with the epoch that wrote it."""
    rows, _, told = written(drawn)
    assert records_of(rows.read(-1, 10_000)) == told
    assert rows.next_seq == len(told)
    assert rows.next_index == sum(one.index is not None for one in told)


@given(_logs, st.integers(0, 30))
def test_a_reader_gets_exactly_what_lies_after_its_place(drawn: Drawn, after: int) -> None:
    """Ours: nothing that was read comes again, not even from the row in which the place lies."""
    rows, _, told = written(drawn)
    at = next((one.seq for one in told if one.index == after), len(told))
    assert records_of(rows.read(after, 10_000)) == told[at + 1 :]


@given(_logs, st.integers(-1, 30), st.integers(1, 5))
def test_a_page_holds_an_event_where_one_is_left(drawn: Drawn, after: int, limit: int) -> None:
    """Ours: a reader goes on by the events it saw, so a page without one would keep it in its place for ever."""
    rows, _, told = written(drawn)
    page = rows.read(after, limit)
    expected = [one for one in told if one.index is not None and one.index > after]
    assert events_in(page, after=after) == expected[: len(events_in(page, after=after))]
    assert bool(events_in(page, after=after)) == bool(expected)


@given(_logs, st.data())
def test_any_part_of_the_log_is_known_as_repeated(drawn: Drawn, data: st.DataObject) -> None:
    """Port: the identical batch at a written place is no error, however its rows were joined."""
    rows, stretches, _ = written(drawn)
    first = data.draw(st.integers(0, len(stretches)))
    last = data.draw(st.integers(first, len(stretches)))
    assert rows.repeats(stretches[first:last]) == (first < last)


@given(_logs.filter(bool), st.data())
def test_a_part_that_differs_in_one_record_is_not_known(drawn: Drawn, data: st.DataObject) -> None:
    """Port: other content at a written place is a conflict."""
    rows, stretches, _ = written(drawn)
    place = data.draw(st.integers(0, len(stretches) - 1))
    one = stretches[place]
    script = Script(RUN, one.seq, one.index)
    other = (
        script.stage(*["other"] * one.records) if isinstance(one, SpeechStretch) else script.facts(*[9] * one.records)
    )
    assert not rows.repeats([other])
    with pytest.raises(SequenceConflictError):
        rows.refuse(RUN, [other])


@given(_logs)
def test_without_its_facts_a_log_shows_the_same(drawn: Drawn) -> None:
    """Port: events keep their indexes, and their seqs, when the facts are deleted."""
    rows, _, told = written(drawn)
    rows.forget_facts()
    left = rows.read(-1, 10_000)
    assert records_of(left) == [one for one in told if one.index is not None]
    for stretch in left:
        assert isinstance(stretch, SpeechStretch) or not {type(entry) for entry in stretch.entries} & {*FACT_TYPES}


@given(_logs, st.integers(0, 30), st.integers(1, 3))
def test_without_its_facts_a_log_still_knows_what_is_repeated(drawn: Drawn, seq: int, count: int) -> None:
    """Ours: a late writer is answered also where the log has become shorter than its count."""
    rows, _, told = written(drawn)
    rows.forget_facts()
    records = [one for one in told if one.index is not None and seq <= one.seq < seq + count]
    index = records[0].index if records and records[0].index is not None else 0
    speech = Script(RUN, seq, index).speech(*["a"] * count)
    assert rows.repeats([speech]) == (
        [(one.seq, one.index, one.content) for one in records]
        == [(one.seq, one.index, one.content) for one in records_of([speech])]
    )


def test_a_passage_is_one_row_however_many_appends_it_took() -> None:
    """Ours: a delta at rest is a place in a list and no object of its own."""
    rows, script = Rows(), Script(RUN)
    for number in range(1000):
        rows.add([replace(script.speech(str(number)), at_s=float(number))], 1)
    assert [(row.records, row.at_s) for row in rows.read(-1, 10_000)] == [(999, 0.0), (1, 999.0)]
    rows.add([script.stage("s")], 1)
    row, _ = rows.read(-1, 10_000)
    assert isinstance(row, SpeechStretch)
    assert (len(row.texts), row.at_s) == (1000, 0.0)


def test_a_long_row_is_read_in_pieces() -> None:
    """Ours: a page is as long as it was asked to be, wherever it begins in its row."""
    rows, script = Rows(), Script(RUN)
    rows.add([script.speech(*(str(number) for number in range(1000)))], 1)
    (page,) = rows.read(499, 10)
    assert (page.seq, page.index, records_of([page])[0].content, page.records) == (500, 500, ("text", 1, "500"), 10)


def test_a_stretch_without_entries_leaves_no_row() -> None:
    """Ours: nothing is stored of nothing."""
    rows = Rows()
    rows.add([EntryStretch(seq=0, index=0, entries=(), at_s=1.0)], 1)
    assert rows.read(-1, 10) == []


def test_a_conflict_names_the_place() -> None:
    """Ours: an error says what was expected and what came."""
    with pytest.raises(SequenceConflictError, match=r"'r1' goes on at 0 \(index 0\), came 4 \(index 2\)"):
        Rows().refuse(RUN, [Script(RUN, 4, 2).speech("a")])


def test_a_finished_passage_takes_few_bytes_a_text() -> None:
    """Design §6: at rest a passage is its text and where each piece ends, 20 bytes a delta."""
    count = 10_000
    rows, script = Rows(), Script(RUN)
    tracemalloc.start()
    try:
        for number in range(count):
            rows.add([script.speech(f"{number % 100:02} ")], 1)
        grown_bytes, _ = tracemalloc.get_traced_memory()
        rows.add([script.stage("s")], 1)
        sealed_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sealed_bytes <= 20 * count < grown_bytes
    (passage,) = [one for one in rows.read(-1, 2 * count) if isinstance(one, SpeechStretch)]
    assert passage.texts[:2] == ("00 ", "01 ")
    assert passage.texts[-1] == "99 "
