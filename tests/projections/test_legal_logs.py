"""The logs that projections are tried on are legal, of every sort, and the same for the same seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.projections.legal_logs import LegalRun, Mix, legal_log, legal_run, legal_runs
from tests.projections.log_cuts import recut
from treadle.testing.stream_check import check_stream
from treadle.values import events as ev
from treadle.values.events import CLOSING_TYPES, FINAL_TYPES
from treadle.values.stretches import entries_of


def segments(events: Iterable[ev.KernelEvent]) -> Iterator[list[ev.KernelEvent]]:
    """The events of a run, a list a segment."""
    segment: list[ev.KernelEvent] = []
    for event in events:
        segment.append(event)
        if isinstance(event, CLOSING_TYPES):
            yield segment
            segment = []
    assert segment == []


def has_parallel_calls(run: LegalRun) -> bool:
    """Whether two calls were open at once."""
    open_: set[str] = set()
    for event in run.events:
        if isinstance(event, ev.ToolAnnounced):
            open_.add(event.call_id)
        elif isinstance(event, ev.ToolResult):
            open_.discard(event.outcome.call_id)
        elif isinstance(event, ev.Retracted):
            open_.clear()
        if len(open_) > 1:
            return True
    return False


@given(run=legal_runs)
def test_every_segment_of_every_log_is_sound(run: LegalRun) -> None:
    """Ours: a projection tried on logs that cannot happen proves nothing (EV-1 to EV-10)."""
    assert [event.index for event in run.events] == list(range(len(run.events)))
    for segment in segments(run.events):
        assert check_stream(segment) == []


@given(run=legal_runs, cuts=st.integers(0, 999))
def test_however_it_is_cut_the_log_stays_the_same(run: LegalRun, cuts: int) -> None:
    """Ours: what is told of a log must not hang on where a store cut it."""
    again = recut(run.stretches, cuts)
    assert list(entries_of(again, run.run_id)) == list(entries_of(run.stretches, run.run_id))
    assert [stretch.seq for stretch in again] == _running(stretch.records for stretch in again)


def test_the_same_seed_gives_the_same_log() -> None:
    """Ours: a failure is told by its seed."""
    assert legal_log(11) == legal_log(11)


@pytest.mark.slow
def test_a_fifth_of_the_logs_each_pause_fail_stop_take_back_or_call_in_parallel() -> None:
    """Ours: what happens seldom in real life must not happen seldom here."""
    shares: Counter[str] = Counter()
    for seed in range(300):
        run = legal_run(seed)
        kinds = {type(event) for event in run.events}
        shares["paused"] += bool(kinds & {ev.AskUser, ev.Interrupt})
        shares["failed"] += ev.Error in kinds
        shares["cancelled"] += ev.Cancelled in kinds
        shares["done"] += ev.Done in kinds
        shares["retracted"] += ev.Retracted in kinds
        shares["parallel"] += has_parallel_calls(run)
    assert {name for name, count in shares.items() if count >= 60} == set(shares)
    assert len(shares) == 6


def test_a_mix_makes_the_runs_that_are_wished_for() -> None:
    """Ours: a test of pauses wants runs that pause."""
    waiting = Mix(done=0, error=0, cancelled=0, waiting=1)
    resting = [legal_run(seed, waiting).end for seed in range(20)]
    assert sum(not isinstance(end, FINAL_TYPES) for end in resting) >= 15


def _running(counts: Iterable[int]) -> list[int]:
    places, at = [], 0
    for count in counts:
        places.append(at)
        at += count
    return places
