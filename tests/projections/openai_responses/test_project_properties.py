"""Events of responses of runs that could have happened: the same however the log is cut, and from any place."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.projections.legal_logs import LegalRun, legal_runs
from tests.projections.log_cuts import recut
from tests.projections.openai_responses.tellings import events_of_response, payloads_of, whole_of
from tests.projections.told_segments import RESTARTED, at_one_time, segments_of
from treadle.values.exposure import TEXT_ONLY, UI, Exposure

exposures = st.sampled_from([UI, TEXT_ONLY])


@given(run=legal_runs, cuts=st.integers(0, 999), exposure=exposures)
@pytest.mark.requirement("OPENAI-pure")
def test_however_the_log_is_cut_its_events_are_the_same(run: LegalRun, cuts: int, exposure: Exposure) -> None:
    """Law 6: the same log gives the same bytes."""
    log = at_one_time(run)
    again = recut(log, cuts)
    for segment in segments_of(run, UI, takes_back=True):
        number = segment.number
        told = payloads_of(run, number, stretches=log, exposure=exposure)
        assert payloads_of(run, number, stretches=again, exposure=exposure) == told
        whole = whole_of(run, number, stretches=log, exposure=exposure)
        assert whole_of(run, number, stretches=again, exposure=exposure) == whole


@given(run=legal_runs, share=st.floats(0, 1))
@pytest.mark.requirement("OPENAI-sequence")
def test_whoever_comes_back_is_told_what_lies_behind_their_number(run: LegalRun, share: float) -> None:
    """Promise 4: replay and live meet without a gap or a repeat, by their own numbers."""
    for segment in segments_of(run, UI, takes_back=True):
        told = payloads_of(run, segment.number)
        after = int(share * len(told))
        assert payloads_of(run, segment.number, after=after) == told[after + 1 :]


@given(run=legal_runs, exposure=exposures)
@pytest.mark.requirement("OPENAI-sequence")
def test_numbers_are_dense_and_every_event_is_one_line_with_its_type_first(run: LegalRun, exposure: Exposure) -> None:
    """Promise 4, BR-126: and an event is called by what stands first in it."""
    for segment in segments_of(run, UI, takes_back=True):
        payloads = payloads_of(run, segment.number, exposure=exposure)
        for number, payload in enumerate(payloads):
            assert payload.splitlines() == [payload]
            terms = json.loads(payload)
            assert (list(terms)[:2], terms["sequence_number"]) == (["type", "sequence_number"], number)


@given(run=legal_runs, exposure=exposures)
@pytest.mark.requirement("OPENAI-responses")
def test_one_response_is_what_its_stream_ends_with(run: LegalRun, exposure: Exposure) -> None:
    """Promise 1: whoever streams and whoever does not hold the same, but for what was taken back."""
    for segment in segments_of(run, exposure, takes_back=False):
        if segment.end != RESTARTED and not _took_back(run, segment.number):
            last = events_of_response(run, segment.number, exposure=exposure)[-1]["response"]
            assert whole_of(run, segment.number, exposure=exposure) == last


def _took_back(run: LegalRun, number: int) -> bool:
    """Whether anything of a segment was taken back, though a reader may have been told nothing of it."""
    kinds = [event.kind for event in run.events]
    closing = [at for at, kind in enumerate(kinds) if kind in {"ask_user", "interrupt", "done", "error", "cancelled"}]
    begins = closing[number - 2] + 1 if number > 1 else 0
    return "retracted" in kinds[begins : closing[number - 1]]
