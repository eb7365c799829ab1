"""What people say, against what was asked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from treadle.errors import BadAnswerError
from treadle.kernel.inputs import PauseAsk
from treadle.runtime.answer_check import MAX_ANSWER_BYTES, resolution_of
from treadle.runtime.asking import ask_of
from treadle.values.calls import ToolRequest
from treadle.values.ids import CallId, InterruptId
from treadle.values.pauses import Answer, Decision, OnExpiry, PauseKind, PendingInterrupt, Resolution, Settlement
from treadle.values.tools import ToolSpec

NAMED = InterruptId("r.i1")
OPTIONS = [{"label": "red"}, {"label": "blue"}, {"label": "green"}]
COLOUR = {"text": "Which colour?", "header": "Colour", "options": OPTIONS}
SIZES = {"text": "Which sizes?", "header": "Sizes", "options": OPTIONS, "multi_select": True, "allow_other": True}


def pending(ask: PauseAsk | None) -> PendingInterrupt:
    """The pause that this asks for."""
    assert ask is not None
    return PendingInterrupt(
        interrupt_id=NAMED,
        kind=ask.kind,
        call_id=CallId("c"),
        request=ask.request,
        response_schema=ask.response_schema,
    )


def asked(spec: ToolSpec, arguments: dict[str, Any], *, needs_approval: bool = False) -> PendingInterrupt:
    """The pause of a call of this tool."""
    request = ToolRequest(name=spec.name, arguments=arguments)
    ask = ask_of(request, spec, needs_approval=needs_approval, expires_at=None, on_expiry=OnExpiry.DECLINE)
    return pending(ask)


CENTS = {"type": "object", "properties": {"cents": {"type": "integer"}}, "required": ["cents"]}
LEAVE = asked(ToolSpec(name="pay", description="", parameters=CENTS), {"cents": 5}, needs_approval=True)
ASKING = ToolSpec(name="ask_user", description="", parameters={}, asks=PauseKind.ASK_USER)
QUESTIONS = asked(ASKING, {"questions": [COLOUR, SIZES]})
ONE = asked(ASKING, {"questions": [COLOUR]})
MANY = asked(ASKING, {"questions": [SIZES]})
FILE = asked(
    ToolSpec(
        name="pick", description="", parameters={}, asks=PauseKind.FRONT_END, result_schema={"required": ["name"]}
    ),
    {},
)
SIGNAL = replace(FILE, kind=PauseKind.INTERRUPT, response_schema={"type": "boolean"})


def nested(levels: int) -> list[Any]:
    """A list within a list, so many in all."""
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def settled(pause: PendingInterrupt, decision: str, **said: Any) -> Resolution:  # noqa: ANN401 (JSON terms)
    """How this answer settles the pause; a tool takes anything but a million."""
    answer = Answer(interrupt_id=NAMED, token="t", decision=Decision(decision), **said)
    return resolution_of(pause, answer, lambda _, args: "too much" if args.get("cents") == 1_000_000 else None)


def told(pause: PendingInterrupt, decision: str, **said: Any) -> list[str]:  # noqa: ANN401 (JSON terms)
    """What is wrong with this answer."""
    with pytest.raises(BadAnswerError) as bad:
        settled(pause, decision, **said)
    assert {one.interrupt_id for one in bad.value.problems} == {NAMED}
    return [one.problem for one in bad.value.problems]


@pytest.mark.requirement("PAUSE-decisions")
@pytest.mark.parametrize(
    ("pause", "decision", "said", "settlement", "value"),
    [
        (LEAVE, "approve", {}, Settlement.ANSWERED, None),
        (LEAVE, "edit", {"arguments": {"cents": 4}}, Settlement.ANSWERED, {"cents": 4}),
        (LEAVE, "deny", {"reason": "too dear"}, Settlement.DECLINED, None),
        (LEAVE, "cancel", {}, Settlement.CANCELLED, None),
        (SIGNAL, "answer", {"value": True}, Settlement.ANSWERED, True),
        (SIGNAL, "deny", {}, Settlement.DECLINED, None),
        (FILE, "answer", {"value": {"name": "a.png"}}, Settlement.ANSWERED, {"name": "a.png"}),
        (ONE, "cancel", {}, Settlement.CANCELLED, None),
    ],
)
def test_a_decision_settles_its_pause(
    pause: PendingInterrupt, decision: str, said: dict[str, Any], settlement: Settlement, value: object
) -> None:
    """Ours: approve, deny with a reason, edit, answer, cancel."""
    resolution = settled(pause, decision, **said)
    assert (resolution.settlement, resolution.value) == (settlement, value)
    assert resolution.reason == said.get("reason")


@pytest.mark.requirement("PAUSE-decisions")
@pytest.mark.parametrize(
    ("pause", "decision"),
    [(LEAVE, "answer"), (ONE, "approve"), (SIGNAL, "approve"), (FILE, "edit"), (SIGNAL, "edit")],
)
def test_what_a_pause_does_not_take_grants_nothing(pause: PendingInterrupt, decision: str) -> None:
    """Ours: a value is no leave, and leave is no value."""
    assert any("takes" in problem for problem in told(pause, decision))


@pytest.mark.requirement("PAUSE-decisions")
@pytest.mark.parametrize(
    ("pause", "decision", "said", "word"),
    [
        (LEAVE, "edit", {}, "arguments"),
        (LEAVE, "approve", {"arguments": {"cents": 4}}, "arguments"),
        (LEAVE, "deny", {"value": 1}, "value"),
        (LEAVE, "deny", {"reason": ""}, "reason"),
        (LEAVE, "deny", {"reason": "x" * 1001}, "reason"),
        (LEAVE, "edit", {"arguments": {"cents": "4"}}, "/cents"),
        (LEAVE, "edit", {"arguments": {"cents": 1_000_000}}, "too much"),
        (SIGNAL, "answer", {"value": "yes"}, "boolean"),
        (SIGNAL, "answer", {}, "boolean"),
        (SIGNAL, "answer", {"value": float("nan")}, "JSON"),
        (SIGNAL, "answer", {"value": {1, 2}}, "JSON"),
        (SIGNAL, "answer", {"value": nested(65)}, "64 levels"),
        (SIGNAL, "answer", {"value": nested(10_000)}, "64 levels"),
        (FILE, "answer", {"value": {}}, "/name"),
        (FILE, "answer", {"value": {"name": "x" * MAX_ANSWER_BYTES}}, "bytes"),
    ],
)
def test_a_bad_answer_says_what_is_wrong_with_it(
    pause: PendingInterrupt, decision: str, said: dict[str, Any], word: str
) -> None:
    """Ours: what was expected, where."""
    assert any(word in problem for problem in told(pause, decision, **said))


@pytest.mark.requirement("PAUSE-answers")
@pytest.mark.parametrize("said", ["red", ["red"], {"chosen": ["red"]}])
def test_a_label_a_list_and_the_whole_form_say_the_same(said: object) -> None:
    """Ours: short where it can be; the model is told the question with its answer."""
    expected = {"answers": ({"question_id": "q1", "question": "Which colour?", "chosen": ("red",)},)}
    assert settled(ONE, "answer", value={"q1": said}).value == expected


@pytest.mark.requirement("PAUSE-answers")
def test_an_answer_in_own_words_is_told_beside_what_was_chosen() -> None:
    """Design: allow_other, multi_select."""
    value = settled(MANY, "answer", value={"q1": {"chosen": ["red", "blue"], "other": "pink"}}).value
    assert value["answers"][0]["chosen"] == ("red", "blue")
    assert value["answers"][0]["other"] == "pink"


@pytest.mark.requirement("PAUSE-answers")
@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"q1": "red"}, "question 'q2' has no answer"),
        ({"q1": "red", "q2": "red", "q3": "red"}, "there is no question 'q3'"),
        ({"q1": "pink", "q2": "red"}, "question 'q1': there are the labels"),
        ({"q1": ["red", "blue"], "q2": "red"}, "question 'q1': one thing may be chosen"),
        ({"q1": {"chosen": ["red"], "other": "x"}, "q2": "red"}, "question 'q1': an answer in other words"),
        ({"q1": [], "q2": "red"}, "question 'q1': nothing was chosen"),
        ({"q1": "red", "q2": ["red", "red"]}, "question 'q2': each label may be chosen once"),
        ({"q1": "red", "q2": {"other": "x" * 1001}}, "question 'q2': other words"),
        ({"q1": "red", "q2": {"other": " "}}, "question 'q2': other words"),
        ({"q1": "red", "q2": 5}, "question 'q2': expected a label"),
        ({"q1": "red", "q2": {"labels": ["red"]}}, "question 'q2': expected a label"),
        ({"q1": "red", "q2": {"chosen": [1]}}, "question 'q2': expected a label"),
        (["red", "red"], "expected a mapping"),
    ],
)
def test_a_bad_answer_names_its_question(value: object, problem: str) -> None:
    """Reference: every question exactly once; labels must exist; single-select; other only if allowed; not empty."""
    assert any(one.startswith(problem) for one in told(QUESTIONS, "answer", value=value))


@pytest.mark.requirement("PAUSE-redacted")
def test_questions_are_answered_with_the_labels_that_were_read() -> None:
    """Law 5: whoever answers saw redacted labels; the model is told the true ones, and no refusal names them."""
    secret = replace(ONE, request={"questions": [{**ONE.request["questions"][0], "options": HIDDEN}]})
    shown = replace(ONE, request={"questions": [{**ONE.request["questions"][0], "options": SHOWN}]})
    for value in ("[redacted] (2)", ["[redacted] (2)"], {"chosen": ["[redacted] (2)"]}):
        answer = Answer(interrupt_id=NAMED, token="t", decision=Decision.ANSWER, value={"q1": value})
        told = resolution_of(secret, answer, lambda *_: None, shown=shown).value
        assert told["answers"][0]["chosen"] == ("bob@example.com",)
    guessed = Answer(interrupt_id=NAMED, token="t", decision=Decision.ANSWER, value={"q1": "ann@example.com"})
    with pytest.raises(BadAnswerError, match="labels") as refused:
        resolution_of(secret, guessed, lambda *_: None, shown=shown)
    assert "example.com" not in str(refused.value)


HIDDEN = [{"label": "ann@example.com", "description": ""}, {"label": "bob@example.com", "description": ""}]
SHOWN = [{"label": "[redacted] (1)", "description": ""}, {"label": "[redacted] (2)", "description": ""}]
