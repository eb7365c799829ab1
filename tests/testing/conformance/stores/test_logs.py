"""Scripts of stretches, and what stretches say record by record."""

from __future__ import annotations

from treadle.testing.conformance.stores.logs import Script, Told, events_in, records_of, with_epoch
from treadle.values.ids import RunId
from treadle.values.stretches import entries_of, events_of

RUN = RunId("r1")


def test_a_script_numbers_what_follows_what() -> None:
    """Ours: seq counts all records, index counts events alone."""
    script = Script(RUN)
    made = [script.facts(1), script.started(), script.speech("a", "b"), script.mixed("s", "t"), script.done("ab")]
    assert [(one.seq, one.index) for one in made] == [(0, 0), (1, 0), (2, 1), (4, 3), (9, 5)]
    assert (script.seq, script.index) == (10, 6)
    events = [event for one in made for event in events_of(one, RUN)]
    assert [event.index for event in events] == [*range(6)]
    assert len(list(entries_of(made, RUN))) == 10


def test_records_do_not_show_how_they_were_cut() -> None:
    """Ours: two logs that say the same are equal."""
    whole, parts = Script(RUN), Script(RUN)
    assert records_of([whole.speech("a", "b")]) == records_of([parts.speech("a"), parts.speech("b")])
    assert records_of([whole.stage("s", "t")]) == records_of([parts.stage("s"), parts.stage("t")])


def test_a_fact_has_no_index() -> None:
    """Ours: it leaves no hole among the events."""
    told = records_of([Script(RUN).mixed("s", "t")])
    assert [one.index for one in told] == [None, 0, None, 1, None]
    assert [one.seq for one in told] == [*range(5)]


def test_events_are_taken_above_an_index() -> None:
    """Ours: as a reader takes them."""
    script = Script(RUN)
    stretches = [script.speech("a", "b"), script.facts(1), script.speech("c", key=2)]
    assert events_in(stretches, after=0) == [Told(1, 1, 0, ("text", 1, "b")), Told(3, 2, 0, ("text", 2, "c"))]
    assert {one.epoch for one in with_epoch(stretches, 7)} == {7}
