"""How their run ends."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

import pytest

from tests.projections.agui.tellings import TELLING
from tests.projections.agui.test_interrupts import QUESTIONS, pause
from tests.values.event_samples import event
from treadle.projections.agui.endings import Ending
from treadle.values import events as ev
from treadle.values.ids import CallId
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import PauseKind
from treadle.values.usage import UsageDelta

OUTCOME = InvocationOutcome(text="a")
SPENT = UsageDelta(input_tokens=7, unmeasured_rounds=1)
IDS = {"type": "RUN_FINISHED", "threadId": "t1", "runId": "run-0"}


def ending(spent: UsageDelta = UsageDelta(), calls: Collection[CallId] = ()) -> Ending:  # noqa: B008 (a value)
    """What ends a segment."""
    return Ending(TELLING, spent=spent, model="m", calls=calls)


def test_done_is_a_success() -> None:
    """Spec: with the result, where there is one."""
    assert json.loads(ending().done(event(ev.Done, outcome=OUTCOME))) == {**IDS, "outcome": {"type": "success"}}
    structured = event(ev.Done, outcome=InvocationOutcome(text="", output={"n": 2**60}), termination="empty_answer")
    assert json.loads(ending().done(structured)) == {
        **IDS,
        "result": {"n": str(2**60)},
        "outcome": {"type": "success"},
        "metadata": {"treadle": {"termination": "empty_answer"}},
    }


def test_usage_is_on_the_end_with_what_is_missing_of_it() -> None:
    """Ours: usage is honest in every ending."""
    told: Any = json.loads(ending(SPENT).cancelled(event(ev.Cancelled, outcome=OUTCOME, reason="stop")))
    assert told == {
        **IDS,
        "outcome": {"type": "cancelled"},
        "usage": [{"model": "m", "inputTokens": 7}],
        "metadata": {"treadle": {"reason": "stop", "unmeasuredRounds": 1}},
    }


@pytest.mark.requirement("BR-099")
def test_a_cancelled_run_is_no_success() -> None:
    """A fault reported in the field: BR-099."""
    told: Any = json.loads(ending().cancelled(event(ev.Cancelled, outcome=OUTCOME)))
    assert told == {**IDS, "outcome": {"type": "cancelled"}}


@pytest.mark.requirement("AGUI-error")
def test_an_error_has_a_code_and_a_sentence_and_no_ids() -> None:
    """Spec; and ours: what a provider said is told only where a mount says so (BR-097)."""
    failed = event(ev.Error, outcome=OUTCOME, code="upstream_error", reference="e1", retryable=True)
    assert json.loads(ending(SPENT).failed(failed)) == {
        "type": "RUN_ERROR",
        "message": "the model failed",
        "code": "upstream_error",
        "usage": [{"model": "m", "inputTokens": 7}],
        "metadata": {"treadle": {"reference": "e1", "retryable": True, "unmeasuredRounds": 1}},
    }
    told = event(ev.Error, outcome=OUTCOME, code="upstream_error", detail="503 from them")
    assert json.loads(ending().failed(told))["message"] == "503 from them"


@pytest.mark.requirement("AGUI-interrupt")
def test_a_pause_is_an_interrupt_with_all_that_is_asked() -> None:
    """Spec: one or more interrupts."""
    one = pause(PauseKind.ASK_USER, request=QUESTIONS)
    two = pause(PauseKind.APPROVAL, request={"name": "pay", "arguments": {}})
    told: Any = json.loads(ending().paused((one, two)))
    assert told["outcome"]["type"] == "interrupt"
    assert [one["reason"] for one in told["outcome"]["interrupts"]] == ["input_required", "tool_call"]


@pytest.mark.requirement("AGUI-front-end")
def test_what_only_the_front_end_is_to_run_is_a_success_with_pending_calls() -> None:
    """Spec: a run that stopped on a frontend tool call is a completed run."""
    call = CallId("r1.c1")
    pending = pause(PauseKind.FRONT_END, request={"name": "pick", "arguments": {}})
    told: Any = json.loads(ending(calls={call}).paused((pending,)))
    assert told["outcome"] == {"type": "success", "pendingToolCallIds": ["r1.c1"]}
    asked = pause(PauseKind.ASK_USER, request=QUESTIONS)
    mixed: Any = json.loads(ending(calls={call}).paused((pending, asked)))
    assert [one["reason"] for one in mixed["outcome"]["interrupts"]] == ["input_required"]


@pytest.mark.requirement("AGUI-exposure")
@pytest.mark.parametrize("request_", [{}, {"name": "pick", "arguments": {}}])
def test_a_front_end_call_that_was_not_told_is_an_interrupt(request_: dict[str, Any]) -> None:
    """Ours: a client cannot answer a call that it never saw."""
    calls = {CallId("r1.c1")} if not request_ else set()
    told: Any = json.loads(ending(calls=calls).paused((pause(PauseKind.FRONT_END, request=request_),)))
    assert [one["reason"] for one in told["outcome"]["interrupts"]] == ["treadle:front_end"]
