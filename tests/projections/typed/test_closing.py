"""What the end of a segment says, in both forms."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.values.event_samples import OUTCOME, QUESTION, RUN, SAMPLE_OF, USAGE, event
from treadle.projections.typed.closing import bare_closing, bare_of, closing, completion, typed_of
from treadle.projections.typed.events import AskUserQuestion, ResponseComplete, TextDelta, Usage
from treadle.projections.typed.project import usage_of
from treadle.values import events as ev
from treadle.values.usage import NO_USAGE

USED = usage_of(USAGE)
STANDS = ResponseComplete(
    outcome="done",
    text="Let me look. It is 3.",
    answer="It is 3.",
    output={"sum": 3},
    usage=USED,
    duration_ms=12.3,
    run_id=RUN,
    stop_reason="stop",
)
DONE = event(ev.Done, outcome=OUTCOME)
ASKED = event(ev.AskUser, outcome=OUTCOME, pending=(QUESTION,))
FAILED = event(
    ev.Error,
    outcome=OUTCOME,
    code="limit_rounds",
    error_class="limit",
    retryable=True,
    reference="ref1",
    detail="secret",
    termination="limit_rounds",
)
STOPPED = event(ev.Cancelled, outcome=OUTCOME, reason="stop button")
COMPLETIONS = [
    (DONE, replace(STANDS, termination="completed")),
    (ASKED, replace(STANDS, outcome="paused", pending=(QUESTION,))),
    (
        FAILED,
        replace(
            STANDS,
            outcome="error",
            termination="limit_rounds",
            error_code="limit_rounds",
            error_class="limit",
            error_reference="ref1",
            retryable=True,
        ),
    ),
    (STOPPED, replace(STANDS, outcome="cancelled", termination="cancelled", cancel_reason="stop button")),
]


@pytest.mark.parametrize(("end", "complete"), COMPLETIONS, ids=["done", "paused", "error", "cancelled"])
def test_a_completion_says_how_the_run_stands(end: ev.ClosingEvent, complete: ResponseComplete) -> None:
    """Ours: the outcome, the usage, why it ended, and of an error its code and reference but not its text."""
    assert completion(end) == complete
    assert "secret" not in repr(completion(end))


def test_the_public_form_says_usage_the_pause_and_the_completion() -> None:
    """Ours: in this order, on every ending."""
    assert closing(DONE) == (USED, completion(DONE))
    assert closing(FAILED) == (USED, completion(FAILED))
    assert closing(STOPPED) == (USED, completion(STOPPED))
    assert closing(ASKED) == (USED, AskUserQuestion(pending=(QUESTION,)), completion(ASKED))


def test_the_bare_form_completes_a_done_run_alone() -> None:
    """Ours: a pause says its usage and what is asked; a cancel nothing; an error is the run's own exception."""
    assert bare_closing(DONE) == closing(DONE)
    assert bare_closing(ASKED) == (USED, AskUserQuestion(pending=(QUESTION,)))
    assert bare_closing(FAILED) == ()
    assert bare_closing(STOPPED) == ()


@pytest.mark.parametrize("end", [DONE, ASKED, FAILED, STOPPED], ids=lambda end: end.kind)
def test_no_usage_is_said_where_none_was_reported(end: ev.ClosingEvent) -> None:
    """Ours: absent, not zero, on every ending."""
    silent = replace(end, outcome=replace(OUTCOME, usage=NO_USAGE))
    assert not [one for one in (*closing(silent), *bare_closing(silent)) if isinstance(one, Usage)]
    assert completion(silent).usage is None


@pytest.mark.parametrize("form", [typed_of, bare_of])
def test_what_is_no_end_is_projected(form: type) -> None:
    """Ours: one function takes every event of a run."""
    assert form(SAMPLE_OF[ev.TextDelta]) == (TextDelta(text="It is 3."),)
    assert typed_of(DONE) == closing(DONE)
    assert bare_of(FAILED) == ()


@pytest.mark.parametrize("says", [completion, bare_closing])
def test_what_is_no_end_has_no_completion(says: type) -> None:
    """Ours: widening the union without the match is a fault, never a silent pass."""
    with pytest.raises(AssertionError):
        says(SAMPLE_OF[ev.TextDelta])
