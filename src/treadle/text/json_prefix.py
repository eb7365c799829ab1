"""Text that may be the beginning of JSON: is it, and does it end inside a string.

In: text, piece by piece. Out: how far it can still be the beginning of one JSON value and a closing fence. Looser
than JSON in words and numbers, since the question is where strings begin and end; the reader of the whole is strict.
"""

from __future__ import annotations

import re
from typing import Final

from treadle.text.operations import MAX_DEPTH

_VALUE, _FIRST_VALUE, _KEY, _FIRST_KEY, _COLON, _NEXT, _END = range(7)

_blank: Final = re.compile(r"[ \t\r\n]++")
_inside: Final = re.compile(r'[^"\\\x00-\x1f]++')
_scalar: Final = re.compile(r"[-+.0-9Eaeflnrstu]++")
_STARTS_VALUE: Final = frozenset((_VALUE, _FIRST_VALUE))
_STARTS_KEY: Final = frozenset((_KEY, _FIRST_KEY))
_ESCAPED: Final = '"\\/bfnrtu'


class JsonPrefix:
    """Follow text for as long as it can be the beginning of JSON."""

    __slots__ = ("_escaped", "_expects", "_open", "_word", "in_string")

    def __init__(self) -> None:
        self.in_string = False
        self._escaped = False
        self._expects = _VALUE
        self._open: list[str] = []
        self._word = False

    def feed(self, text: str, at: int = 0) -> int:
        """Take text from `at` on.

        Shape:  where it stopped: the end of the text, or the first character that JSON cannot have there.
        """
        while at < len(text):
            after = self._within(text, at) if self.in_string else self._outside(text, at)
            if after == at:
                break
            at = after
        return at

    def _within(self, text: str, at: int) -> int:
        if self._escaped:
            if text[at] not in _ESCAPED:
                return at
            self._escaped = False
            return at + 1
        if plain := _inside.match(text, at):
            return plain.end()
        if text[at] == '"':
            self.in_string = False
        elif text[at] == "\\":
            self._escaped = True
        else:
            return at
        return at + 1

    def _outside(self, text: str, at: int) -> int:
        if blank := _blank.match(text, at):
            self._word = False
            return blank.end()
        if scalar := _scalar.match(text, at):
            return scalar.end() if self._takes_scalar() else at
        self._word = False
        return at + 1 if self._takes(text[at]) else at

    def _takes_scalar(self) -> bool:
        # More of a word or number where the text was cut inside it.
        if self._word:
            return True
        if self._expects not in _STARTS_VALUE:
            return False
        self._word = True
        self._settle_value()
        return True

    def _takes(self, character: str) -> bool:
        if character == '"':
            return self._takes_string()
        if character in "[{" and self._expects in _STARTS_VALUE:
            self._open.append("]" if character == "[" else "}")
            self._expects = _FIRST_VALUE if character == "[" else _FIRST_KEY
            return len(self._open) <= MAX_DEPTH
        if character in "]}" and self._open and self._open[-1] == character:
            return self._takes_closing()
        if character == ":" and self._expects == _COLON:
            self._expects = _VALUE
            return True
        if character == "," and self._expects == _NEXT:
            self._expects = _VALUE if self._open[-1] == "]" else _KEY
            return True
        return character == "`" and self._expects == _END

    def _takes_string(self) -> bool:
        if self._expects in _STARTS_KEY:
            self._expects = _COLON
        elif self._expects in _STARTS_VALUE:
            self._settle_value()
        else:
            return False
        self.in_string = True
        return True

    def _takes_closing(self) -> bool:
        if self._expects not in (_NEXT, _FIRST_VALUE, _FIRST_KEY):
            return False
        self._open.pop()
        self._settle_value()
        return True

    def _settle_value(self) -> None:
        self._expects = _NEXT if self._open else _END
