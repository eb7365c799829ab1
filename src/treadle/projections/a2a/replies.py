"""A message on a task that waits, to what its user says to the pauses.

In: a message, and the pauses that are open, as its sender was shown them. Out: answers. Words answer one pause that
they fit without a guess; data answers any, in the form of docs/pauses.md. What an answer may be is held elsewhere.

Source: docs/protocols/a2a.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from treadle.projections.a2a.faults import Fault, FaultError
from treadle.projections.a2a.parse import Sent
from treadle.projections.a2a.reading import Members, wrong
from treadle.values.mappings import Json
from treadle.values.pauses import Answer, Decision, PauseKind, PendingInterrupt

_NAMES: Final = frozenset({"interrupt_id", "interruptId", "decision"})
"""What only an answer has: data with none of these is the bare value of one."""
_WORDS: Final = {decision.value: decision for decision in (Decision.APPROVE, Decision.DENY, Decision.CANCEL)}


def answers_of(sent: Sent, pending: Sequence[PendingInterrupt], tokens: Mapping[str, str]) -> tuple[Answer, ...]:
    """What a message says to pauses.

    Args:
        pending: Those that are open and may be answered here.
        tokens: Of those, for the sender, where the message holds none of its own.
    Raises:
        FaultError: It says nothing to them that could be taken, or not clearly to which.
    """
    tokens = {**tokens, **sent.tokens}
    reason = "\n\n".join(sent.texts) or None
    if sent.data:
        said = [one for data in sent.data for one in _said(data)]
        return tuple(_answer(members, pending, tokens, reason) for members in said)
    one = _only(pending, "words")
    decision, value = _FROM_WORDS[one.kind](one, (reason or "").strip())
    return (Answer(interrupt_id=one.interrupt_id, token=_token(one, tokens), decision=decision, value=value),)


def _said(data: Json) -> list[Members]:
    """The answers that one part holds: several, one, or the bare value of one."""
    if isinstance(data, Mapping) and data.keys() == {"answers"}:
        return Members(data).objects("answers")
    if isinstance(data, Mapping) and (_NAMES & data.keys() or data.keys() == {"value"}):
        return [Members(data)]
    return [Members({"value": data})]


def _answer(
    said: Members, pending: Sequence[PendingInterrupt], tokens: Mapping[str, str], reason: str | None
) -> Answer:
    named = said.name("interruptId")
    one = _only(pending, "an answer without interrupt_id") if not named else None
    decision = said.text("decision") or Decision.ANSWER.value
    if decision not in list(Decision):
        raise wrong(said.at("decision"), f"one of {', '.join(Decision)}", decision)
    arguments = said.members("arguments")
    known = next((pause for pause in pending if pause.interrupt_id == named), None) if one is None else one
    return Answer(
        interrupt_id=named if known is None else known.interrupt_id,
        token=said.text("token") or ("" if known is None else _token(known, tokens)),
        decision=Decision(decision),
        arguments=None if arguments is None else said.get("arguments"),
        value=said.get("value"),
        reason=said.text("reason") or reason,
    )


def _only(pending: Sequence[PendingInterrupt], what: str) -> PendingInterrupt:
    if len(pending) != 1:
        named = ", ".join(one.interrupt_id for one in pending)
        said = f"{what} can answer one pause, and {len(pending)} are open ({named}): send data with `answers`"
        raise FaultError(Fault.INVALID_PARAMS, said, pointer="/message/parts")
    return pending[0]


def _token(one: PendingInterrupt, tokens: Mapping[str, str]) -> str:
    return tokens.get(one.interrupt_id, "")


# Words. Each takes a pause and what was said, and gives the decision and its value.


def _to_question(one: PendingInterrupt, words: str) -> tuple[Decision, Json]:
    questions = one.request["questions"]
    if len(questions) != 1:
        said = f"{len(questions)} questions are asked: send data with a value for each id"
        raise FaultError(Fault.INVALID_PARAMS, said, pointer="/message/parts")
    (asked,) = questions
    labels = {option["label"].casefold(): option["label"] for option in asked["options"]}
    chosen = labels.get(words.casefold())
    return Decision.ANSWER, {asked["question_id"]: {"other": words} if chosen is None else {"chosen": [chosen]}}


def _to_approval(_: PendingInterrupt, words: str) -> tuple[Decision, Json]:
    decision = _WORDS.get(words.casefold())
    if decision is None:
        said = f"leave to run a call is given in one word: {', '.join(_WORDS)}; or send data with a `decision`"
        raise FaultError(Fault.INVALID_PARAMS, said, pointer="/message/parts")
    return decision, None


def _to_schema(one: PendingInterrupt, words: str) -> tuple[Decision, Json]:
    kinds = one.response_schema.get("type", "string")
    if kinds == "string" or (isinstance(kinds, list | tuple) and "string" in kinds):
        return Decision.ANSWER, words
    try:
        return Decision.ANSWER, json.loads(words)
    except (ValueError, RecursionError):
        said = "the answer is no text: send it as data, or as JSON"
        raise FaultError(Fault.INVALID_PARAMS, said, pointer="/message/parts") from None


_FROM_WORDS: Final[Mapping[PauseKind, Callable[[PendingInterrupt, str], tuple[Decision, Any]]]] = {
    PauseKind.ASK_USER: _to_question,
    PauseKind.APPROVAL: _to_approval,
    PauseKind.INTERRUPT: _to_schema,
    PauseKind.FRONT_END: _to_schema,
}
