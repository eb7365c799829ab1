"""The body of answers."""

from __future__ import annotations

import json

import pytest

from treadle.errors import BadRequestError
from treadle.server.answer_request import answers_request
from treadle.values.pauses import Answer, Decision


def test_a_body_says_what_is_said_to_each_pause() -> None:
    """Issue: `{answers: [{interrupt_id, token, decision, arguments?, value?, reason?}]}`."""
    body = {
        "answers": [
            {"interrupt_id": "r.i1", "token": "t", "decision": "edit", "arguments": {"cents": 4}},
            {"interrupt_id": "r.i2", "token": "u", "decision": "answer", "value": [1], "reason": None},
        ]
    }
    assert answers_request(json.dumps(body).encode()) == (
        Answer(interrupt_id="r.i1", token="t", decision=Decision.EDIT, arguments={"cents": 4}),
        Answer(interrupt_id="r.i2", token="u", decision=Decision.ANSWER, value=(1,)),
    )


@pytest.mark.requirement("D16d")
@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ("", ""),
        (f'{{"answers": {"[" * 80}{"]" * 80}}}', ""),
        ('{"answers": [{"interrupt_id": "r", "token": "t", "decision": "answer", "value": NaN}]}', ""),
        ('{"answers": [{"interrupt_id": "r", "token": "t", "decision": "answer", "value": 1e999}]}', ""),
        ("[]", ""),
        ("{}", "/answers"),
        ('{"answers": {}}', "/answers"),
        ('{"answers": [{"interrupt_id": "r.i1", "token": "t"}]}', "/answers/0/decision"),
        ('{"answers": [{"interrupt_id": "r.i1", "token": "t", "decision": "allow"}]}', "/answers/0/decision"),
        ('{"answers": [{"interrupt_id": 1, "token": "t", "decision": "deny"}]}', "/answers/0/interrupt_id"),
        (
            '{"answers": [{"interrupt_id": "r", "token": "t", "decision": "edit", "arguments": [1]}]}',
            "/answers/0/arguments",
        ),
        ('{"answers": [{"interrupt_id": "r", "token": "t", "decision": "deny", "by": "me"}]}', "/answers/0/by"),
    ],
)
def test_a_body_of_another_form_is_refused_with_the_place(body: str, pointer: str) -> None:
    """Reference D16d: a bad body was answered 200 with an error frame; here it is a refusal that says where."""
    with pytest.raises(BadRequestError) as refused:
        answers_request(body.encode())
    assert refused.value.pointer == pointer
