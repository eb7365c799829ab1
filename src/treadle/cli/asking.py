"""What a run waits for, put to the person at this terminal: what is asked, whole, and what they say, as an answer.

In: an open pause, and what reads a line after a prompt. Out: an answer, or None where they leave it open. A line that
is no answer is asked for again; only what the run itself would refuse is refused.

Source: docs/cli.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from treadle.cli.diagnostics import complain
from treadle.cli.foreign_text import block, line
from treadle.codec.foreign import json_text, json_value
from treadle.runtime.open_pauses import OpenPause
from treadle.values.pauses import Answer, Decision, PauseKind

Read = Callable[[str], str | None]
"""Gives the next line after a prompt; None where there are no more."""

LEAVE: Final = "leave it open"
_APPROVAL: Final = "approve, deny, edit, cancel, or nothing to leave it open: "
_VALUE: Final = "the answer as JSON, deny, cancel, or nothing to leave it open: "


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
    match pause.kind:
        case PauseKind.APPROVAL:
            return _leave(pause, read)
        case PauseKind.ASK_USER:
            return _choices(pause, read)
        case _:
            return _value(pause, read)


def _leave(pause: OpenPause, read: Read) -> Answer | None:
    while word := _said(read, _APPROVAL):
        decision = _decision(word, (Decision.APPROVE, Decision.DENY, Decision.EDIT, Decision.CANCEL))
        if decision is Decision.EDIT:
            arguments = _json(read("the arguments as JSON: "))
            if isinstance(arguments, dict):
                return _answer(pause, decision, arguments=arguments)
            complain("treadle: expected a JSON object")
        elif decision is not None:
            return _answer(pause, decision, reason=_reason(read, decision))
        else:
            complain(f"treadle: expected one of {_APPROVAL.removesuffix(': ')}")
    return None


def _value(pause: OpenPause, read: Read) -> Answer | None:
    while word := _said(read, _VALUE):
        decision = _decision(word, (Decision.DENY, Decision.CANCEL))
        if decision is not None:
            return _answer(pause, decision, reason=_reason(read, decision))
        value = _json(word)
        if value is not _NOTHING:
            return _answer(pause, Decision.ANSWER, value=value)
        complain(f"treadle: expected {_VALUE.removesuffix(': ')}")
    return None


def _choices(pause: OpenPause, read: Read) -> Answer | None:
    chosen: dict[str, Any] = {}
    for question in pause.request["questions"]:
        options = question["options"]
        own = ", or other words" if question["allow_other"] else ""
        many = "numbers or labels, a comma between them" if question["multi_select"] else "a number or a label"
        prompt = f"{line(question['header'])} ({many}{own}; nothing to leave it open): "
        while True:
            word = _said(read, prompt)
            if not word:
                return None
            found = _chosen(word, options, is_many=question["multi_select"])
            if found is None and question["allow_other"]:
                found = {"other": word}
            if found is not None:
                chosen[question["question_id"]] = found
                break
            complain(f"treadle: expected {many}{own}")
    return _answer(pause, Decision.ANSWER, value=chosen)


def _chosen(word: str, options: Sequence[Mapping[str, Any]], *, is_many: bool) -> dict[str, Any] | None:
    """The labels that somebody means by numbers from 1, or by the labels themselves."""
    labels = [option["label"] for option in options]
    if word in labels:
        return {"chosen": [word]}
    found = []
    for part in word.split(",") if is_many else [word]:
        name = part.strip()
        is_number = name.isascii() and name.isdecimal() and 0 < int(name[:3]) <= len(labels)
        label = labels[int(name[:3]) - 1] if is_number else name
        if label not in labels:
            return None
        found.append(label)
    return {"chosen": found}


def _answer(pause: OpenPause, decision: Decision, **more: Any) -> Answer:  # noqa: ANN401 (fields of an answer)
    return Answer(interrupt_id=pause.interrupt_id, token=pause.token, decision=decision, **more)


def _decision(word: str, may: Sequence[Decision]) -> Decision | None:
    """The decision that a word begins."""
    found = [decision for decision in may if decision.value.startswith(word.lower())]
    return found[0] if len(found) == 1 else None


def _reason(read: Read, decision: Decision) -> str | None:
    return _said(read, "why, in words for the model, or nothing: ") or None if decision is Decision.DENY else None


_NOTHING: Final = object()


def _json(text: str | None) -> Any:  # noqa: ANN401 (JSON, or the one object that is none)
    try:
        return json.loads(text or "")
    except ValueError:
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
