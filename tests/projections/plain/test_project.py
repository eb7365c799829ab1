"""Kernel events in their own words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.values.event_samples import SAMPLE_OF, SAMPLES
from treadle.codec.events import EVENT_SHAPES, kernel_event_json
from treadle.codec.foreign import json_text
from treadle.projections.plain.project import PAYLOADS, payloads
from treadle.projections.plain.wire import Integers
from treadle.values import events as ev
from treadle.values.ids import CallId, RunId
from treadle.values.model import ARGUMENTS, TEXT, THINKING
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch, events_of

RUN = RunId("r1")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


def said(stretch: Stretch, *, after: int = -1, integers: Integers = Integers.EXACT) -> list[tuple[int, str, Any]]:
    """The payloads of a stretch, each read as JSON."""
    return [
        (index, kind, json.loads(data)) for index, kind, data in payloads(stretch, RUN, after=after, integers=integers)
    ]


def plainly(stretch: Stretch, *, after: int = -1) -> list[tuple[int, str, Any]]:
    """What they should be: the JSON of the codec."""
    events = events_of(stretch, RUN, after=after)
    return [(event.index, event.kind, json.loads(json_text(kernel_event_json(event)))) for event in events]


def speech(kind: str, key: int | CallId, *texts: str, index: int = 0) -> SpeechStretch:
    """A stretch of speech."""
    return SpeechStretch(seq=index, index=index, kind=kind, key=key, texts=texts, at_s=0.0, epoch=1)


def test_the_table_is_total() -> None:
    """Design §8: a total table keyed by event class."""
    assert set(PAYLOADS) == set(ev.EVENT_TYPES) == set(EVENT_SHAPES)


def test_an_event_of_no_known_class_is_refused() -> None:
    """Design §8: an unknown class is a KeyError, never a silent pass."""

    class Unknown:
        index, kind = 0, "unknown"

    stretch = EntryStretch(seq=0, index=0, entries=(Unknown(),), at_s=0.0)  # type: ignore[arg-type]  # the fault under test
    with pytest.raises(KeyError):
        payloads(stretch, RUN, after=-1, integers=Integers.EXACT)


@pytest.mark.parametrize("kind", ev.EVENT_TYPES, ids=lambda kind: kind.kind)
def test_every_class_is_said_as_the_codec_says_it(kind: type[ev.KernelEvent]) -> None:
    """docs/events.md: one form of an event, on the wire, in a file and on a command line."""
    stretch = EntryStretch(seq=0, index=0, entries=(SAMPLE_OF[kind],), at_s=0.0)
    assert said(stretch) == plainly(stretch)


@given(
    st.sampled_from([(TEXT, 1), (THINKING, 2), (ARGUMENTS, CallId("r1.c1"))]),
    st.lists(TEXTS, min_size=1, max_size=6),
    st.integers(-1, 12),
    st.integers(0, 5),
)
def test_speech_is_said_as_the_codec_says_its_events(
    speaker: tuple[str, int | CallId], texts: list[str], after: int, first: int
) -> None:
    """Ours: the template is a quicker way to the same JSON, from whichever place a reader stands."""
    stretch = speech(*speaker, *texts, index=first)
    assert said(stretch, after=after) == plainly(stretch, after=after)


@given(st.lists(TEXTS, min_size=1, max_size=6))
def test_the_text_of_speech_holds_nothing_that_ends_a_line(texts: list[str]) -> None:
    """Source: BR-126, BR-127. Pure ASCII: no reader finds a line separator in it, however sloppy."""
    for _, _, data in payloads(speech(TEXT, 1, *texts), RUN, after=-1, integers=Integers.EXACT):
        assert data.isascii()
        assert data.splitlines() == [data]


@given(st.sampled_from(SAMPLES), st.sampled_from(["\u2028", "\u2029", "\u0085", "\n", "\r"]))
def test_no_event_holds_anything_that_ends_a_line(event: ev.KernelEvent, separator: str) -> None:
    """Source: BR-126, BR-127, BR-129. Whatever a tool or a model says."""
    extension = ev.Extension(index=1, run_id=RUN, type=f"a{separator}b", payload={separator: [separator]})
    stretch = EntryStretch(seq=0, index=0, entries=(event, extension), at_s=0.0)
    for _, _, data in payloads(stretch, RUN, after=-1, integers=Integers.EXACT):
        assert data.splitlines() == [data]


def test_large_integers_are_exact_or_text_as_the_reader_asks() -> None:
    """Issue: exact inside, text by option on browser wires."""
    big = 612345678901234567
    extension = ev.Extension(index=0, run_id=RUN, type="t", payload={"id": big})
    stretch = EntryStretch(seq=0, index=0, entries=(extension,), at_s=0.0)
    assert said(stretch)[0][2]["payload"] == {"id": big}
    assert said(stretch, integers=Integers.TEXT)[0][2]["payload"] == {"id": str(big)}
