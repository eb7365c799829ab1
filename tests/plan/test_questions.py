"""The questions that a model may put to the user."""

from __future__ import annotations

from typing import Any

import pytest

from treadle.codec.json_schema import faults
from treadle.errors import StateError
from treadle.plan.questions import ask_user
from treadle.values.mappings import thawed
from treadle.values.pauses import PauseKind

OPTIONS = [{"label": "red"}, {"label": "blue", "description": "as the sea"}]
QUESTION: dict[str, Any] = {"text": "Which colour?", "header": "Colour", "options": OPTIONS}


def damage(*questions: dict[str, Any]) -> str | None:
    """Why a call with these must not be asked."""
    return ask_user.check({"questions": list(questions)}).damage


@pytest.mark.requirement("PAUSE-questions")
@pytest.mark.parametrize(
    "questions",
    [
        [QUESTION],
        [QUESTION] * 4,
        [{**QUESTION, "multi_select": True, "allow_other": True}],
        [{**QUESTION, "options": [{"label": str(number)} for number in range(4)]}],
    ],
)
def test_one_to_four_sound_questions_are_asked(questions: list[dict[str, Any]]) -> None:
    """Design: 1 to 4 questions of text, header, 2 to 4 labelled options, multi_select, allow_other."""
    assert damage(*questions) is None


@pytest.mark.requirement("PAUSE-questions")
@pytest.mark.parametrize(
    ("question", "place"),
    [
        ({"text": "ok"}, "text"),
        ({"text": "x" * 501}, "text"),
        ({"header": "x" * 13}, "header"),
        ({"header": ""}, "header"),
        ({"options": OPTIONS[:1]}, "options"),
        ({"options": [{"label": str(number)} for number in range(5)]}, "options"),
        ({"options": [{"label": "red"}, {"label": "red"}]}, "different labels"),
        ({"options": [{"label": "x" * 81}, {"label": "red"}]}, "label"),
        ({"options": [{"label": "a", "description": "x" * 401}, {"label": "b"}]}, "description"),
        ({"multi_select": "yes"}, "multi_select"),
        ({"question_id": "q1"}, "question_id"),
    ],
)
def test_a_malformed_question_is_told_to_the_model_and_never_asked(question: dict[str, Any], place: str) -> None:
    """Design: malformed calls go back to the model; ids are ours, so one of the model's is a fault."""
    told = damage({**QUESTION, **question})
    assert told is not None
    assert place in told


@pytest.mark.requirement("PAUSE-questions")
@pytest.mark.parametrize("count", [0, 5])
def test_so_many_questions_are_too_few_or_too_many(count: int) -> None:
    """Design: 1 to 4."""
    assert damage(*[QUESTION] * count) is not None


def test_the_tool_says_that_a_person_answers_it() -> None:
    """Ours: it is a pause, not a function; whoever calls it is told."""
    assert (ask_user.problems, ask_user.spec.asks) == ((), PauseKind.ASK_USER)
    assert faults({"questions": [QUESTION]}, thawed(ask_user.spec.parameters)) == ()
    with pytest.raises(StateError):
        ask_user(questions=[])
