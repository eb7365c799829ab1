"""Chunks of runs that could have happened: the same however the log is cut, and safe on every wire."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.projections.legal_logs import LegalRun, legal_runs
from tests.projections.log_cuts import recut
from tests.projections.openai_chat.tellings import chunks_of, completion_of
from tests.projections.told_segments import at_one_time, segments_of
from treadle.values.exposure import TEXT_ONLY, UI, Exposure

exposures = st.sampled_from([UI, TEXT_ONLY])


@given(run=legal_runs, cuts=st.integers(0, 999), exposure=exposures)
@pytest.mark.requirement("OPENAI-pure")
def test_however_the_log_is_cut_its_chunks_are_the_same(run: LegalRun, cuts: int, exposure: Exposure) -> None:
    """Law 6: the same log gives the same bytes."""
    log = at_one_time(run)
    again = recut(log, cuts)
    for segment in segments_of(run, UI, takes_back=True):
        number = segment.number
        told = chunks_of(run, number, stretches=log, exposure=exposure)
        assert chunks_of(run, number, stretches=again, exposure=exposure) == told
        whole = completion_of(run, number, stretches=log, exposure=exposure)
        assert completion_of(run, number, stretches=again, exposure=exposure) == whole


@given(run=legal_runs, exposure=exposures)
@pytest.mark.requirement("OPENAI-chat")
def test_every_chunk_has_the_same_id_and_is_one_line(run: LegalRun, exposure: Exposure) -> None:
    """BR-126, BR-166: no payload ends a line, and nothing names another completion."""
    for segment in segments_of(run, UI, takes_back=True):
        *told, done = chunks_of(run, segment.number, exposure=exposure)
        assert done == "[DONE]"
        heads = set()
        for payload in told:
            assert payload.splitlines() == [payload]
            terms = json.loads(payload)
            if "error" not in terms:
                heads.add((terms["id"], terms["created"], terms["model"], terms["object"]))
        assert [head[0] for head in heads] == [f"chatcmpl-{run.run_id}.s{segment.number}"]


@given(run=legal_runs)
@pytest.mark.requirement("OPENAI-chat")
def test_the_role_comes_first_and_usage_last_and_nothing_behind_a_finish(run: LegalRun) -> None:
    """Protocol: an accumulator loses usage that is not last; a delta behind the finish reason is none."""
    for segment in segments_of(run, UI, takes_back=True):
        terms = [json.loads(payload) for payload in chunks_of(run, segment.number)[:-1]]
        assert terms[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
        finished = [at for at, one in enumerate(terms) if one.get("choices") and one["choices"][0]["finish_reason"]]
        with_usage = [at for at, one in enumerate(terms) if "usage" in one]
        failed = [at for at, one in enumerate(terms) if "error" in one]
        if finished:
            assert (finished, with_usage, failed) == ([len(terms) - 2], [len(terms) - 1], [])
        else:
            assert (failed, with_usage) in (([len(terms) - 1], [len(terms) - 2]), ([len(terms) - 1], []))
        assert all(not terms[at]["choices"] for at in with_usage)
