"""How large the logs of live runs grow."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from tests.server.access.connections import ALICE, RUN
from tests.values.event_samples import SAMPLE_OF, SAMPLES
from tests.values.fact_samples import FACT_SAMPLES
from treadle.server.access.admission import Admission, Caps
from treadle.server.access.log_growth import LogGrowth, size_of
from treadle.testing.fake_clock import FakeClock
from treadle.values.events import FINAL_TYPES, Interrupt, KernelEvent
from treadle.values.ids import RunId
from treadle.values.records import Entry
from treadle.values.stretches import EntryStretch, SpeechStretch


def speech(index: int, *texts: str) -> SpeechStretch:
    """Text of one passage."""
    return SpeechStretch(seq=index, index=index, kind="text", key=1, texts=texts, at_s=1.0)


def entries(index: int, *those: Entry) -> EntryStretch:
    """Events and facts."""
    return EntryStretch(seq=index, index=index, entries=those, at_s=1.0)


def grown(**caps: int) -> tuple[LogGrowth, Admission, list[RunId]]:
    """An observer, its admission, and the runs that it tells of."""
    told: list[RunId] = []
    admission = Admission(Caps(**caps), FakeClock())
    return LogGrowth(admission, told.append), admission, told


async def _all(runs: Collection[RunId]) -> Collection[RunId]:
    """A store where every run is live."""
    return runs


@pytest.mark.requirement("ACCESS-caps")
def test_a_run_whose_log_is_too_large_is_told_of_once() -> None:
    """Design: events and log bytes per run are capped; a run that goes past them is stopped, not refused later."""
    growth, _, told = grown(run_events=6)
    growth.stored(RUN, [speech(0, "a", "b", "c")])
    growth.stored(RUN, [speech(3, "d", "e")])
    assert told == []
    growth.stored(RUN, [speech(5, "f")])
    growth.stored(RUN, [speech(6, "g")])
    assert told == [RUN]


@pytest.mark.requirement("ACCESS-caps")
def test_bytes_count_as_they_are_written() -> None:
    """Ours: a log of few and large events is large all the same."""
    growth, _, told = grown(run_log_bytes=10)
    growth.stored(RUN, [speech(0, "äöü")])
    assert told == []
    growth.stored(RUN, [speech(1, "€€")])
    assert told == [RUN]


def test_a_run_that_was_taken_over_counts_its_events_from_its_first() -> None:
    """Ours: an index says how many events there are, whoever stored them."""
    growth, _, told = grown(run_events=100)
    growth.stored(RUN, [speech(120, "on it goes")])
    assert told == [RUN]


@pytest.mark.parametrize("kind", FINAL_TYPES)
async def test_an_end_frees_the_place_of_its_run(kind: type[KernelEvent]) -> None:
    """Ours: the end of a run is in its log, and so is what it held given back."""
    growth, admission, told = grown(run_events=1)
    async with admission.start(ALICE, _all) as place:
        place.keep(RUN)
    growth.stored(RUN, [entries(0, SAMPLE_OF[Interrupt])])
    assert (admission.live_runs(ALICE), told) == (1, [RUN])
    growth.stored(RUN, [speech(1, "x"), entries(2, SAMPLE_OF[kind])])
    assert admission.live_runs(ALICE) == 0
    growth.released(RUN)
    growth.released(RUN)
    assert growth._sizes == {}  # noqa: SLF001 (what is kept for nobody is what leaks)


@pytest.mark.parametrize("entry", [*SAMPLES, *FACT_SAMPLES], ids=lambda entry: type(entry).__name__)
def test_every_entry_has_a_size(entry: Entry) -> None:
    """Ours: an entry that cannot be measured would go uncounted."""
    assert size_of(entries(0, entry)) > 10
