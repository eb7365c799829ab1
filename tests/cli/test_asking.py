"""What a run waits for, put to the person at a terminal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from treadle.cli.asking import put, shown
from treadle.runtime.open_pauses import OpenPause
from treadle.values.ids import CallId, InterruptId
from treadle.values.pauses import Answer, Decision, OnExpiry, PauseKind

OPTIONS = [{"label": "red", "description": "warm"}, {"label": "blue", "description": ""}]
QUESTION = {
    "question_id": "q1", "text": "Which?\nSay.", "header": "Colour", "options": OPTIONS,
    "multi_select": False, "allow_other": False,
}  # fmt: skip


def pause(kind: PauseKind, request: dict[str, Any]) -> OpenPause:
    """A pause that asks for this."""
    return OpenPause(
        interrupt_id=InterruptId("r.i1"),
        kind=kind,
        call_id=CallId("r.c1"),
        request=request,
        response_schema={},
        expires_at=None,
        on_expiry=OnExpiry.DECLINE,
        token="t",
    )


LEAVE = pause(PauseKind.APPROVAL, {"name": "pay", "arguments": {"cents": 5, "to": "x" * 2000 + "\x1b[2J"}})
SIGNAL = pause(PauseKind.INTERRUPT, {"name": "sure", "payload": {"a": 1}})
FILE = pause(PauseKind.FRONT_END, {"name": "pick", "arguments": {}})


def asking_for(schema: dict[str, Any]) -> OpenPause:
    """A pause that wants a value of this kind."""
    return replace(SIGNAL, response_schema=schema)


def questions(**more: Any) -> OpenPause:  # noqa: ANN401 (parts of a question)
    """A pause that asks one question."""
    return pause(PauseKind.ASK_USER, {"questions": [{**QUESTION, **more}]})


def typed(*lines: str) -> Callable[[str], str | None]:
    """Somebody who types these lines."""
    left = iter(lines)
    return lambda _: next(left, None)


def test_what_is_decided_about_is_shown_whole_and_obeys_no_control_code() -> None:
    """Ours: a person would approve another line than the one that runs."""
    assert "x" * 2000 in shown(LEAVE)
    assert "\x1b" not in shown(LEAVE)
    assert shown(questions()).splitlines() == ["Which?", "Say.", "  1. red: warm", "  2. blue"]
    assert shown(SIGNAL) == 'sure: {"a":1}\n'
    assert shown(FILE) == "the result of pick with {}\n"


@pytest.mark.parametrize(
    ("asked", "lines", "decision", "fields"),
    [
        (LEAVE, ["approve"], Decision.APPROVE, {}),
        (LEAVE, ["a"], Decision.APPROVE, {}),
        (LEAVE, ["what?", "deny", "too dear"], Decision.DENY, {"reason": "too dear"}),
        (LEAVE, ["d", ""], Decision.DENY, {}),
        (LEAVE, ["edit", "{oh", "edit", '{"cents": 4}'], Decision.EDIT, {"arguments": {"cents": 4}}),
        (LEAVE, ["cancel"], Decision.CANCEL, {}),
        (SIGNAL, ["tru", "true"], Decision.ANSWER, {"value": True}),
        (SIGNAL, ["deny", "no"], Decision.DENY, {"reason": "no"}),
        (FILE, ['{"name": "a.png"}'], Decision.ANSWER, {"value": {"name": "a.png"}}),
        (questions(), ["2"], Decision.ANSWER, {"value": {"q1": {"chosen": ["blue"]}}}),
        (questions(), ["3", "red"], Decision.ANSWER, {"value": {"q1": {"chosen": ["red"]}}}),
        (questions(multi_select=True), ["1, blue"], Decision.ANSWER, {"value": {"q1": {"chosen": ["red", "blue"]}}}),
        (questions(allow_other=True), ["pink"], Decision.ANSWER, {"value": {"q1": {"other": "pink"}}}),
        (LEAVE, ["deny too much"], Decision.DENY, {"reason": "too much"}),
        (LEAVE, ["approve not this", "cancel it", "cancel"], Decision.CANCEL, {}),
        (LEAVE, ['edit {"cents": 4}'], Decision.EDIT, {"arguments": {"cents": 4}}),
        (LEAVE, ["edit", "", "edit 5", "approve"], Decision.APPROVE, {}),
        (LEAVE, [f"deny {'x' * 1001}", "deny short"], Decision.DENY, {"reason": "short"}),
        (SIGNAL, ["deny too much"], Decision.DENY, {"reason": "too much"}),
        (SIGNAL, ["cancel now", "cancel"], Decision.CANCEL, {}),
        (asking_for({"type": "integer"}), ['"3"', "3.5", "3"], Decision.ANSWER, {"value": 3}),
        (asking_for({"type": "string"}), ["Paris, France"], Decision.ANSWER, {"value": "Paris, France"}),
        (asking_for({"type": "string"}), ["d"], Decision.ANSWER, {"value": "d"}),
        (asking_for({"type": "string"}), ["12"], Decision.ANSWER, {"value": "12"}),
        (asking_for({"type": "string"}), ['"deny"'], Decision.ANSWER, {"value": "deny"}),
        (asking_for({"type": "string"}), ["deny", "no"], Decision.DENY, {"reason": "no"}),
        (asking_for({"type": "string"}), ["deny all of it", ""], Decision.ANSWER, {"value": "deny all of it"}),
        (asking_for({"type": "string"}), ["deny all of it", "yes"], Decision.DENY, {"reason": "all of it"}),
        (asking_for({"type": "string"}), ["cancel it", "yes", "cancel"], Decision.CANCEL, {}),
        (questions(), ["9", "0", "pink", "2"], Decision.ANSWER, {"value": {"q1": {"chosen": ["blue"]}}}),
        (questions(), ["deny", "none fits"], Decision.DENY, {"reason": "none fits"}),
        (questions(), ["deny none fits"], Decision.DENY, {"reason": "none fits"}),
        (questions(), ["cancel"], Decision.CANCEL, {}),
        (questions(), ["cancel it", "cancel"], Decision.CANCEL, {}),
        (
            questions(options=[{"label": "deny", "description": ""}, *OPTIONS]),
            ["deny"],
            Decision.ANSWER,
            {"value": {"q1": {"chosen": ["deny"]}}},
        ),
        (questions(allow_other=True), ["9", "", "1"], Decision.ANSWER, {"value": {"q1": {"chosen": ["red"]}}}),
        (questions(allow_other=True), ["9", "yes"], Decision.ANSWER, {"value": {"q1": {"other": "9"}}}),
        (questions(allow_other=True), ["red, 9", "y"], Decision.ANSWER, {"value": {"q1": {"other": "red, 9"}}}),
        (questions(allow_other=True), ["deny red", ""], Decision.ANSWER, {"value": {"q1": {"other": "deny red"}}}),
        (questions(allow_other=True), ["deny red", "yes"], Decision.DENY, {"reason": "red"}),
        (questions(allow_other=True), ["cancel"], Decision.CANCEL, {}),
        (
            questions(multi_select=True),
            ["1, 9", "1, 1", "1, 2"],
            Decision.ANSWER,
            {"value": {"q1": {"chosen": ["red", "blue"]}}},
        ),
    ],
)
def test_a_line_that_is_no_answer_is_asked_for_again(
    asked: OpenPause, lines: list[str], decision: Decision, fields: dict[str, Any]
) -> None:
    """Ours: in few letters, in numbers or in labels."""
    expected = Answer(interrupt_id="r.i1", token="t", decision=decision, **fields)
    assert put(asked, typed(*lines)) == expected


@pytest.mark.requirement("CLI-asking")
def test_the_prompts_say_what_may_be_typed(capsys: pytest.CaptureFixture[str]) -> None:
    """docs/cli.md: which kind of value is wanted; that a no and a cancel are answers; which numbers there are."""
    prompts: list[str] = []

    def read(prompt: str) -> str | None:
        prompts.append(prompt)
        return ["7", ""][len(prompts) - 1]

    assert put(questions(allow_other=False), read) is None
    assert prompts[0] == "Colour (a number or a label; deny, cancel, or nothing to leave it open): "
    assert "the numbers are 1 to 2" in capsys.readouterr().err
    prompts.clear()
    assert put(asking_for({"type": "integer"}), read) is not None
    assert prompts == ["the answer as JSON (a whole number); deny, cancel, or nothing to leave it open: "]


@pytest.mark.parametrize("asked", [LEAVE, SIGNAL, FILE, questions()])
@pytest.mark.parametrize("lines", [[""], []])
def test_a_pause_may_be_left_open(asked: OpenPause, lines: list[str]) -> None:
    """Ours: an empty line, or the end of the input, decides nothing."""
    assert put(asked, typed(*lines)) is None
