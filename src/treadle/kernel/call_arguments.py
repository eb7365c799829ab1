"""The argument text of a call to its arguments, or to the reason why it must not run.

In: text as a model wrote it. Out: a mapping, or words for the model. Nothing is repaired and no value is changed: what
is not one JSON object is damage. Knows nothing of tools and their schemas.

Source: RFC 8259.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import isinf
from typing import Any, Final, NoReturn

from treadle.framing.surrogates import whole_text

MAX_NESTING: Final = 64
"""How deep arguments may nest. Deeper ones are damage: no reader behind us has to recurse further."""
MAX_DIGITS: Final = 600
"""How long an integer may be. Longer ones are damage: not every reader behind us could take them exactly."""

_BLANKS: Final = " \t\n\r"
_MARKS: Final = re.compile(r'[\[\]{}"\\]')
_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
_KINDS: Final = {list: "a list", str: "a text", bool: "a boolean", int: "a number", float: "a number"}


class ObjectExtent:
    """How far a JSON object has come, told in pieces: counts brackets outside of texts, in linear time.

    Says where an object ends, not whether it is sound.
    """

    __slots__ = ("_depth", "_escaped", "_in_text", "deepest")

    def __init__(self) -> None:
        self._depth = 0
        self._in_text = False
        self._escaped = False  # the piece before ended in a backslash inside a text
        self.deepest = 0

    @property
    def whole(self) -> bool:
        """Whether an object was begun and has ended; whatever follows it but blanks is damage."""
        return self.deepest > 0 and self._depth <= 0

    def feed(self, text: str) -> None:
        """Take in the next piece."""
        if not text:
            return
        guarded = 0 if self._escaped else -1
        for match in _MARKS.finditer(text):
            at = match.start()
            if at == guarded:
                continue
            mark = text[at]
            if mark == "\\":
                guarded = at + 1
            elif mark == '"':
                self._in_text = not self._in_text
            elif not self._in_text:
                self._depth += 1 if mark in "{[" else -1
                self.deepest = max(self.deepest, self._depth)
        self._escaped = guarded == len(text)


def read_arguments(text: str) -> tuple[Mapping[str, Any], str | None]:
    """The arguments in a text and None, or nothing and why the call must not run.

    Shape:  no text, blanks and `null` are no arguments: an empty mapping. Integers are exact. Half a surrogate pair
            becomes U+FFFD.
    """
    stripped = text.strip(_BLANKS)
    if not stripped or stripped == "null":
        return {}, None
    if _too_deep(stripped):
        return {}, f"the arguments nest deeper than {MAX_NESTING} levels"
    try:
        value = json.loads(stripped, parse_constant=_refuse_constant, parse_float=_finite, parse_int=_exact)
    except json.JSONDecodeError as error:
        return {}, f"the arguments are not one JSON object: {error.msg.lower()} at character {error.pos}"
    except _NotANumberError as error:
        return {}, f"the arguments hold a number that cannot be read: {error}"
    if not isinstance(value, dict):
        return {}, f"the arguments must be a JSON object, not {_KINDS.get(type(value), 'another value')}"
    return (_without_halves(value) if _HALF.search(stripped) else value), None


def begins_object(text: str) -> bool:
    """Whether a piece can be the beginning of an object."""
    return text.lstrip(_BLANKS).startswith("{")


def is_blank(text: str) -> bool:
    """Whether a piece says nothing in JSON."""
    return not text.strip(_BLANKS)


class _NotANumberError(ValueError):
    """A number that JSON cannot say, or that would not come through exactly. Its text is ours."""


def _too_deep(text: str) -> bool:
    if text.count("{") + text.count("[") <= MAX_NESTING:
        return False
    extent = ObjectExtent()
    extent.feed(text)
    return extent.deepest > MAX_NESTING


def _refuse_constant(token: str) -> NoReturn:
    raise _NotANumberError(f"{token} is not JSON")


def _finite(token: str) -> float:
    number = float(token)
    if isinf(number):
        raise _NotANumberError("it is too large")
    return number


def _exact(token: str) -> int:
    if len(token) > MAX_DIGITS:
        raise _NotANumberError(f"it has more than {MAX_DIGITS} digits")
    return int(token)


def _without_halves(value: Any) -> Any:  # noqa: ANN401 (any JSON value)
    match value:
        case str():
            return whole_text(value)
        case dict():
            return {whole_text(key): _without_halves(item) for key, item in value.items()}
        case list():
            return [_without_halves(item) for item in value]
        case _:
            return value
