"""What a run waits for, and what was said."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.values.event_samples import CALL, json_values
from treadle.values.ids import InterruptId
from treadle.values.mappings import EMPTY, frozen
from treadle.values.pauses import (
    Answer,
    Decision,
    OnExpiry,
    PauseKind,
    PauseRules,
    PendingInterrupt,
    Resolution,
    Settlement,
)


def test_what_is_asked_cannot_change_while_it_is_asked() -> None:
    """Ours: a pause is bound to one call and its exact arguments."""
    asked = {"name": "delete", "arguments": {"paths": ["a"]}}
    schema = {"required": ["yes"]}
    pending = PendingInterrupt(
        interrupt_id=InterruptId("i"), kind=PauseKind.APPROVAL, call_id=CALL, request=asked, response_schema=schema
    )
    asked["arguments"]["paths"].append("b")  # type: ignore[index]  # a nested dict
    schema["required"].append("no")
    assert pending.request == {"name": "delete", "arguments": {"paths": ("a",)}}
    assert pending.response_schema == {"required": ("yes",)}


def test_a_pause_expires_only_where_it_says_so_and_is_then_declined() -> None:
    """Ours: nothing is granted by silence."""
    pending = PendingInterrupt(interrupt_id=InterruptId("i"), kind=PauseKind.INTERRUPT, call_id=CALL)
    assert (pending.expires_at, pending.on_expiry, pending.request) == (None, OnExpiry.DECLINE, EMPTY)


@given(json_values)
def test_an_answer_is_frozen(value: object) -> None:
    """Ours: an answer that was taken cannot be changed."""
    made = Resolution(interrupt_id=InterruptId("i"), settlement=Settlement.ANSWERED, value=value)
    assert made.value == frozen(value)


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        (PauseKind, {"ask_user", "approval", "interrupt", "front_end"}),
        (OnExpiry, {"decline", "fail", "keep"}),
        (Decision, {"approve", "deny", "edit", "answer", "cancel"}),
        (Settlement, {"answered", "declined", "expired", "cancelled"}),
    ],
)
def test_the_choices_are_closed(choices: type[PauseKind], words: set[str]) -> None:
    """Ours: these words are stored and shown, so they do not change."""
    assert {str(choice) for choice in choices} == words


def test_a_pause_is_open_for_seven_days_unless_its_agent_says_otherwise() -> None:
    """Design: a default of 7 days, then declined; None is for ever."""
    assert (PauseRules().expires_at(100.0), PauseRules().on_expiry) == (100.0 + 7 * 24 * 3600, OnExpiry.DECLINE)
    assert PauseRules(expires_s=None).expires_at(100.0) is None
    assert PauseRules(on_expiry="fail").on_expiry is OnExpiry.FAIL  # type: ignore[arg-type]  # as a mapping says it


@pytest.mark.parametrize("wrong", [{"expires_s": 0}, {"expires_s": float("nan")}, {"on_expiry": "forget"}])
def test_rules_that_no_pause_can_have_are_refused(wrong: dict[str, object]) -> None:
    """Ours: legal if it exists."""
    with pytest.raises(ValueError, match=r"expires_s|OnExpiry"):
        PauseRules(**wrong)  # type: ignore[arg-type]  # what a user may write


def test_an_answer_says_one_of_the_decisions() -> None:
    """Ours: what somebody sends is read as one of five words, or refused."""
    answer = Answer(interrupt_id="r.i1", token="t", decision="deny", reason="no")  # type: ignore[arg-type]  # as it comes
    assert answer.decision is Decision.DENY
    with pytest.raises(ValueError, match="Decision"):
        Answer(interrupt_id="r.i1", token="t", decision="allow")  # type: ignore[arg-type]  # as it comes
