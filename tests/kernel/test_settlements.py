"""Results of calls that no tool gave."""

from __future__ import annotations

import pytest

from treadle.kernel.settlements import cut_short, declined, lost, not_run, over_the_limit, stopped
from treadle.values.calls import ToolOutcome, ToolStatus
from treadle.values.ids import CallId, InterruptId
from treadle.values.limits import Limit
from treadle.values.pauses import Resolution, Settlement

CALL = CallId("r1.c1")


def said(settlement: Settlement, **more: object) -> Resolution:
    """What became of the pause."""
    return Resolution(interrupt_id=InterruptId("r1.i1"), settlement=settlement, **more)  # type: ignore[arg-type]  # its fields


@pytest.mark.parametrize(
    "outcome",
    [
        not_run(CALL, "bad"),
        cut_short(CALL),
        over_the_limit(CALL, Limit.TOOL_CALLS),
        over_the_limit(CALL, Limit.TOKENS),
    ],
    ids=["damaged", "cut short", "too many calls", "too many tokens"],
)
def test_a_call_that_never_ran_says_so_and_took_no_time(outcome: ToolOutcome) -> None:
    """Ours: the model must not believe that something happened."""
    assert outcome.is_error
    assert outcome.error is not None
    assert outcome.error.startswith("not run: ")
    assert (outcome.call_id, outcome.content, outcome.duration_ms) == (CALL, None, 0.0)


def test_a_call_that_was_stopped_does_not_say_that_it_never_ran() -> None:
    """Ours: it had begun, and may have done something."""
    assert stopped(CALL) == ToolOutcome(
        call_id=CALL,
        status=ToolStatus.CANCELLED,
        error="stopped: the run ended while it waited for a person",
    )


def test_a_call_whose_worker_was_lost_is_unknown() -> None:
    """Promise 8: after a crash an unfinished side effect is `unknown`."""
    assert lost(CALL).status is ToolStatus.UNKNOWN
    assert "may have taken effect" in (lost(CALL).error or "")


@pytest.mark.parametrize(
    ("resolution", "status", "error"),
    [
        (said(Settlement.DECLINED), ToolStatus.DENIED, "denied by a person"),
        (said(Settlement.DECLINED, reason="too dear"), ToolStatus.DENIED, "denied by a person: too dear"),
        (said(Settlement.EXPIRED), ToolStatus.DENIED, "denied: nobody answered in time"),
        (said(Settlement.CANCELLED), ToolStatus.CANCELLED, "cancelled while it waited for a person"),
    ],
)
def test_the_model_is_told_why_a_call_did_not_go_on(resolution: Resolution, status: ToolStatus, error: str) -> None:
    """Ours: a no, silence and a cancel are three things."""
    assert declined(CALL, resolution) == ToolOutcome(call_id=CALL, status=status, error=error)


def test_an_answer_is_what_the_model_is_told() -> None:
    """Ours: nothing is put around it."""
    answer = said(Settlement.ANSWERED, value={"q1": ["red"]})
    assert declined(CALL, answer) == ToolOutcome(call_id=CALL, content={"q1": ["red"]})


def test_every_way_of_not_being_answered_has_words() -> None:
    """Ours: total over the closed set."""
    for settlement in Settlement:
        assert declined(CALL, said(settlement)).is_error == (settlement is not Settlement.ANSWERED)
