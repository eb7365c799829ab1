"""What holds of the spans of any run, however its records are cut and wherever a worker comes in."""

from __future__ import annotations

import json
from functools import reduce
from operator import add

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.adapters.traces.stored import cut_up, parts
from tests.kernel.plays import RUN, Play, played, plays
from treadle.adapters.traces import conventions as conv
from treadle.adapters.traces.folding import RunFold, fold
from treadle.adapters.traces.spans import FinishedSpan, Mark, SpanOpened
from treadle.values.events import CLOSING_TYPES, FINAL_TYPES, Resumed, RunStarted, ToolResult
from treadle.values.facts import FACT_TYPES, RoundOpened
from treadle.values.stretches import Stretch
from treadle.values.usage import COUNTS, NO_USAGE, UsageDelta

seeds = st.integers(0, 2**32)


def marks_of(stretches: list[Stretch], seed: int, *, content: bool = False) -> list[Mark]:
    """What a fold says that is fed in portions and then released."""
    folded = RunFold(RUN, content=content)
    marks = [mark for portion in parts(stretches, seed) for mark in folded.feed(portion)]
    return [*marks, *folded.release()]


def assert_balanced(marks: list[Mark]) -> None:
    """Every span begins once, in an open one, and ends once, not before it began and not after its parent."""
    open_spans: dict[int, SpanOpened] = {}
    seen: set[int] = set()
    for mark in marks:
        if isinstance(mark, SpanOpened):
            assert mark.key not in seen
            seen.add(mark.key)
            if mark.parent is not None:
                assert mark.at_s >= open_spans[mark.parent].at_s
            open_spans[mark.key] = mark
        else:
            began = open_spans.pop(mark.key)
            assert mark.at_s >= began.at_s
            assert not any(one.parent == mark.key for one in open_spans.values())
    assert not open_spans


@pytest.mark.requirement("TRACE-ends")
@given(play=plays, seed=seeds, content=st.booleans())
def test_any_run_gives_balanced_spans_however_it_is_cut(play: Play, seed: int, *, content: bool) -> None:
    """Design, law 8: opened and ended once on every path, with every portion an append may have."""
    run = played(play)
    stretches = cut_up(run.entries, seed)
    marks = marks_of(stretches, seed, content=content)
    assert_balanced(marks)
    whole = RunFold(RUN, content=content)
    assert marks == [*whole.feed(stretches), *whole.release()]


@pytest.mark.requirement("TRACE-middle")
@given(play=plays, seed=seeds, at=st.integers(0, 200), last=st.integers(0, 200))
def test_a_fold_may_begin_and_stop_anywhere(play: Play, seed: int, at: int, last: int) -> None:
    """Ours: a worker comes in where another was lost, and is lost itself."""
    stretches = cut_up(played(play).entries, seed)
    assert_balanced(marks_of(stretches[at:last], seed))


@given(play=plays, seed=seeds)
def test_there_is_a_span_for_each_segment_each_attempt_and_each_result(play: Play, seed: int) -> None:
    """Ours: nothing that happened is missing, and nothing is traced twice."""
    entries = played(play).entries
    spans = fold(cut_up(entries, seed), RUN)
    assert len(_of(spans, conv.INVOKE_AGENT)) == sum(isinstance(one, RunStarted | Resumed) for one in entries)
    assert len(_of(spans, conv.CHAT)) == sum(isinstance(one, RoundOpened) for one in entries)
    settled = [span for span in _of(spans, conv.EXECUTE_TOOL) if _outcome(span) not in {"paused", "released"}]
    results = [one.outcome for one in entries if isinstance(one, ToolResult)]
    assert [(span.attributes[conv.TOOL_CALL_ID], _outcome(span)) for span in settled] == [
        (one.call_id, one.status.value) for one in results
    ]


@given(play=plays, seed=seeds)
def test_a_segment_ends_as_its_closing_event_says(play: Play, seed: int) -> None:
    """Design: the outcome is the closing event's own name, and `released` where there is none."""
    entries = played(play).entries
    closings = [one.kind for one in entries if isinstance(one, CLOSING_TYPES)]
    told = [_outcome(span) for span in _of(fold(cut_up(entries, seed), RUN), conv.INVOKE_AGENT)]
    assert told in (closings, [*closings, "released"])
    for span in _of(fold(cut_up(entries, seed), RUN), conv.INVOKE_AGENT):
        assert (span.failure is not None) == (_outcome(span) == "error")


@pytest.mark.requirement("TRACE-usage")
@given(play=plays, seed=seeds)
def test_the_segments_of_a_run_that_is_over_spent_what_the_run_spent(play: Play, seed: int) -> None:
    """Promise 10: usage is neither lost nor doubled between attempts, segments and the run."""
    entries = played(play).entries
    last = entries[-1] if entries else None
    spans = fold(cut_up(entries, seed), RUN)
    for operation in (conv.INVOKE_AGENT, conv.CHAT):
        total = reduce(add, [_usage(span) for span in _of(spans, operation)], NO_USAGE)
        if isinstance(last, FINAL_TYPES):
            assert {name: getattr(total, name) for name in COUNTS} == {
                name: getattr(last.outcome.usage, name) for name in COUNTS
            }


@pytest.mark.requirement("TRACE-content")
@given(play=plays, seed=seeds)
def test_without_content_no_text_is_told_and_with_it_all_is_json(play: Play, seed: int) -> None:
    """Promise 11: off by default; on, it is the conventions' messages and nothing that only facts hold."""
    stretches = cut_up(played(play).entries, seed)
    plain, told = fold(stretches, RUN), fold(stretches, RUN, content=True)
    for bare, full in zip(plain, told, strict=True):
        more = {name: value for name, value in full.attributes.items() if name not in bare.attributes}
        assert more.keys() <= {conv.INPUT_MESSAGES, conv.OUTPUT_MESSAGES, conv.TOOL_ARGUMENTS, conv.TOOL_RESULT}
        assert {name: full.attributes[name] for name in bare.attributes} == bare.attributes
        for value in more.values():
            json.loads(str(value))


@pytest.mark.requirement("TRACE-content")
@given(play=plays, seed=seeds)
def test_what_only_facts_hold_never_shows(play: Play, seed: int) -> None:
    """Design, law 5: with its facts or without, what content says of the spans that both have is the same."""
    entries = played(play).entries
    shown = [one for one in entries if not isinstance(one, FACT_TYPES)]
    contents = (conv.INPUT_MESSAGES, conv.TOOL_ARGUMENTS, conv.TOOL_RESULT)

    def told(spans: list[FinishedSpan]) -> list[object]:
        return [span.attributes[name] for span in spans for name in contents if name in span.attributes]

    assert told(fold(cut_up(entries, seed), RUN, content=True)) == told(fold(cut_up(shown, seed), RUN, content=True))


def _of(spans: list[FinishedSpan], operation: str) -> list[FinishedSpan]:
    return [span for span in spans if span.attributes[conv.OPERATION_NAME] == operation]


def _outcome(span: FinishedSpan) -> object:
    return span.attributes[conv.OUTCOME]


def _usage(span: FinishedSpan) -> UsageDelta:
    named = {**conv.USAGE, "total_tokens": conv.TOTAL_TOKENS}
    return UsageDelta(
        **{ours: int(str(span.attributes[said])) for ours, said in named.items() if said in span.attributes}
    )  # type: ignore[arg-type]  # counts alone
