"""What a client says to interrupts and of calls, as answers."""

from __future__ import annotations

from typing import Any

import pytest

from treadle.codec.foreign import json_value
from treadle.errors import BadAnswerError
from treadle.projections.agui.answers import LONGEST_REASON, answer_of, result_of
from treadle.projections.agui.parse import CallSays, Resume
from treadle.values.ids import InterruptId
from treadle.values.pauses import Answer, Decision, PauseKind

NAMED = InterruptId("r1.i1")


def said(payload: Any, kind: PauseKind, status: str = "resolved") -> Answer:  # noqa: ANN401 (any JSON)
    """The answer that a resume entry is."""
    entry = Resume(interrupt_id="token", status=status, payload=payload)  # type: ignore[arg-type]  # one of the two
    return answer_of(entry, NAMED, kind)


def answer(decision: Decision, **fields: Any) -> Answer:  # noqa: ANN401 (fields of an answer)
    """An answer to the pause."""
    return Answer(interrupt_id=NAMED, token="token", decision=decision, **fields)


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"approved": True}, answer(Decision.APPROVE)),
        ({"approved": True, "reason": "fine"}, answer(Decision.APPROVE, reason="fine")),
        ({"approved": False}, answer(Decision.DENY)),
        ({"approved": False, "reason": "no"}, answer(Decision.DENY, reason="no")),
        ({"approved": True, "editedArgs": {"a": 2}}, answer(Decision.EDIT, arguments={"a": 2})),
        ({"approved": True, "editedArgs": None, "reason": ""}, answer(Decision.APPROVE)),
    ],
)
@pytest.mark.requirement("AGUI-resume")
def test_leave_is_given_changed_or_refused(payload: Any, expected: Answer) -> None:  # noqa: ANN401 (any JSON)
    """Spec: approved, and editedArgs."""
    assert said(payload, PauseKind.APPROVAL) == expected


@pytest.mark.parametrize(
    "payload",
    [
        None,
        True,
        "yes",
        [],
        {},
        {"approved": "true"},
        {"approved": 1},
        {"approved": False, "editedArgs": {"a": 1}},
        {"approved": True, "editedArgs": [1]},
        {"approved": True, "editArgs": {"a": 1}},
        {"approved": True, "reason": 3},
    ],
)
@pytest.mark.requirement("AGUI-resume")
def test_what_is_no_clear_leave_is_none(payload: Any) -> None:  # noqa: ANN401 (any JSON)
    """Ours: an edit that is misspelt must not run what it meant to change."""
    with pytest.raises(BadAnswerError) as refused:
        said(payload, PauseKind.APPROVAL)
    assert refused.value.problems[0][0] == NAMED


@pytest.mark.parametrize("kind", [PauseKind.ASK_USER, PauseKind.INTERRUPT, PauseKind.FRONT_END])
@pytest.mark.requirement("AGUI-resume")
def test_any_other_pause_is_answered_with_the_payload(kind: PauseKind) -> None:
    """Spec: the payload is the answer; whether it fits is held against the pause."""
    assert said({"q1": "red"}, kind) == answer(Decision.ANSWER, value={"q1": "red"})
    assert said(None, kind) == answer(Decision.ANSWER)


@pytest.mark.parametrize("kind", PauseKind)
@pytest.mark.requirement("AGUI-resume")
def test_cancelled_decides_nothing(kind: PauseKind) -> None:
    """Spec: abandoned; the call is cancelled, whatever came with it."""
    assert said({"approved": True}, kind, "cancelled") == answer(Decision.CANCEL)


@pytest.mark.parametrize(
    ("content", "schema", "value"),
    [
        ("a.txt", {}, "a.txt"),
        ('{"file": "a.txt"}', {}, {"file": "a.txt"}),
        ("7", {"type": "string"}, "7"),
        ("7", {"type": "integer"}, 7),
        ("seven", {"type": "integer"}, "seven"),
        ("7", {"type": "boolean"}, 7),
        ([{"type": "text", "text": "4"}, {"type": "text", "text": "2"}], {}, 42),
        ([{"type": "image", "source": {}}], {}, ({"type": "image", "source": {}},)),
        ("[" * 100_000, {}, "[" * 100_000),
    ],
)
@pytest.mark.requirement("AGUI-front-end")
def test_a_result_is_the_value_that_its_text_is(content: Any, schema: Any, value: Any) -> None:  # noqa: ANN401 (any JSON)
    """Ours: content is text on this wire; where the schema wants text, a number in it stays text."""
    came = result_of(CallSays(call_id="c1", content=json_value(content)), NAMED, "token", schema=schema)
    assert came == answer(Decision.ANSWER, value=value)


@pytest.mark.requirement("AGUI-front-end")
def test_a_call_that_failed_at_the_front_end_goes_no_further() -> None:
    """Ours: the model is told why, in so many words."""
    failed = CallSays(call_id="c1", content="", error="x" * 2000)
    assert result_of(failed, NAMED, "token", schema={}) == answer(Decision.DENY, reason="x" * LONGEST_REASON)
