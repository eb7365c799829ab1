r"""Scripts as text: one step a line.

In: text. Out: turns, or every line that cannot be read and what was expected there. Blank lines and lines that begin
with `#` say nothing.

    think: Let me| add.               thinking; `|` cuts it into pieces
    text: The answer| is 3.           text; blanks beside `|` are part of it
    whole: The answer is 3.           text that comes only with the end of the turn
    call: add id=c1 cut=3 {"a": 1}    a call: name, then options, then argument text as it is, sound or not
    more: 0 , "b": 2}                 more argument text of a call that was begun, counted from 0
    usage: 10 5 cached=2              input and output tokens; also created=, reasoning=, total=
    finish: length                    the provider's label; by content where it is left out
    payload: {"seal": "s1"}           what the adapter has back with this turn, as JSON
    damage: two calls in one          the calls of the turn cannot be told apart
    quiet                             bytes that mean nothing
    gate: go                          wait until the gate is opened
    eof                               the stream ends without a finish
    error: busy retry_after=2         also refused, garbled, timeout, unavailable; status=
    raise: words                      an error that no adapter should raise
    hang                              nothing more comes
    ---                               the next turn
    --- again                         the same turn, asked once more

One blank after the colon is not part of the text. In thinking and text, `\|`, `\\`, `\n`, `\r`, `\t`, `\s` (a blank)
and `\uXXXX` stand for what they name. A name with blanks stands in quotes, as in JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from treadle.adapters.models.scripted.steps import (
    Attempt,
    Called,
    Carried,
    Continued,
    Fault,
    FaultKind,
    Finished,
    Gate,
    Quiet,
    Said,
    ScriptedTurn,
    Step,
    Unclear,
    Used,
    Whole,
    turn,
)
from treadle.errors import PlanError
from treadle.values.model import TEXT, THINKING, StopReason
from treadle.values.usage import UsageDelta

NEXT_TURN: Final = "---"
NEXT_ATTEMPT: Final = "--- again"

_TOKEN: Final = re.compile(r"\\u([0-9a-fA-F]{4})|\\(.)|(\|)|([^\\|]+)|(\\)", re.DOTALL)
_ESCAPES: Final = {"|": "|", "\\": "\\", "n": "\n", "r": "\r", "t": "\t", "s": " "}
_ESCAPED: Final = str.maketrans({sign: f"\\{name}" for name, sign in _ESCAPES.items()})
_CALL: Final = re.compile(r'("(?:[^"\\]|\\.)*"|\S+)((?:[ \t]+(?:id|cut)=\S*)*)(?:[ \t]+(.*))?', re.DOTALL)
_MORE: Final = re.compile(r"([0-9]{1,6}) (.+)", re.DOTALL)
_COUNTS: Final = {
    "cached": "cache_read_tokens",
    "created": "cache_creation_tokens",
    "reasoning": "reasoning_tokens",
    "total": "total_tokens",
}
_ERROR_KINDS: Final = ("busy", "refused", "garbled", "timeout", "unavailable")


def parse_script(script: str) -> tuple[ScriptedTurn, ...]:
    """The turns of a script.

    Raises:
        PlanError: Some lines cannot be read; each problem names its line and what was expected.
    """
    problems: list[str] = []
    turns: list[list[Attempt]] = []
    for marker, lines in _blocks(script):
        attempt, found = _attempt(lines)
        problems += found
        if marker == NEXT_ATTEMPT:
            turns[-1].append(attempt)
        else:
            turns.append([attempt])
    if problems:
        raise PlanError(tuple(problems))
    return tuple(ScriptedTurn(attempts=tuple(attempts)) for attempts in turns)


def escaped(text: str) -> str:
    """The text as it stands in a `text:` or `think:` line, so that it is read as one piece."""
    return "".join(_escaped(sign) for sign in text)


class _UnreadError(ValueError):
    """A line says something else than what its word asks for. The text is what was expected."""


def _blocks(script: str) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """The lines of each attempt with their numbers, and the marker above them; the first has none."""
    marker = ""
    lines: list[tuple[int, str]] = []
    at = 0
    for at, line in enumerate(script.split("\n"), start=1):
        line = line.removesuffix("\r")  # noqa: PLW2901 (the same line without what some editors add)
        if line.strip() in (NEXT_TURN, NEXT_ATTEMPT):
            yield marker, lines or [(at, "")]
            marker, lines = line.strip(), []
        elif line.strip() and not line.startswith("#"):
            lines.append((at, line))
    yield marker, lines or [(at, "")]


def _attempt(lines: list[tuple[int, str]]) -> tuple[Attempt, list[str]]:
    steps: list[Step] = []
    problems: list[str] = []
    for at, line in lines:
        try:
            steps.append(_step(line))
        except ValueError as error:
            problems.append(f"script line {at}: {error}")
    if not problems:
        try:
            turn(*steps)
        except ValueError as error:
            problems.append(f"script, turn of line {lines[0][0]}: {error}")
    return tuple(steps), problems


def _step(line: str) -> Step:
    word, colon, rest = line.partition(":")
    if not line.strip():
        raise _UnreadError("expected a step, came the end of the turn")
    read = _WORDS.get(word.strip())
    if read is None:
        raise _UnreadError(f"expected one of {', '.join(_WORDS)}, came {word.strip()!r}")
    return read(rest.removeprefix(" ") if colon else "")


def _said(kind: str) -> Callable[[str], Step]:
    def read(text: str) -> Step:
        pieces = _pieces(text)
        if not all(pieces):
            raise _UnreadError(f"expected text, and between two `|` too, came {text!r}")
        return Said(kind=kind, pieces=tuple(pieces))

    return read


def _pieces(text: str) -> list[str]:
    pieces = [""]
    for code, sign, cut, plain, _ in _TOKEN.findall(text):
        if cut:
            pieces.append("")
        elif code:
            pieces[-1] += chr(int(code, 16))
        elif plain:
            pieces[-1] += plain
        elif sign in _ESCAPES:
            pieces[-1] += _ESCAPES[sign]
        else:
            raise _UnreadError(f"expected one of {' '.join(_ESCAPES)} or uXXXX after a backslash, came {sign!r}")
    return pieces


def _called(text: str) -> Step:
    match = _CALL.fullmatch(text.lstrip())
    if match is None:
        raise _UnreadError(f"expected a name, options and argument text, came {text!r}")
    name = match[1]
    if name.startswith('"'):
        name = _json(name)
    options = dict(option.split("=", 1) for option in match[2].split())
    return Called(
        name=name,
        arguments=match[3] or "",
        provider_id=options.get("id", ""),
        cut=_number(options.get("cut", "1"), "cut"),
    )


def _continued(text: str) -> Step:
    match = _MORE.fullmatch(text)
    if match is None:
        raise _UnreadError(f"expected the number of a call and argument text, came {text!r}")
    return Continued(slot=int(match[1]), text=match[2])


def _used(text: str) -> Step:
    plain, options = _options(text, _COUNTS)
    if len(plain) > 2 or not (plain or options):
        raise _UnreadError(f"expected input and output tokens, came {text!r}")
    counts = {name: _number(count, name) for name, count in zip(("input_tokens", "output_tokens"), plain, strict=False)}
    counts |= {_COUNTS[name]: _number(count, name) for name, count in options.items()}
    told: dict[str, Any] = {**counts, "reported": frozenset(counts)}
    return Used(usage=UsageDelta(**told))


def _finished(text: str) -> Step:
    if text.strip() not in set(StopReason):
        raise _UnreadError(f"expected one of {', '.join(StopReason)}, came {text!r}")
    return Finished(reason=StopReason(text.strip()))


def _error(text: str) -> Step:
    plain, options = _options(text, ("retry_after", "status"))
    if len(plain) != 1 or plain[0] not in _ERROR_KINDS:
        raise _UnreadError(f"expected one of {', '.join(_ERROR_KINDS)}, came {text!r}")
    status = options.get("status")
    return Fault(
        kind=FaultKind(plain[0]),
        status=None if status is None else _number(status, "status"),
        retry_after_s=_seconds(options["retry_after"]) if "retry_after" in options else None,
    )


def _needed(make: Callable[[str], Step], what: str) -> Callable[[str], Step]:
    def read(text: str) -> Step:
        if not text.strip():
            raise _UnreadError(f"expected {what}, came nothing")
        return make(text)

    return read


def _alone(step: Step) -> Callable[[str], Step]:
    def read(text: str) -> Step:
        if text.strip():
            raise _UnreadError(f"expected nothing after the word, came {text!r}")
        return step

    return read


def _options(text: str, known: Mapping[str, str] | tuple[str, ...]) -> tuple[list[str], dict[str, str]]:
    words = text.split()
    options = dict(word.split("=", 1) for word in words if "=" in word)
    if unknown := sorted(set(options) - set(known)):
        raise _UnreadError(f"expected options of {', '.join(known)}, came {', '.join(unknown)}")
    return [word for word in words if "=" not in word], options


def _number(text: str, what: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise _UnreadError(f"expected a number for {what}, came {text!r}")
    return int(text)


def _seconds(text: str) -> float:
    if not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text, re.ASCII):
        raise _UnreadError(f"expected seconds for retry_after, came {text!r}")
    return float(text)


def _json(text: str) -> Any:  # noqa: ANN401 (any JSON)
    try:
        return json.loads(text)
    except ValueError as error:
        raise _UnreadError(f"expected JSON, came {text!r}") from error


def _escaped(sign: str) -> str:
    if sign in "|\\\n\r\t":
        return sign.translate(_ESCAPED)
    return sign if sign.isprintable() or ord(sign) > 0xFFFF else f"\\u{ord(sign):04x}"


_WORDS: Final[Mapping[str, Callable[[str], Step]]] = {
    "think": _said(THINKING),
    "text": _said(TEXT),
    "whole": _needed(lambda text: Whole(text="".join(_pieces(text))), "text"),
    "call": _needed(_called, "a name, options and argument text"),
    "more": _continued,
    "usage": _used,
    "finish": _finished,
    "payload": lambda text: Carried(payload=_json(text)),
    "damage": _needed(lambda text: Unclear(damage=text), "words for the model"),
    "quiet": _alone(Quiet()),
    "gate": _needed(lambda text: Gate(name=text.strip()), "the name of a gate"),
    "eof": _alone(Fault(kind=FaultKind.EOF)),
    "error": _error,
    "raise": lambda text: Fault(kind=FaultKind.RAISE, words=text),
    "hang": _alone(Fault(kind=FaultKind.HANG)),
}
