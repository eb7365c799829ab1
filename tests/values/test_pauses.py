"""What a run waits for, and what was said."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.values.event_samples import CALL, json_values
from treadle.values.ids import InterruptId
from treadle.values.mappings import EMPTY, frozen
from treadle.values.pauses import OnExpiry, PauseKind, PendingInterrupt, Resolution, Settlement


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
        (PauseKind, {"ask_user", "approval", "interrupt"}),
        (OnExpiry, {"decline", "fail", "keep"}),
        (Settlement, {"answered", "declined", "expired", "cancelled"}),
    ],
)
def test_the_choices_are_closed(choices: type[PauseKind], words: set[str]) -> None:
    """Ours: these words are stored and shown, so they do not change."""
    assert {str(choice) for choice in choices} == words
