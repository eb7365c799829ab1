"""The body of answers to pauses, as JSON, to what a person says.

In: bytes. Out: answers, each of a known decision, or a refusal that says where and why. What an answer may be is held
where the pause is known.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from treadle.server.start_request import read_body
from treadle.values.pauses import Answer, Decision


class AnswerRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said to one pause."""

    interrupt_id: str
    token: str
    decision: Literal["approve", "deny", "edit", "answer", "cancel"]
    arguments: dict[str, Any] | None = None
    value: Any = None
    reason: str | None = None


class AnswersRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said to pauses of one run: all of it is taken, or none."""

    answers: list[AnswerRequest]


def answers_request(body: bytes) -> tuple[Answer, ...]:
    """What a body says.

    Raises:
        BadRequestError: It holds no answers in this form. `pointer` says which part.
    """
    return tuple(
        Answer(
            interrupt_id=said.interrupt_id,
            token=said.token,
            decision=Decision(said.decision),
            arguments=said.arguments,
            value=said.value,
            reason=said.reason,
        )
        for said in read_body(body, AnswersRequest).answers
    )
