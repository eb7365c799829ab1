"""What a person says to a pause, against what was asked: how the pause is settled, or what is wrong with the answer.

In: a pause, an answer. Out: a resolution. A question wants its answer exactly once, of labels it has; arguments are
held against the tool they are for. Knows nothing of tokens, stores and time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from treadle.codec.foreign import MAX_DEPTH, in_json_terms, json_bytes
from treadle.codec.json_schema import faults
from treadle.errors import AnswerProblem, BadAnswerError
from treadle.runtime.asking import LONGEST_OTHER
from treadle.values.mappings import Json
from treadle.values.pauses import Answer, Decision, PauseKind, PendingInterrupt, Resolution, Settlement

MAX_ANSWER_BYTES: Final = 256 * 1024
"""Bytes of JSON that one answer may have."""
LONGEST_REASON: Final = 1000

CheckArguments = Callable[[str, Mapping[str, Any]], str | None]
"""Why a tool of this name may not run with these arguments, in words; None where it may."""

_ALWAYS: Final = frozenset({Decision.DENY, Decision.CANCEL})
_MAY: Final[Mapping[PauseKind, frozenset[Decision]]] = {
    PauseKind.APPROVAL: _ALWAYS | {Decision.APPROVE, Decision.EDIT},
    PauseKind.ASK_USER: _ALWAYS | {Decision.ANSWER},
    PauseKind.INTERRUPT: _ALWAYS | {Decision.ANSWER},
    PauseKind.FRONT_END: _ALWAYS | {Decision.ANSWER},
}
"""What may be said to each kind of pause."""


def resolution_of(
    pending: PendingInterrupt, answer: Answer, check: CheckArguments, *, shown: PendingInterrupt | None = None
) -> Resolution:
    """How this answer settles this pause.

    Args:
        shown: The pause as it was shown, where that is another: questions are answered with the labels that were read,
            and what is wrong with an answer is told in no other words.
    Raises:
        BadAnswerError: It does not; all that is wrong is told.
    """
    read = (shown or pending).request.get("questions", ())
    problems = [*_form_problems(pending, answer)] or [*_content_problems(pending, answer, check, read)]
    if problems:
        raise BadAnswerError(tuple(AnswerProblem(pending.interrupt_id, problem) for problem in problems))
    settlement, value = Settlement.ANSWERED, None
    match answer.decision:
        case Decision.EDIT:
            value = answer.arguments
        case Decision.ANSWER:
            is_asked = pending.kind is PauseKind.ASK_USER
            value = _as_told(pending.request["questions"], read, answer.value) if is_asked else answer.value
        case Decision.DENY:
            settlement = Settlement.DECLINED
        case Decision.CANCEL:
            settlement = Settlement.CANCELLED
        case Decision.APPROVE:
            pass
    return Resolution(
        interrupt_id=pending.interrupt_id, settlement=settlement, value=value, reason=answer.reason or None
    )


def _form_problems(pending: PendingInterrupt, answer: Answer) -> Iterable[str]:
    """Whether this is an answer to this kind of pause at all."""
    if answer.decision not in _MAY[pending.kind]:
        may = ", ".join(sorted(_MAY[pending.kind]))
        yield f"a pause of kind {pending.kind.value!r} takes {may}, not {answer.decision.value!r}"
    if answer.decision is Decision.EDIT and answer.arguments is None:
        yield "the decision 'edit' needs `arguments`: all that the call is to run with, as an object"
    if answer.decision is not Decision.EDIT and answer.arguments is not None:
        yield f"`arguments` come with the decision 'edit', not with {answer.decision.value!r}"
    if answer.value is not None and answer.decision is not Decision.ANSWER:
        yield f"a `value` comes with the decision 'answer', not with {answer.decision.value!r}"
    if answer.reason is not None and not 0 < len(answer.reason) <= LONGEST_REASON:
        yield f"a reason has 1 to {LONGEST_REASON} characters, or is left out"
    said = answer.arguments if answer.decision is Decision.EDIT else answer.value
    if not in_json_terms(said, MAX_DEPTH):
        yield f"expected JSON of at most {MAX_DEPTH} levels, without NaN and infinite numbers"
    elif len(json_bytes(said)) > MAX_ANSWER_BYTES:
        yield f"an answer has at most {MAX_ANSWER_BYTES} bytes of JSON"


def _content_problems(
    pending: PendingInterrupt, answer: Answer, check: CheckArguments, read: Sequence[Mapping[str, Any]]
) -> Iterable[str]:
    if answer.arguments is not None:
        schema = pending.response_schema.get("properties", {}).get("arguments", {})
        wrong = [str(fault) for fault in faults(answer.arguments, schema)]
        damage = check(pending.request["name"], answer.arguments)
        yield from wrong or ([damage] if damage is not None else [])
    elif answer.decision is Decision.ANSWER and pending.kind is PauseKind.ASK_USER:
        yield from _question_problems(read, answer.value)
    elif answer.decision is Decision.ANSWER:
        yield from map(str, faults(answer.value, pending.response_schema))


# Answers to questions: a mapping from the question's id to `{"chosen": [labels], "other": "own words"}`; a label alone,
# or a list of labels, is short for that.


def _question_problems(questions: Iterable[Mapping[str, Any]], value: Json) -> Iterable[str]:
    if not isinstance(value, Mapping):
        yield "expected a mapping from each question's id to its answer"
        return
    known = {question["question_id"]: question for question in questions}
    yield from (f"there is no question {name!r:.40}" for name in value if name not in known)
    for name, question in known.items():
        if name not in value:
            yield f"question {name!r} has no answer"
        else:
            yield from (f"question {name!r}: {problem}" for problem in _choice_problems(question, value[name]))


def _choice_problems(question: Mapping[str, Any], said: Json) -> Iterable[str]:
    form = _whole(said)
    if form is None:
        yield 'expected a label, a list of labels, or {"chosen": [labels], "other": "own words"}'
        return
    chosen, other = form
    labels = [option["label"] for option in question["options"]]
    if any(label not in labels for label in chosen):
        yield f"there are the labels {labels!r}, and another one came"
    if len(set(chosen)) != len(chosen):
        yield "each label may be chosen once"
    if len(chosen) + (other is not None) > 1 and not question["multi_select"]:
        yield "one thing may be chosen"
    if other is not None and not question["allow_other"]:
        yield "an answer in other words is not allowed"
    if other is not None and not (other.strip() and len(other) <= LONGEST_OTHER):
        yield f"other words have 1 to {LONGEST_OTHER} characters"
    if not chosen and other is None:
        yield "nothing was chosen"


def _whole(said: Json) -> tuple[list[str], str | None] | None:
    """The labels and the own words of an answer, or None where it is none."""
    if isinstance(said, str):
        return [said], None
    if isinstance(said, list | tuple):
        said = {"chosen": said}
    if not isinstance(said, Mapping) or not said.keys() <= {"chosen", "other"}:
        return None
    chosen, other = said.get("chosen", ()), said.get("other")
    is_list = isinstance(chosen, list | tuple) and all(isinstance(label, str) for label in chosen)
    return (list(chosen), other) if is_list and (other is None or isinstance(other, str)) else None


def _as_told(
    questions: Sequence[Mapping[str, Any]], read: Sequence[Mapping[str, Any]], value: Mapping[str, Json]
) -> Json:
    """The answers as the model is told them: with their questions, whose ids it has never seen, and its own labels."""
    told = []
    for question, shown in zip(questions, read, strict=True):
        form = _whole(value[question["question_id"]])
        assert form is not None
        chosen, other = form
        pairs = zip(shown["options"], question["options"], strict=True)
        own_labels = {one["label"]: true["label"] for one, true in pairs}
        chosen = [own_labels[label] for label in chosen]
        own = {} if other is None else {"other": other}
        told.append({"question_id": question["question_id"], "question": question["text"], "chosen": chosen, **own})
    return {"answers": told}
