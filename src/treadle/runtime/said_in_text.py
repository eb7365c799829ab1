"""What is said to a pause in plain text, to an answer: for wires whose only word for it is the result of a call.

In: a pause, and a text. Out: an answer, which may still not fit; that is held elsewhere, as for every answer. Forms:

    approval    `approve`, `deny`, `deny: the reason`, `cancel`; or `{"decision": …, "arguments"?: …, "reason"?: …}`
    questions   `{"q1": …, "q2": …}`, or a list in the order of the questions; to one question its label or, where that
                is allowed, other words; or `{"decision": "deny" | "cancel", "reason"?: …}`
    the rest    JSON; what is no JSON, or where the form asks for text, the text itself

Source: docs/pauses.md.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, assert_never

from treadle.codec.foreign import json_value
from treadle.errors import BadAnswerError
from treadle.values.mappings import Json
from treadle.values.pauses import Answer, Decision, PauseKind, PendingInterrupt

_DECIDED: Final = frozenset({"decision", "reason", "arguments"})
_NOTHING: Final = object()


def answer_in_text(pause: PendingInterrupt, text: str, *, token: str) -> Answer:
    """What a text says to a pause as it was shown, with the token that came with it.

    Raises:
        BadAnswerError: It says nothing that could be an answer to a pause of this kind.
    """
    read = _json_of(text)
    match pause.kind:
        case PauseKind.APPROVAL:
            said = read if isinstance(read, str) else text
            fields = _decided(pause, read) if isinstance(read, Mapping) else _in_a_word(pause, said.strip())
        case PauseKind.ASK_USER:
            is_decision = isinstance(read, Mapping) and "decision" in read
            fields = _decided(pause, read) if is_decision else _value(_to_questions(pause, read, text))
        case PauseKind.INTERRUPT | PauseKind.FRONT_END:
            wants_text = pause.response_schema.get("type") == "string"
            is_value = read is not _NOTHING and (not wants_text or isinstance(read, str))
            fields = _value(read if is_value else text)
        case _:
            assert_never(pause.kind)
    return Answer(interrupt_id=pause.interrupt_id, token=token, **fields)


def _json_of(text: str) -> Any:  # noqa: ANN401 (JSON terms, or nothing)
    try:
        return json_value(json.loads(text))
    except (ValueError, RecursionError):
        return _NOTHING


def _value(said: Json) -> dict[str, Any]:
    return {"decision": Decision.ANSWER, "value": said}


def _decided(pause: PendingInterrupt, said: Mapping[str, Any]) -> dict[str, Any]:
    decision, reason, arguments = (said.get(name) for name in ("decision", "reason", "arguments"))
    fits = (reason is None or isinstance(reason, str)) and (arguments is None or isinstance(arguments, Mapping))
    if decision not in list(Decision) or not fits or not said.keys() <= _DECIDED:
        words = ", ".join(Decision)
        raise _refused(pause, f'expected {{"decision": one of {words}, "arguments"?: {{…}}, "reason"?: "…"}}')
    return {"decision": Decision(decision), "reason": reason, "arguments": arguments}


def _in_a_word(pause: PendingInterrupt, said: str) -> dict[str, Any]:
    word, colon, reason = (part.strip() for part in said.partition(":"))
    decision = {"approve": Decision.APPROVE, "deny": Decision.DENY, "cancel": Decision.CANCEL}.get(word.lower())
    if decision is None or (colon and decision is Decision.APPROVE):
        raise _refused(pause, "expected approve, deny, deny: the reason, cancel, or a decision as JSON")
    return {"decision": decision, "reason": reason or None}


def _to_questions(pause: PendingInterrupt, read: Json, text: str) -> Json:
    questions = pause.request["questions"]
    if isinstance(read, Mapping):
        return read
    if isinstance(read, list | tuple):
        if len(read) != len(questions):
            raise _refused(pause, f"expected {len(questions)} answers, one to each question, came {len(read)}")
        return {question["question_id"]: said for question, said in zip(questions, read, strict=True)}
    if len(questions) != 1:
        raise _refused(pause, f'expected answers to {len(questions)} questions, as {{"q1": …, "q2": …}} or as a list')
    (question,) = questions
    labels = [option["label"] for option in question["options"]]
    said = read if isinstance(read, str) and text not in labels else text
    is_own = said not in labels and question["allow_other"]
    return {question["question_id"]: {"other": said} if is_own else said}


def _refused(pause: PendingInterrupt, problem: str) -> BadAnswerError:
    return BadAnswerError(((pause.interrupt_id, problem),))
