"""What a run waits for, put to the person at this terminal: what is asked, whole, and what they say, as an answer.

In: an open pause, and what reads a line after a prompt. Out: an answer, or None where they leave it open. A line that
is no answer is asked for again; only what the run itself would refuse is refused.

Source: docs/cli.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from treadle.cli.diagnostics import complain
from treadle.cli.foreign_text import block, line
from treadle.cli.schema_words import is_text, words_of
from treadle.codec.foreign import json_text, json_value
from treadle.errors import BadAnswerError
from treadle.runtime.answer_check import resolution_of
from treadle.runtime.open_pauses import OpenPause
from treadle.values.pauses import Answer, Decision, PauseKind, PendingInterrupt

Read = Callable[[str], str | None]
"""Gives the next line after a prompt; None where there are no more."""

_OPEN: Final = "or nothing to leave it open"
_APPROVAL: Final = f"approve, deny, edit, cancel, {_OPEN}: "
_YES: Final = ("y", "yes")
_ALWAYS: Final = (Decision.DENY, Decision.CANCEL)
LONGEST_NUMBER: Final = 3
_NUMBER: Final = re.compile(r"[+-]?[0-9]+")


def shown(pause: OpenPause) -> str:
    """What is asked, for people. Nothing of what they decide about is cut off."""
    request = pause.request
    match pause.kind:
        case PauseKind.APPROVAL:
            return f"leave to call {_whole(request['name'])} with {_whole(request['arguments'])}\n"
        case PauseKind.FRONT_END:
            return f"the result of {_whole(request['name'])} with {_whole(request['arguments'])}\n"
        case PauseKind.INTERRUPT:
            return f"{_whole(request['name'])}: {_whole(request['payload'])}\n"
        case PauseKind.ASK_USER:
            return "".join(_question(question) for question in request["questions"])


def put(pause: OpenPause, read: Read) -> Answer | None:
    """Ask until there is an answer, or the person leaves it open."""
    ask = {PauseKind.APPROVAL: _leave, PauseKind.ASK_USER: _choices}.get(pause.kind, _value)
    while (answer := ask(pause, read)) is not None:
        try:
            resolution_of(_as_asked(pause), answer, lambda *_: None)
        except BadAnswerError as bad:
            for one in bad.problems:
                complain(f"treadle: {one.problem}")
        else:
            return answer
    return None


def _leave(pause: OpenPause, read: Read) -> Answer | None:
    while word := _said(read, _APPROVAL):
        found = _decision(word, (Decision.APPROVE, Decision.DENY, Decision.EDIT, Decision.CANCEL))
        match found:
            case None:
                complain(f"treadle: expected one of {_APPROVAL.removesuffix(': ')}")
            case Decision.EDIT, rest:
                arguments = _json(rest or read("the arguments as JSON: "))
                if isinstance(arguments, dict):
                    return _answer(pause, Decision.EDIT, arguments=arguments)
                complain("treadle: edit takes all arguments of the call as a JSON object; nothing was decided")
            case decision, rest:
                if (answer := _settled(pause, read, decision, rest)) is not None:
                    return answer
    return None


def _value(pause: OpenPause, read: Read) -> Answer | None:
    schema = pause.response_schema
    text = is_text(schema)
    wanted = f"the answer{'' if text else ' as JSON'} ({words_of(schema)})"
    while word := _said(read, f"{wanted}; deny, cancel, {_OPEN}: "):
        found = _decision(word, _ALWAYS, in_full=text)
        if found is not None and (not text or _is_meant(read, *found)):
            if (answer := _settled(pause, read, *found)) is not None:
                return answer
            continue
        value = _json(word)
        if text and not isinstance(value, str):
            value = word
        if value is not _NOTHING:
            return _answer(pause, Decision.ANSWER, value=value)
        complain(f"treadle: expected {wanted}; deny or cancel")
    return None


def _choices(pause: OpenPause, read: Read) -> Answer | None:
    chosen: dict[str, Any] = {}
    for question in pause.request["questions"]:
        found = _choice(pause, question, read)
        if not isinstance(found, dict):
            return found
        chosen[question["question_id"]] = found
    return _answer(pause, Decision.ANSWER, value=chosen)


def _choice(pause: OpenPause, question: Mapping[str, Any], read: Read) -> dict[str, Any] | Answer | None:
    """What is chosen of one question; an answer where all of them are settled with it; None: they are left open."""
    own = question["allow_other"]
    many = "numbers or labels, a comma between them" if question["multi_select"] else "a number or a label"
    many = f"{many}, or other words" if own else many
    while word := _said(read, f"{line(question['header'])} ({many}; deny, cancel, {_OPEN}): "):
        if (chosen := _chosen(word, question)) is not None:
            return {"chosen": chosen}
        found = _decision(word, _ALWAYS, in_full=True)
        if found is not None and (not own or _is_meant(read, *found)):
            if (answer := _settled(pause, read, *found)) is not None:
                return answer
        elif own and (not _tries_to_choose(word, question) or _is_own(read)):
            return {"other": word}
        else:
            count = len(question["options"])
            complain(f"treadle: expected {many}; the numbers are 1 to {count}; deny or cancel")
    return None


def _settled(pause: OpenPause, read: Read, decision: Decision, rest: str) -> Answer | None:
    """The answer that a decision is, with the reason of a no; None where more was said than it takes."""
    if decision is Decision.DENY:
        reason = rest or _said(read, "why, in words for the model, or nothing: ")
        return _answer(pause, decision, reason=reason or None)
    if rest:
        complain(f"treadle: {decision.value} takes nothing after it; nothing was decided")
        return None
    return _answer(pause, decision)


def _is_meant(read: Read, decision: Decision, rest: str) -> bool:
    """Whether a line that begins with a decision is one, where it might be an answer in a person's own words."""
    if not rest:
        return True
    prompt = f"{decision.value}, and the rest is the reason? yes, or nothing to take the line as your answer: "
    return _said(read, prompt).lower() in _YES


def _is_own(read: Read) -> bool:
    """Whether a line that looks like a choice, and is none of the options, is an answer in other words."""
    prompt = "there is no such option: are these your own words? yes, or nothing to choose again: "
    return _said(read, prompt).lower() in _YES


def _chosen(word: str, question: Mapping[str, Any]) -> list[str] | None:
    """The labels that somebody means by numbers from 1, or by the labels themselves."""
    labels = [option["label"] for option in question["options"]]
    if word in labels:
        return [word]
    found = [_label(part.strip(), labels) for part in (word.split(",") if question["multi_select"] else [word])]
    return None if None in found else [label for label in found if label is not None]


def _tries_to_choose(word: str, question: Mapping[str, Any]) -> bool:
    """Whether anything of a line is a number or a label."""
    labels = [option["label"] for option in question["options"]]
    parts = [part.strip() for part in word.split(",")]
    return any(_NUMBER.fullmatch(part) or part in labels for part in parts)


def _label(part: str, labels: Sequence[str]) -> str | None:
    if part in labels:
        return part
    is_number = part.isascii() and part.isdecimal() and len(part) <= LONGEST_NUMBER and 0 < int(part) <= len(labels)
    return labels[int(part) - 1] if is_number else None


def _as_asked(pause: OpenPause) -> PendingInterrupt:
    """The pause as far as an answer is held against it."""
    return PendingInterrupt(
        interrupt_id=pause.interrupt_id,
        kind=pause.kind,
        call_id=pause.call_id,
        request=pause.request,
        response_schema=pause.response_schema,
    )


def _answer(pause: OpenPause, decision: Decision, **more: Any) -> Answer:  # noqa: ANN401 (fields of an answer)
    return Answer(interrupt_id=pause.interrupt_id, token=pause.token, decision=decision, **more)


def _decision(word: str, may: Sequence[Decision], *, in_full: bool = False) -> tuple[Decision, str] | None:
    """The decision that the first word of a line begins, or is, and the rest of the line."""
    first, _, rest = word.partition(" ")
    said = first.lower()
    found = [one for one in may if (one.value == said if in_full else one.value.startswith(said))]
    return (found[0], rest.strip()) if len(found) == 1 else None


_NOTHING: Final = object()


def _json(text: str | None) -> Any:  # noqa: ANN401 (JSON, or the one object that is none)
    try:
        return json.loads(text or "")
    except (ValueError, RecursionError):
        return _NOTHING


def _said(read: Read, prompt: str) -> str:
    return (read(prompt) or "").strip()


def _question(question: Mapping[str, Any]) -> str:
    lines = [block(question["text"])]
    for number, option in enumerate(question["options"], 1):
        more = f": {line(option['description'])}" if option["description"] else ""
        lines.append(f"  {number}. {line(option['label'])}{more}")
    return "\n".join(lines) + "\n"


def _whole(value: object) -> str:
    text = value if isinstance(value, str) else json_text(json_value(value))
    return line(text, longest_chars=len(text))
