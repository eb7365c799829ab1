"""Attempts: when their spans begin, what they count, how they end."""

from __future__ import annotations

import pytest

from tests.values.event_samples import RUN
from treadle.adapters.traces import conventions as conv
from treadle.adapters.traces.attempts import AttemptSpans, spent
from treadle.adapters.traces.marking import Marking
from treadle.adapters.traces.spans import SpanEnded, SpanOpened
from treadle.values import events as ev
from treadle.values.facts import RoundCut, RoundOpened
from treadle.values.ids import CallId
from treadle.values.usage import NO_USAGE, UsageDelta

STARTED = ev.RoundStarted(index=1, run_id=RUN, round=1, attempt=1, model="m")
ENDED = ev.RoundEnded(index=2, run_id=RUN, round=1, attempt=1, stop_reason="stop", usage=UsageDelta(output_tokens=2))


def attempts(*, content: bool = False) -> tuple[Marking, AttemptSpans]:
    """A run with an open segment, at second 1."""
    marking = Marking(run_id=RUN, content=content)
    marking.tick(1.0)
    marking.open_segment("s", {}, follows=None)
    marking.taken()
    return marking, AttemptSpans(marking)


def test_an_attempt_begins_when_the_model_was_asked_and_is_opened_when_it_shows_something() -> None:
    """Ours: the wait for the first piece belongs to the attempt, and is told."""
    marking, spans = attempts()
    spans.asked(RoundOpened(round=1, attempt=1))
    assert marking.taken() == []
    marking.tick(3.0)
    spans.started(STARTED)
    (opened,) = marking.taken()
    assert isinstance(opened, SpanOpened)
    assert (opened.name, opened.at_s, opened.parent, opened.is_client) == ("chat m", 1.0, 1, True)
    spans.speech("text", 1, ("a", "b"))
    marking.tick(4.0)
    spans.speech("text", 1, ("c",))
    spans.ended(ENDED)
    (ended,) = marking.taken()
    assert ended == SpanEnded(
        key=2,
        at_s=4.0,
        attributes={
            conv.OUTCOME: "done",
            conv.FINISH_REASONS: ("stop",),
            conv.PIECES: 3,
            conv.FIRST_SHOWN_S: 2.0,
            "gen_ai.usage.output_tokens": 2,
        },
    )
    assert (spans.usage.output_tokens, spans.unmeasured) == (2, 0)


@pytest.mark.parametrize(("code", "outcome", "failure"), [("cancelled", "cancelled", None), ("x", "error", "x")])
def test_an_attempt_that_was_cut_ended_then(code: str, outcome: str, failure: str | None) -> None:
    """Ours: what follows a cut may take its time; the attempt was over."""
    marking, spans = attempts()
    spans.asked(RoundOpened(round=1, attempt=1))
    marking.tick(2.0)
    spans.cut(RoundCut(round=1, attempt=1, code=code))
    marking.tick(9.0)
    spans.asked(RoundOpened(round=1, attempt=2))
    opened, ended = marking.taken()
    assert isinstance(ended, SpanEnded)
    assert (opened.at_s, ended.at_s, ended.attributes[conv.OUTCOME], ended.failure) == (1.0, 2.0, outcome, failure)


def test_an_attempt_that_nobody_saw_begin_has_no_span_but_its_usage_counts() -> None:
    """Ours: a begin is not invented, and what was spent is not lost."""
    marking, spans = attempts()
    spans.cut(RoundCut(round=1, attempt=1, code="worker_lost", usage=UsageDelta(input_tokens=4)))
    spans.retracted(ev.Retracted(index=3, run_id=RUN, round=1, attempt=1, reason="worker_lost"))
    spans.ended(ENDED)
    assert marking.taken() == []
    assert (spans.usage.input_tokens, spans.usage.output_tokens) == (4, 2)
    spans.begin_segment()
    assert spans.usage == NO_USAGE


def test_an_error_without_a_code_is_of_the_type_of_which_nothing_is_known() -> None:
    """The conventions: `_OTHER`. So it is for a log whose facts were deleted."""
    marking, spans = attempts()
    spans.started(STARTED)
    spans.ended(ev.RoundEnded(index=2, run_id=RUN, round=1, attempt=1, outcome="error"))
    _, ended = marking.taken()
    assert (ended.failure, ended.attributes[conv.ERROR_TYPE]) == ("_OTHER", "_OTHER")  # type: ignore[union-attr]  # it is an end
    assert spans.unmeasured == 1


@pytest.mark.requirement("TRACE-content")
def test_what_an_attempt_said_that_was_taken_back_is_not_told() -> None:
    """Ours: it is void for every reader; whoever needs it reads the log."""
    marking, spans = attempts(content=True)
    spans.started(STARTED)
    spans.speech("text", 1, ("secret",))
    spans.retracted(ev.Retracted(index=3, run_id=RUN, round=1, attempt=1, reason="upstream_error"))
    spans.started(STARTED)
    spans.speech("text", 1, ("shown",))
    spans.ended(ENDED)
    told = repr(marking.taken())
    assert ("secret" in told, "shown" in told) == (False, True)


def test_speech_of_no_attempt_is_passed_over() -> None:
    """Ours: a fallback text is no model's."""
    marking, spans = attempts()
    spans.speech("text", 1, ("a",))
    spans.announced(CallId("r1.c1"), "add")
    spans.settle("done")
    assert marking.taken() == []


def test_another_attempt_that_shows_something_ends_the_one_before() -> None:
    """Ours: this should never be; no span stays open."""
    marking, spans = attempts()
    spans.started(STARTED)
    spans.started(STARTED)
    assert [type(mark) for mark in marking.taken()] == [SpanOpened, SpanEnded, SpanOpened]


def test_all_counts_that_the_conventions_name_are_told_by_their_names() -> None:
    """The conventions' usage attributes; the provider's own total is ours to name."""
    usage = UsageDelta(
        input_tokens=1,
        output_tokens=2,
        total_tokens=3,
        cache_read_tokens=4,
        cache_creation_tokens=5,
        reasoning_tokens=6,
    )
    assert spent(usage) == {
        "gen_ai.usage.input_tokens": 1,
        "gen_ai.usage.output_tokens": 2,
        "gen_ai.usage.cache_read.input_tokens": 4,
        "gen_ai.usage.cache_creation.input_tokens": 5,
        "gen_ai.usage.reasoning.output_tokens": 6,
        "treadle.usage.total_tokens": 3,
    }
    assert set(spent(NO_USAGE).values()) == {None}
