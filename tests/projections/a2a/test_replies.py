"""Messages on tasks that wait, to answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.projections.a2a.samples import LEAVE, QUESTION
from treadle.projections.a2a.faults import Fault, FaultError
from treadle.projections.a2a.parse import Sent
from treadle.projections.a2a.replies import answers_of
from treadle.values.pauses import Answer, Decision, PauseKind, PendingInterrupt

TOKENS = {"r1.i1": "one", "r1.i2": "two"}
ASKED = replace(
    LEAVE, kind=PauseKind.INTERRUPT, request={"name": "nights"}, response_schema={"type": ["integer", "null"]}
)


def sent(*texts: str, data: tuple[Any, ...] = (), tokens: dict[str, str] | None = None) -> Sent:
    """A message."""
    return Sent(
        message_id="m",
        task_id="r1",
        context_id="",
        prompt="",
        texts=texts,
        data=data,
        tokens=tokens or {},
        extensions=(),
    )


def said(message: Sent, *pending: PendingInterrupt) -> tuple[Answer, ...]:
    """What it says to these."""
    return answers_of(message, pending, TOKENS)


@pytest.mark.requirement("A2A-words")
@pytest.mark.parametrize(
    ("words", "pause", "decision", "value"),
    [
        ("red", QUESTION, Decision.ANSWER, {"q1": {"chosen": ["Red"]}}),
        (" teal ", QUESTION, Decision.ANSWER, {"q1": {"other": "teal"}}),
        ("Approve", LEAVE, Decision.APPROVE, None),
        ("deny", LEAVE, Decision.DENY, None),
        ("cancel", LEAVE, Decision.CANCEL, None),
        ("3", ASKED, Decision.ANSWER, 3),
        ("yes", replace(ASKED, response_schema={"type": "string"}), Decision.ANSWER, "yes"),
        ("yes", replace(ASKED, response_schema={"type": ["string", "null"]}), Decision.ANSWER, "yes"),
        ("yes", replace(ASKED, kind=PauseKind.FRONT_END, response_schema={}), Decision.ANSWER, "yes"),
    ],
)
def test_words_answer_the_one_pause_that_they_fit(
    words: str, pause: PendingInterrupt, decision: Decision, value: object
) -> None:
    """Ours: nothing is guessed: a label, own words, one of three words, or JSON where no text is asked for."""
    (answer,) = said(sent(words), pause)
    assert (answer.decision, answer.value, answer.token) == (decision, value, TOKENS[pause.interrupt_id])


@pytest.mark.requirement("A2A-words")
@pytest.mark.parametrize(
    ("words", "pending"),
    [
        ("sure", (LEAVE,)),
        ("three", (ASKED,)),
        ("red", (QUESTION, LEAVE)),
        ("red", (replace(QUESTION, request={"questions": [*QUESTION.request["questions"]] * 2}),)),
    ],
)
def test_words_that_could_mean_several_things_are_refused(words: str, pending: tuple[PendingInterrupt, ...]) -> None:
    """Ours: leave to act is never read into a sentence."""
    with pytest.raises(FaultError) as refused:
        said(sent(words), *pending)
    assert refused.value.fault is Fault.INVALID_PARAMS


@pytest.mark.requirement("A2A-data")
def test_data_answers_any_number_of_pauses() -> None:
    """docs/pauses.md: the form of answers; a token of its own, of the message, or of whoever may answer."""
    data = {
        "answers": [
            {"interrupt_id": "r1.i1", "decision": "answer", "value": {"q1": "Red"}, "token": "own"},
            {"interruptId": "r1.i2", "decision": "edit", "arguments": {"cents": 4}, "reason": "less"},
            {"interrupt_id": "r1.i9", "decision": "deny"},
        ]
    }
    one, two, three = said(sent("why", data=(data,), tokens={"r1.i2": "of the message"}), QUESTION, LEAVE)
    assert (one.token, one.value, one.reason) == ("own", {"q1": "Red"}, "why")
    assert (two.token, two.decision, two.arguments, two.reason) == (
        "of the message",
        Decision.EDIT,
        {"cents": 4},
        "less",
    )
    assert (three.interrupt_id, three.token) == ("r1.i9", "")


@pytest.mark.parametrize(
    ("data", "decision", "value"),
    [
        ({"decision": "approve"}, Decision.APPROVE, None),
        ({"value": 3}, Decision.ANSWER, 3),
        ({"q1": "Red"}, Decision.ANSWER, {"q1": "Red"}),
        ([1, 2], Decision.ANSWER, [1, 2]),
    ],
)
def test_data_that_names_no_pause_answers_the_only_one(data: object, decision: Decision, value: object) -> None:
    """Ours: a bare value is the answer, as a program of another agent sends it."""
    (answer,) = said(sent(data=(data,)), QUESTION)
    assert (answer.interrupt_id, answer.decision, answer.value) == ("r1.i1", decision, value)
    with pytest.raises(FaultError, match="2 are open"):
        said(sent(data=(data,)), QUESTION, LEAVE)


def test_a_decision_that_is_none_is_refused() -> None:
    """Ours: with those there are."""
    with pytest.raises(FaultError, match="approve, deny"):
        said(sent(data=({"decision": "maybe"},)), LEAVE)
