"""What is said to a pause in plain text."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.errors import BadAnswerError
from treadle.runtime import said_in_text
from treadle.runtime.answer_check import resolution_of
from treadle.values.ids import CallId, InterruptId
from treadle.values.mappings import frozen
from treadle.values.pauses import Answer, Decision, PauseKind, PendingInterrupt

COLOUR = {
    "question_id": "q1",
    "text": "Which?",
    "options": [{"label": "red"}, {"label": "4"}],
    "multi_select": False,
    "allow_other": False,
}
SIZE = {**COLOUR, "question_id": "q2"}
APPROVAL = PendingInterrupt(
    interrupt_id=InterruptId("r1.i1"),
    kind=PauseKind.APPROVAL,
    call_id=CallId("r1.c1"),
    request={"name": "pay", "arguments": {"cents": 5}},
    response_schema={"properties": {"arguments": {"type": "object"}}},
)
ASKED = replace(APPROVAL, kind=PauseKind.ASK_USER, request={"questions": [COLOUR]}, response_schema={})
TWO = replace(ASKED, request={"questions": [COLOUR, SIZE]})
OPEN = replace(ASKED, request={"questions": [{**COLOUR, "allow_other": True}]})
PAGE = replace(APPROVAL, kind=PauseKind.FRONT_END, response_schema={})
WORDS = replace(PAGE, response_schema={"type": "string"})
NAMED = replace(APPROVAL, kind=PauseKind.INTERRUPT, response_schema={"type": "integer"})


def answer_in_text(pause: PendingInterrupt, text: str) -> Answer:
    """What a text says, with a token."""
    return said_in_text.answer_in_text(pause, text, token="t")


@pytest.mark.requirement("PAUSE-text")
@pytest.mark.parametrize(
    ("said", "decision", "reason"),
    [
        ("approve", Decision.APPROVE, None),
        (" Approve\n", Decision.APPROVE, None),
        ('"approve"', Decision.APPROVE, None),
        ("deny", Decision.DENY, None),
        ("deny:", Decision.DENY, None),
        ("Deny: too dear: 5 cents", Decision.DENY, "too dear: 5 cents"),
        ("cancel", Decision.CANCEL, None),
        ('{"decision": "deny", "reason": "too dear"}', Decision.DENY, "too dear"),
        ('{"decision": "cancel"}', Decision.CANCEL, None),
    ],
)
def test_leave_is_given_or_not_in_a_word(said: str, decision: Decision, reason: str | None) -> None:
    """docs/pauses.md: or by a decision as JSON, with a reason where there is one."""
    answer = answer_in_text(APPROVAL, said)
    assert (answer.interrupt_id, answer.token, answer.decision, answer.reason) == ("r1.i1", "t", decision, reason)
    assert (answer.value, answer.arguments) == (None, None)


def test_leave_is_given_with_other_arguments_as_json() -> None:
    """Design §7: an edit is a decision of its own."""
    answer = answer_in_text(APPROVAL, '{"decision": "edit", "arguments": {"cents": 4}}')
    assert (answer.decision, answer.arguments) == (Decision.EDIT, {"cents": 4})


@pytest.mark.parametrize(
    ("pause", "said", "value"),
    [
        (ASKED, "red", {"q1": "red"}),
        (ASKED, '"red"', {"q1": "red"}),
        (ASKED, "4", {"q1": "4"}),
        (ASKED, '["red"]', {"q1": "red"}),
        (ASKED, '{"q1": {"chosen": ["red"]}}', {"q1": {"chosen": ["red"]}}),
        (ASKED, "green", {"q1": "green"}),
        (OPEN, "green", {"q1": {"other": "green"}}),
        (OPEN, "red", {"q1": "red"}),
        (TWO, '["red", "4"]', {"q1": "red", "q2": "4"}),
        (PAGE, '{"decision": "deny"}', {"decision": "deny"}),
        (PAGE, "a.txt", "a.txt"),
        (PAGE, "7", 7),
        (PAGE, "null", None),
        (WORDS, "7", "7"),
        (WORDS, '"7"', "7"),
        (NAMED, "7", 7),
        (NAMED, "seven", "seven"),
    ],
)
@pytest.mark.requirement("PAUSE-text")
def test_a_value_is_read_as_its_pause_wants_it(pause: PendingInterrupt, said: str, value: Any) -> None:  # noqa: ANN401 (any JSON)
    """docs/pauses.md: labels, own words, JSON, or the text itself. Whether it fits is held elsewhere."""
    answer = answer_in_text(pause, said)
    assert (answer.decision, answer.value) == (Decision.ANSWER, frozen(value))


@pytest.mark.parametrize("decision", [Decision.DENY, Decision.CANCEL])
def test_a_question_may_be_declined(decision: Decision) -> None:
    """docs/pauses.md: no question has an id like that."""
    answer = answer_in_text(ASKED, f'{{"decision": "{decision.value}", "reason": "no"}}')
    assert (answer.decision, answer.reason, answer.value) == (decision, "no", None)


@pytest.mark.parametrize(
    ("pause", "said"),
    [
        (APPROVAL, "yes"),
        (APPROVAL, ""),
        (APPROVAL, "approve: since I may"),
        (APPROVAL, "7"),
        (APPROVAL, "[]"),
        (APPROVAL, "{}"),
        (APPROVAL, '{"decision": "maybe"}'),
        (APPROVAL, '{"decision": ["deny"]}'),
        (APPROVAL, '{"decision": "deny", "reason": 7}'),
        (APPROVAL, '{"decision": "edit", "arguments": []}'),
        (APPROVAL, '{"decision": "approve", "unheard": 1}'),
        (ASKED, '["red", "4"]'),
        (TWO, "red"),
        (TWO, '["red"]'),
    ],
)
@pytest.mark.requirement("PAUSE-text")
def test_what_is_no_answer_is_refused_and_says_what_would_be(pause: PendingInterrupt, said: str) -> None:
    """Design §7: a bad answer does not burn the token."""
    with pytest.raises(BadAnswerError) as caught:
        answer_in_text(pause, said)
    (wrong,) = caught.value.problems
    assert wrong.interrupt_id == "r1.i1"
    assert wrong.problem.startswith("expected")


texts = st.text() | st.sampled_from(["approve", "deny: x", "{", "[" * 9999, '{"q1": "red"}', "NaN"])


@given(said=texts, pause=st.sampled_from([APPROVAL, ASKED, TWO, OPEN, PAGE, WORDS, NAMED]))
def test_whatever_is_said_is_an_answer_or_a_refusal(said: str, pause: PendingInterrupt) -> None:
    """Ours: a text is an attacker's; what comes of it is held against what was asked like any answer."""
    with suppress(BadAnswerError):
        resolution_of(pause, answer_in_text(pause, said), lambda _name, _arguments: None)
