"""What holds for every stretch, every request and all bytes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.codec.stored_values import any_of, entries, exact, halved, json_values, speech_stretches, stretches
from tests.kernel.plays import RUN, played, plays
from treadle.codec.forms import stored_bytes
from treadle.codec.records import ENTRIES, RecordCodec, Row
from treadle.codec.upcast import FORM_VERSION
from treadle.errors import RecordFormatError
from treadle.kernel.machine import Machine
from treadle.values.events import EVENT_TYPES
from treadle.values.facts import FACT_TYPES
from treadle.values.limits import RunRules
from treadle.values.model import TEXT
from treadle.values.records import Entry
from treadle.values.requests import TurnRequest
from treadle.values.stretches import SPEECH_KINDS, EntryStretch, SpeechStretch, Stretch, entries_of, events_of

CODEC = RecordCodec()
kinds = st.sampled_from([*SPEECH_KINDS, ENTRIES]) | st.text(max_size=5)
versions = st.just(FORM_VERSION) | st.integers(-2, 3)


def row_of(kind: str, body: bytes, version: int = FORM_VERSION) -> Row:
    """A row at some place."""
    return Row(seq=7, index=5, epoch=1, at_s=1.5, kind=kind, version=version, body=body)


def read_or_refused(row: Row) -> Stretch | None:
    """What a row reads as, or None; whatever else happens is a failure of the test."""
    try:
        return CODEC.load_stretch(row)
    except RecordFormatError as error:
        told = error
    assert told.version == row.version
    return None


@given(stretches)
@pytest.mark.requirement("REC-exact")
def test_what_is_stored_comes_back_equal_and_of_the_same_classes(stretch):
    """Design: load(dump(x)) == x; integers, floats, text and read-only mappings are exact."""
    loaded = CODEC.load_stretch(CODEC.dump_stretch(stretch))
    assert loaded == stretch
    assert exact(loaded) == exact(stretch)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*EVENT_TYPES, *FACT_TYPES], ids=lambda kind: kind.kind)
@pytest.mark.requirement("REC-exact")
@given(data=st.data())
def test_every_class_of_entry_comes_back_equal(kind, data):
    """Ours: no class hides behind the others in a draw over all of them."""
    stretch = EntryStretch(seq=0, index=0, entries=(data.draw(any_of(kind)),), at_s=0.0)
    assert exact(CODEC.load_stretch(CODEC.dump_stretch(stretch))) == exact(stretch)


@pytest.mark.slow
@given(any_of(TurnRequest), any_of(RunRules))
@pytest.mark.requirement("REC-exact")
def test_a_request_comes_back_equal(request, rules):
    """Ours: a worker that finds a run starts it as its caller meant it."""
    assert exact(CODEC.load_request(CODEC.dump_request(request, rules))) == exact((request, rules))


@given(stretches)
@pytest.mark.requirement("REC-same-bytes")
def test_what_was_read_is_written_as_it_was(stretch):
    """Ours: a store tells an identical retry by its bytes, also when it comes from a log that was read."""
    row = CODEC.dump_stretch(stretch)
    assert CODEC.dump_stretch(CODEC.load_stretch(row)) == row
    assert RecordCodec().dump_stretch(stretch) == row


@given(kinds, st.binary(max_size=40), versions)
@pytest.mark.requirement("REC-damage")
def test_any_bytes_are_read_or_refused(kind, body, version):
    """Ours: what stands in a row may be anything; a reader is told so and nothing breaks."""
    read_or_refused(row_of(kind, body, version))


@given(kinds, json_values, versions)
@pytest.mark.requirement("REC-damage")
def test_any_json_is_read_or_refused(kind, terms, version):
    """Ours: JSON of another shape is damage too."""
    read_or_refused(row_of(kind, stored_bytes(terms), version))


@given(stretches, st.data())
@pytest.mark.requirement("REC-damage")
def test_a_damaged_row_is_read_as_a_stretch_or_refused(stretch, data):
    """Ours: a byte lost, doubled or changed anywhere in what was written."""
    row = CODEC.dump_stretch(stretch)
    at = data.draw(st.integers(0, len(row.body)))
    rest = data.draw(st.integers(at, min(at + 3, len(row.body))))
    body = row.body[:at] + data.draw(st.binary(max_size=3)) + row.body[rest:]
    read = read_or_refused(row_of(row.kind, body))
    assert read is None or type(read) is type(stretch)


@given(entries, st.data())
@pytest.mark.requirement("REC-damage")
def test_an_entry_with_another_value_in_some_field_is_read_or_refused(entry, data):
    """Ours: damage that is still JSON reaches every field's form, and every class's own checks."""
    terms = CODEC._entries.dump((entry,))  # noqa: SLF001 (the terms of a row, before they are bytes)
    here = terms[0]
    for _ in range(data.draw(st.integers(0, 2))):
        inner = [item for item in here.values() if type(item) is dict and item]
        here = data.draw(st.sampled_from(inner)) if inner else here
    here[data.draw(st.sampled_from(sorted(here)))] = data.draw(json_values | st.sampled_from(["inf", "nan", "ok"]))
    read_or_refused(row_of(ENTRIES, stored_bytes(terms)))


@given(st.binary(max_size=40) | json_values.map(stored_bytes))
@pytest.mark.requirement("REC-damage")
def test_any_bytes_of_a_request_are_refused(body):
    """Ours: as for rows."""
    with pytest.raises(RecordFormatError):
        CODEC.load_request(body)


@given(st.lists(halved, min_size=1, max_size=5))
@pytest.mark.requirement("REC-surrogates")
def test_halves_of_surrogate_pairs_in_speech_are_replaced_where_they_stand(texts):
    """Ours: the filters let none through; were one to come, no text would lose its place."""
    stretch = SpeechStretch(seq=0, index=0, kind=TEXT, key=1, texts=tuple(texts), at_s=0.0)
    loaded = CODEC.load_stretch(CODEC.dump_stretch(stretch))
    assert loaded.texts == tuple(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts)


@given(speech_stretches, st.integers(-1, 8))
@pytest.mark.requirement("REC-exact")
def test_a_reader_of_a_stored_stretch_is_given_the_same_events_after_any_index(stretch, skip):
    """Ours: a cursor means the same event before and after the store."""
    after = stretch.index + skip
    loaded = CODEC.load_stretch(CODEC.dump_stretch(stretch))
    assert events_of(loaded, RUN, after=after) == events_of(stretch, RUN, after=after)


@given(plays, st.lists(st.integers(1, 7), max_size=12))
@pytest.mark.requirement("REC-rebuild")
def test_a_machine_rebuilt_from_rows_stands_where_the_live_one_does(play, sizes):
    """Law 5: the stored log is enough, however its appends were cut."""
    done = played(play)
    rows = [CODEC.dump_stretch(stretch) for stretch in cut_at(sizes, done.entries)]
    stored = list(entries_of([CODEC.load_stretch(row) for row in rows], RUN))
    assert stored == done.entries
    assert Machine.rebuilt(stored).standing == done.machine.standing


def cut_at(sizes: Sequence[int], given_entries: Sequence[Entry]) -> list[EntryStretch]:
    """Entries in stretches of these sizes, the rest in one."""
    made, at, index = [], 0, 0
    for size in [*sizes, len(given_entries)]:
        part = tuple(given_entries[at : at + size])
        if part:
            made.append(EntryStretch(seq=at, index=index, entries=part, at_s=0.0))
            index += made[-1].events
        at += size
    return made
