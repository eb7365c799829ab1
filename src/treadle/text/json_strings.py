"""JSON text with its strings changed by what they mean, as the text comes.

In: JSON text as it was cut. Out: JSON text in which the characters of each string, keys too, passed a filter of their
own. The filter sees characters, never escapes, and what it gives is written as JSON again. Knows no secret and no call.

Numbers, `true`, `false`, `null` and what stands between tokens pass as they are. Where the text is no JSON, it still
passes a filter: words that JSON does not have, to the next quote; a string in parts, around what it cannot have.
"""

from __future__ import annotations

import json
import re
from typing import Final

from treadle.text.automaton import Automaton
from treadle.text.surrogates import PairJoiner

SCALAR_LIMIT_CHARS: Final = 320
"""The longest word outside of strings that is held until its end shows if it is JSON. A longer number is let go."""

_content: Final = re.compile(r'(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})++')
_begun_escape: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_escape: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_between: Final = re.compile(r"[ \t\r\n\[\]{}:,]++")
_word: Final = re.compile(r"[-+.0-9Eaeflnrstu]++")
_more_digits: Final = re.compile(r"[-+.0-9Ee]++")
_to_quote: Final = re.compile(r'[^"]++')
_scalar: Final = re.compile(r"(?:true|false|null|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?)\Z")
_begun_number: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.(?:[0-9]++(?:[eE][-+]?[0-9]*+)?)?|[eE][-+]?[0-9]*+)?\Z")
_MEANING: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class JsonStrings:
    """Send the strings of JSON text through a filter each.

    The filter given is a pattern to copy. The output does not depend on how the input is cut.

    Shape:  of JSON text comes JSON text of the same value, its strings filtered; halves of surrogate pairs are joined
            or become U+FFFD. Characters are escaped only where JSON demands it, in the shortest form; text that is
            written so, and in which the filter changes nothing, comes out as it is.
            Held: what the filter holds, an escape that is not whole, and a word outside of strings up to the limit.
    """

    __slots__ = ("_astray", "_filter", "_held", "_in_long_number", "_in_string", "_joiner", "_looked_at_chars")

    def __init__(self, pattern: Automaton) -> None:
        self._joiner = PairJoiner()
        # As new at each flush, and flushed wherever a string ends.
        self._filter = pattern.fresh()
        self._looked_at_chars = 0
        self._restart()

    @property
    def looked_at_chars(self) -> int:
        """How many characters were looked at, by the filter too, each as often as it was. Tests read the cost."""
        return self._looked_at_chars + self._filter.looked_at_chars

    def feed(self, text: str) -> str:
        """Give what may be shown by now."""
        out: list[str] = []
        self._read(self._held + text, out, ended=False)
        return "".join(out)

    def flush(self) -> str:
        """Let go of what is held: the text has ended, wherever it stands. What comes next is another text."""
        out: list[str] = []
        self._read(self._held, out, ended=True)
        if self._in_string:
            self._end_content(out)
        elif self._astray:
            out.append(self._filter.flush())
        self._restart()
        return "".join(out)

    def _restart(self) -> None:
        self._held = ""
        self._in_string = False
        self._astray = False
        self._in_long_number = False

    def _read(self, text: str, out: list[str], *, ended: bool) -> None:
        self._looked_at_chars += len(text)
        self._held = ""
        at = 0
        while at < len(text):
            if self._in_string:
                after = self._within(text, at, out, ended=ended)
            elif self._astray:
                after = self._beside(text, at, out)
            else:
                after = self._outside(text, at, out, ended=ended)
            if after == at:
                self._held = text[at:]
                return
            at = after

    def _within(self, text: str, at: int, out: list[str], *, ended: bool) -> int:
        """Read on in a string; where it stops, what is there is to be held."""
        if content := _content.match(text, at):
            self._show(self._joiner.feed(_characters(content.group())), out)
            return content.end()
        if text[at] == '"':
            self._in_string = False
        elif not ended and _begun_escape.match(text, at):
            return at
        # Else a backslash that begins no escape, or a control character: it stays as it is, and parts the string.
        self._end_content(out)
        out.append(text[at])
        return at + 1

    def _outside(self, text: str, at: int, out: list[str], *, ended: bool) -> int:
        """Read on between strings; where it stops, what is there is to be held."""
        if self._in_long_number and (digits := _more_digits.match(text, at)):
            out.append(digits.group())
            return digits.end()
        self._in_long_number = False
        if between := _between.match(text, at):
            out.append(between.group())
            return between.end()
        if text[at] == '"':
            self._in_string = True
            out.append('"')
            return at + 1
        word = _word.match(text, at)
        end = word.end() if word else at
        if end - at > SCALAR_LIMIT_CHARS:
            end = at + SCALAR_LIMIT_CHARS
            self._in_long_number = bool(_begun_number.match(text[at:end]))
            self._astray = not self._in_long_number
        elif end == len(text) and not ended:
            return at
        else:
            follows = end < len(text) and text[end] != '"' and not _between.match(text, end)
            self._astray = follows or not _scalar.match(text[at:end])
        if self._astray:
            return self._beside(text, at, out)
        out.append(text[at:end])
        return end

    def _beside(self, text: str, at: int, out: list[str]) -> int:
        """Read what is no JSON, to the next quote."""
        if text[at] == '"':
            out.append(self._filter.flush())
            self._astray = False
            return self._outside(text, at, out, ended=False)
        found = _to_quote.match(text, at)
        end = found.end() if found else len(text)
        out.append(self._filter.feed(text[at:end]))
        return end

    def _show(self, characters: str, out: list[str]) -> None:
        if shown := self._filter.feed(characters):
            out.append(_written(shown))

    def _end_content(self, out: list[str]) -> None:
        self._show(self._joiner.flush(), out)
        out.append(_written(self._filter.flush()))


def _characters(content: str) -> str:
    return _escape.sub(_meant, content) if "\\" in content else content


def _meant(escape: re.Match[str]) -> str:
    code, letter = escape.groups()
    return chr(int(code, 16)) if code else _MEANING.get(letter, letter)


def _written(characters: str) -> str:
    return json.dumps(characters, ensure_ascii=False)[1:-1]
