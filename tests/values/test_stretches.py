"""Stretches of a log."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.values.event_samples import CALL, RUN, event
from treadle.values import events as ev
from treadle.values.events import EVENT_TYPES
from treadle.values.facts import FACT_TYPES, RoundOpened
from treadle.values.model import ARGUMENTS, TEXT, THINKING
from treadle.values.stretches import EntryStretch, SpeechStretch, entries_of, events_of

OPENED = RoundOpened(round=1, attempt=1)
STARTED = ev.RoundStarted(index=4, run_id=RUN, round=1, attempt=1, model="m")
ANNOUNCED = ev.ToolAnnounced(index=5, run_id=RUN, call_id=CALL, name="add")
ENTRIES = EntryStretch(seq=7, index=4, entries=(OPENED, STARTED, ANNOUNCED), at_s=0.0)
SPEECH = SpeechStretch(seq=10, index=6, kind=TEXT, key=2, texts=("It", " is"), at_s=0.0)
SAID = [
    ev.TextDelta(index=6, run_id=RUN, passage=2, text="It"),
    ev.TextDelta(index=7, run_id=RUN, passage=2, text=" is"),
]


@pytest.mark.parametrize(
    ("kind", "key", "said"),
    [
        (TEXT, 2, ev.TextDelta(index=3, run_id=RUN, passage=2, text="a")),
        (THINKING, 2, ev.Thinking(index=3, run_id=RUN, passage=2, text="a")),
        (ARGUMENTS, CALL, ev.ToolArguments(index=3, run_id=RUN, call_id=CALL, text="a")),
    ],
)
@pytest.mark.requirement("REC-stretch")
def test_a_text_of_speech_is_an_event_of_its_kind(kind: str, key: object, said: ev.KernelEvent) -> None:
    """ADR 0010: pieces stand as plain text; a typed reader makes events as it goes."""
    stretch = SpeechStretch(seq=0, index=3, kind=kind, key=key, texts=("a",), at_s=0.0)  # type: ignore[arg-type]  # by kind
    assert events_of(stretch, RUN) == [said]


@pytest.mark.parametrize(
    ("kind", "texts"), [(TEXT, ()), (TEXT, ("",)), (TEXT, ("a", "")), ("entries", ("a",)), ("", ("a",))]
)
@pytest.mark.requirement("REC-stretch")
def test_speech_is_of_a_known_kind_and_never_empty(kind: str, texts: tuple[str, ...]) -> None:
    """EV-7: no empty deltas."""
    with pytest.raises(ValueError, match="never empty"):
        SpeechStretch(seq=0, index=0, kind=kind, key=1, texts=texts, at_s=0.0)


@pytest.mark.requirement("REC-stretch")
def test_a_stretch_says_how_far_it_goes() -> None:
    """Design: seq counts all records, index events alone; a fact leaves no hole."""
    assert (SPEECH.records, SPEECH.events) == (2, 2)
    assert (ENTRIES.records, ENTRIES.events) == (3, 2)


@pytest.mark.requirement("REC-stretch")
def test_every_event_counts_and_no_fact_does() -> None:
    """Ours: the two voices are told apart by class, whichever it is."""
    assert all(kind not in EVENT_TYPES for kind in FACT_TYPES)
    facts = EntryStretch(seq=0, index=0, entries=(OPENED,) * 3, at_s=0.0)
    assert facts.events == 0
    assert events_of(facts, RUN) == []


@pytest.mark.parametrize(
    ("after", "events"),
    [(-1, [STARTED, ANNOUNCED]), (3, [STARTED, ANNOUNCED]), (4, [ANNOUNCED]), (5, []), (99, [])],
)
@pytest.mark.requirement("REC-stretch")
def test_events_of_entries_come_after_an_index(after: int, events: list[ev.KernelEvent]) -> None:
    """Ours: a row may begin before where a reader stands."""
    assert events_of(ENTRIES, RUN, after=after) == events


@given(st.lists(st.text(min_size=1, max_size=3), min_size=1, max_size=6), st.integers(0, 9), st.integers(-1, 20))
@pytest.mark.requirement("REC-stretch")
def test_events_of_speech_come_after_an_index(texts, index, after):
    """Ours: the same indexes wherever a reader comes in, none twice and none left out."""
    stretch = SpeechStretch(seq=0, index=index, kind=TEXT, key=1, texts=tuple(texts), at_s=0.0)
    everything = [
        ev.TextDelta(index=number, run_id=RUN, passage=1, text=text) for number, text in enumerate(texts, index)
    ]
    assert events_of(stretch, RUN) == everything
    assert events_of(stretch, RUN, after=after) == [said for said in everything if said.index > after]


@pytest.mark.requirement("REC-stretch")
def test_all_entries_of_a_log_come_in_order() -> None:
    """Law 5: a machine is rebuilt from facts, and events for what was shown."""
    assert list(entries_of([ENTRIES, SPEECH], RUN)) == [OPENED, STARTED, ANNOUNCED, *SAID]
    assert event(ev.TextDelta, passage=1, text="a") not in list(entries_of([], RUN))
