"""What a run came to, for its caller."""

from __future__ import annotations

import pytest

from treadle.runtime.result import RunError, RunOutcome, result_of
from treadle.values import events as ev
from treadle.values.ids import RunId, ThreadId
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import PauseKind, PendingInterrupt
from treadle.values.requests import UserMessage
from treadle.values.usage import UsageDelta

RUN = RunId("r1")
SPENT = UsageDelta(input_tokens=3)
SAID = InvocationOutcome(
    text="one two", answer_at=4, output={"a": 1}, usage=SPENT, run_id=RUN, duration_ms=5.0, stop_reason="stop"
)
PAUSE = PendingInterrupt(interrupt_id="r1.i1", kind=PauseKind.APPROVAL, call_id="r1.c1")
ASKED = PendingInterrupt(interrupt_id="r1.i1", kind=PauseKind.ASK_USER, call_id="r1.c1")
PLACE = {"index": 7, "run_id": RUN, "outcome": SAID}

CLOSINGS = [
    (ev.Done(**PLACE, termination="completed"), RunOutcome.DONE, "completed"),
    (ev.Cancelled(**PLACE, reason="reader_left", termination="cancelled"), RunOutcome.CANCELLED, "cancelled"),
    (ev.Error(**PLACE, code="stalled", termination="stalled"), RunOutcome.ERROR, "stalled"),
    (ev.AskUser(**PLACE, pending=(ASKED,)), RunOutcome.PAUSED, "paused"),
    (ev.Interrupt(**PLACE, pending=(PAUSE,)), RunOutcome.PAUSED, "paused"),
]


@pytest.mark.parametrize(("closing", "outcome", "termination"), CLOSINGS)
def test_every_closing_event_is_a_result_with_all_that_was_shown(closing, outcome, termination):
    """Promise 10: text, usage and duration are told on every ending, partial where the run was cut."""
    result = result_of(closing, thread_id=ThreadId("t"), messages=(UserMessage(text="hi"),))
    assert (result.outcome, result.termination) == (outcome, termination)
    assert (result.text, result.answer, result.output) == ("one two", "two", {"a": 1})
    assert (result.usage, result.duration_ms, result.stop_reason) == (SPENT, 5.0, "stop")
    assert (result.run_id, result.thread_id, result.messages) == (RUN, "t", (UserMessage(text="hi"),))
    assert result.pending == getattr(closing, "pending", ())
    assert (result.error is None) == (outcome is not RunOutcome.ERROR)


def test_an_error_is_a_code_and_a_reference_and_no_foreign_text():
    """Promise 11: what a provider said stays with the operator."""
    failed = ev.Error(
        **PLACE, code="model_busy", error_class="upstream", retryable=True, reference="r1.e1", detail="secret",
        termination="model_busy",
    )  # fmt: skip
    result = result_of(failed, thread_id=ThreadId(""), messages=())
    assert result.error == RunError(code="model_busy", error_class="upstream", retryable=True, reference="r1.e1")
    assert "secret" not in repr(result)
