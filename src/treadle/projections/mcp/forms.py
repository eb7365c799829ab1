"""Open pauses as forms that a client shows its user, and what comes back as answers.

In: a pause as a mount may know it. Out: words and a flat schema; and from what was filled in, an answer. A form can say
less than the schema of an answer: what it cannot say is held against the answer all the same, by whoever takes it.

Shape: questions have a field each, named by the question; leave to run a call is one boolean, and why not; what fits no
    form is a text that holds JSON.

Source: docs/protocols/mcp.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Protocol

from treadle.codec.foreign import json_terms
from treadle.errors import BadAnswerError
from treadle.projections.mcp.fields import fields_of, filled_in
from treadle.values.ids import InterruptId
from treadle.values.mappings import Json, thawed
from treadle.values.pauses import Answer, Decision, PauseKind

APPROVED: Final = "approved"
"""The field of a form that asks for leave: yes or no."""
REASON: Final = "reason"
"""The other one, which may be left empty: why not."""
OTHER: Final = "_other"
"""Behind a question's name: the field for an answer in other words."""

_TURNING: Final = {
    code: f"\\u{code:04x}" for code in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}
"""Signs that turn the direction of text: what a person consents to is read in the order in which it is run."""


class Asked(Protocol):
    """A pause, be it as an event holds it or as it is looked up."""

    @property
    def interrupt_id(self) -> InterruptId: ...
    @property
    def kind(self) -> PauseKind: ...
    @property
    def request(self) -> Mapping[str, Any]: ...
    @property
    def response_schema(self) -> Mapping[str, Any]: ...


class Action(StrEnum):
    """What a user did with a form."""

    ACCEPT = "accept"
    DECLINE = "decline"
    CANCEL = "cancel"


@dataclass(frozen=True, slots=True, kw_only=True)
class Elicited:
    """What came back for one form. `content` is of use with `accept` alone."""

    action: Action
    content: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Form:
    """What a client asks its user."""

    message: str
    schema: Mapping[str, Any]


def form_of(pending: Asked, *, with_lists: bool) -> Form:
    """A pause as a form.

    Args:
        with_lists: Whether a field may take more than one choice; without it each choice is a field.
    """
    message, schema = _FORMS[pending.kind](pending, with_lists)
    return Form(message.translate(_TURNING), schema)


def answer_of(said: Elicited, pending: Asked, token: str) -> Answer:
    """What a user says to a pause by what they did with its form.

    Raises:
        BadAnswerError: The form was filled in with what is no answer.
    """
    decision, named = _DECISIONS[said.action], pending.interrupt_id
    if decision is not Decision.ANSWER:
        return Answer(interrupt_id=named, token=token, decision=decision)
    if pending.kind is PauseKind.APPROVAL:
        decision, reason = _leave_given(said.content, pending)
        return Answer(interrupt_id=named, token=token, decision=decision, reason=reason)
    return Answer(interrupt_id=named, token=token, decision=decision, value=_answered(said.content, pending))


_DECISIONS: Final[Mapping[Action, Decision]] = {
    Action.ACCEPT: Decision.ANSWER,
    Action.DECLINE: Decision.DENY,
    Action.CANCEL: Decision.CANCEL,
}


# What is asked.


def _questions(pending: Asked, with_lists: bool) -> tuple[str, Mapping[str, Any]]:  # noqa: FBT001 (one of a table)
    questions = pending.request["questions"]
    properties: dict[str, Any] = {}
    required: list[str] = []
    for question in questions:
        name = question["question_id"]
        properties |= _question_fields(question, with_lists)
        if not question["allow_other"] and name in properties:
            required.append(name)
    message = "\n".join(str(question["text"]) for question in questions)
    return message, {"type": "object", "properties": properties, "required": required}


def _question_fields(question: Mapping[str, Any], with_lists: bool) -> dict[str, Any]:  # noqa: FBT001 (handed on)
    name, labels = question["question_id"], [option["label"] for option in question["options"]]
    told = {"title": question["header"], "description": _told(question)}
    fields: dict[str, Any]
    if not question["multi_select"]:
        fields = {name: {"type": "string", **told, "enum": labels}}
    elif with_lists:
        least = 0 if question["allow_other"] else 1
        items = {"type": "string", "enum": labels}
        fields = {name: {"type": "array", **told, "items": items, "minItems": least, "maxItems": len(labels)}}
    else:
        fields = {
            f"{name}_{number}": {"type": "boolean", "title": label, "description": told["description"]}
            for number, label in enumerate(labels, 1)
        }
    if question["allow_other"]:
        other = "In other words, where none of the choices fits."
        fields[f"{name}{OTHER}"] = {"type": "string", "title": f"{question['header']}: other", "description": other}
    return fields


def _told(question: Mapping[str, Any]) -> str:
    """A question with what its choices mean."""
    meanings = [f"{one['label']}: {one['description']}" for one in question["options"] if one["description"]]
    return "\n".join([str(question["text"]), *meanings])


def _leave(pending: Asked, _: bool) -> tuple[str, Mapping[str, Any]]:  # noqa: FBT001 (one of a table)
    request = pending.request
    fields = {
        APPROVED: {"type": "boolean", "title": "Approve", "description": "Let it run with exactly these arguments."},
        REASON: {"type": "string", "title": "Reason", "description": "Why not, in words for the agent."},
    }
    schema = {"type": "object", "properties": fields, "required": [APPROVED]}
    return f"May {request['name']} run with these arguments?\n{_indented(request['arguments'])}", schema


def _result(pending: Asked, _: bool) -> tuple[str, Mapping[str, Any]]:  # noqa: FBT001 (one of a table)
    request = pending.request
    message = f"The result of {request['name']} is wanted, for these arguments:\n{_indented(request['arguments'])}"
    return message, fields_of(pending.response_schema).schema


def _interrupt(pending: Asked, _: bool) -> tuple[str, Mapping[str, Any]]:  # noqa: FBT001 (one of a table)
    name, payload = pending.request["name"], pending.request["payload"]
    shown = "" if payload is None else f"\n{payload if isinstance(payload, str) else _indented(payload)}"
    return f"{name}{shown}", fields_of(pending.response_schema).schema


_FORMS: Final[Mapping[PauseKind, Callable[[Asked, bool], tuple[str, Mapping[str, Any]]]]] = {
    PauseKind.ASK_USER: _questions,
    PauseKind.APPROVAL: _leave,
    PauseKind.FRONT_END: _result,
    PauseKind.INTERRUPT: _interrupt,
}


def _indented(value: object) -> str:
    return json.dumps(thawed(json_terms(value)), indent=2, ensure_ascii=False)


# What came back.


def _leave_given(content: Mapping[str, Json], pending: Asked) -> tuple[Decision, str | None]:
    leave, reason = content.get(APPROVED), content.get(REASON) or None
    if not isinstance(leave, bool):
        raise BadAnswerError(((pending.interrupt_id, f"expected {APPROVED!r}: true or false"),))
    if reason is not None and not isinstance(reason, str):
        raise BadAnswerError(((pending.interrupt_id, f"expected {REASON!r} to be text"),))
    return Decision.APPROVE if leave else Decision.DENY, reason


def _answered(content: Mapping[str, Json], pending: Asked) -> Json:
    if pending.kind is PauseKind.ASK_USER:
        return _chosen(content, pending)
    try:
        return filled_in(content, fields_of(pending.response_schema))
    except ValueError as wrong:
        raise BadAnswerError(((pending.interrupt_id, str(wrong)),)) from wrong


def _chosen(content: Mapping[str, Json], pending: Asked) -> Mapping[str, Json]:
    """What was chosen of each question. Fields that no question has are kept, so that they are refused and not lost."""
    left = dict(content)
    answers: dict[str, Json] = {}
    for question in pending.request["questions"]:
        name = question["question_id"]
        chosen = [*_said(left.pop(name, None)), *_ticked(left, question)]
        other = left.pop(f"{name}{OTHER}", None)
        if chosen or other not in (None, ""):
            answers[name] = {"chosen": chosen, **({} if other in (None, "") else {"other": other})}
    return {**left, **answers}


def _said(value: Json) -> list[Json]:
    if isinstance(value, list | tuple):
        return list(value)
    return [] if value in (None, "") else [value]


def _ticked(left: dict[str, Json], question: Mapping[str, Any]) -> Iterator[str]:
    """The choices of a question whose own fields say yes."""
    for number, option in enumerate(question["options"], 1):
        if left.pop(f"{question['question_id']}_{number}", False) is True:
            yield option["label"]
