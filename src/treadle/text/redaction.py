"""What redaction looks for, as data, and the expressions made from it.

A pattern is a lead and a run of characters of one class, at least so long; or, without a lead, a whole word of one
class, for which the word in hand is held. There are no free expressions: what a pattern costs is bounded by its length.
A lead counts only where no ASCII letter or digit stands before it. A run goes on as far as its class does.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from treadle.text.tags import Finder

REPLACEMENT: Final = "[redacted]"
WORD_LIMIT_CHARS: Final = 320
"""The longest word that is held; a longer one is no e-mail address, nor anything else without a lead."""

_LENGTH_LIMIT: Final = 256
_ALNUM: Final = string.ascii_letters + string.digits


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionPattern:
    """One kind of secret."""

    name: str
    chars: str
    """The characters of the run, or of the word."""
    length: int
    """How many of them there are at least; with `host_after`, in the whole word."""
    lead: str = ""
    """What the run follows. Empty: the pattern is a whole word."""
    any_case: bool = False
    """Whether the lead may be written in any case."""
    joiners: str = ""
    """Characters that belong to the run only singly and between two of `chars`, as a dot does."""
    host_after: str = ""
    """For a word: the character after which a host name must stand, with a dot and a last part of letters."""

    def __post_init__(self) -> None:
        if not self.chars or not 1 <= self.length <= _LENGTH_LIMIT or len(self.host_after) > 1:
            raise ValueError(f"pattern {self.name!r} needs characters, a length of 1 to {_LENGTH_LIMIT}, one host mark")
        if self.lead and self.host_after:
            raise ValueError(f"pattern {self.name!r} has both a lead and a host mark")


def _key(name: str, lead: str, length: int, chars: str = _ALNUM) -> RedactionPattern:
    return RedactionPattern(name=name, lead=lead, length=length, chars=chars)


DEFAULT_PATTERNS: Final = (
    RedactionPattern(name="bearer", lead="Bearer ", any_case=True, chars=_ALNUM + "-_~+/=", joiners=".", length=16),
    _key("api_key", "sk-", 16, _ALNUM + "-_"),
    *(_key("github", f"gh{kind}_", 20) for kind in "pousr"),
    _key("github", "github_pat_", 20, _ALNUM + "_"),
    _key("gitlab", "glpat-", 16, _ALNUM + "-_"),
    *(_key("aws", lead, 16, string.ascii_uppercase + string.digits) for lead in ("AKIA", "ASIA")),
    *(_key("slack", lead, 10, _ALNUM + "-") for lead in ("xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-", "xapp-")),
    _key("google", "AIza", 30, _ALNUM + "-_"),
    *(_key("stripe", f"{kind}k_{mode}_", 16) for kind in "sr" for mode in ("live", "test")),
    _key("hugging_face", "hf_", 20),
    _key("npm", "npm_", 30),
    RedactionPattern(name="signed_token", lead="eyJ", chars=_ALNUM + "-_", joiners=".", length=24),
    RedactionPattern(name="email", chars=_ALNUM + "._%+-'", host_after="@", length=6),
)


class Run(NamedTuple):
    """How a secret with a lead goes on once its shortest form is there."""

    more: re.Pattern[str]
    joiners: str


class Redaction:
    """Patterns, made ready for looking.

    `live` finds what is whole and what may become it; `ended` finds what is whole in a text that has ended.
    """

    __slots__ = ("_words", "ended", "hint", "live", "runs", "signs")

    def __init__(self, patterns: Sequence[RedactionPattern]) -> None:
        leading = [pattern for pattern in patterns if pattern.lead]
        self._words = [pattern for pattern in patterns if not pattern.lead]
        self.runs = {
            f"p{number}": Run(re.compile(f"(?:{_link(pattern)})*+"), pattern.joiners)
            for number, pattern in enumerate(leading)
        }
        whole = [f"(?P<p{number}>{_whole(pattern)})" for number, pattern in enumerate(leading)]
        beginnings = [_beginning(pattern) for pattern in leading]
        word = self._word_source()
        self.ended = re.compile("|".join([*_after_no_letter(whole), *word]) or "(?!)")
        open_end = [rf"(?P<open>(?:{'|'.join(beginnings)})\Z)"] if beginnings else []
        self.live = re.compile("|".join([*_after_no_letter(whole + open_end), *word]) or "(?!)")
        self.signs = "".join(pattern.chars + pattern.joiners + pattern.host_after for pattern in self._words)
        self.hint = self._hint(leading)

    def inside(self, word: str) -> tuple[int, int] | None:
        """Find what is to be replaced in a word: all but the signs at its ends, or nothing."""
        start = next((at for at, sign in enumerate(word) if sign.isalnum()), len(word))
        end = len(word) - next((at for at, sign in enumerate(reversed(word)) if sign.isalnum()), 0)
        core = word[start:end]
        return (start, end) if any(_is_word(pattern, core) for pattern in self._words) else None

    def _hint(self, leading: Sequence[RedactionPattern]) -> Finder | None:
        """Make the search without whose find a text holds no secret, whatever its last word may become.

        Shape:  None where there is none: a beginning could reach further back than the last word.
        """
        reach_back = any(sign not in self.signs for pattern in leading for sign in pattern.lead[:-1])
        if reach_back or not all(pattern.host_after for pattern in self._words):
            return None
        marks = [re.escape(pattern.host_after) for pattern in self._words]
        return re.compile("|".join([*marks, *(_lead(pattern, re.escape(pattern.lead)) for pattern in leading)])).search

    def _word_source(self) -> list[str]:
        if not self._words:
            return []
        signs = _class("".join(pattern.chars + pattern.joiners + pattern.host_after for pattern in self._words))
        return [f"(?P<word>(?<!{signs}){signs}{{1,{WORD_LIMIT_CHARS}}}+(?!{signs}))"]


@lru_cache(maxsize=64)
def redaction_of(patterns: tuple[RedactionPattern, ...]) -> Redaction:
    """Make patterns ready, once for all runs that share them."""
    return Redaction(patterns)


def _after_no_letter(sources: list[str]) -> list[str]:
    return [f"(?<![{_ALNUM}])(?:{'|'.join(sources)})"] if sources else []


def _class(characters: str) -> str:
    return f"[{''.join(re.escape(character) for character in sorted(set(characters)))}]"


def _link(pattern: RedactionPattern) -> str:
    """One more character of a run, with the joiner before it."""
    joiner = f"{_class(pattern.joiners)}?" if pattern.joiners else ""
    return joiner + _class(pattern.chars)


def _lead(pattern: RedactionPattern, source: str) -> str:
    return f"(?ai:{source})" if pattern.any_case else source


def _whole(pattern: RedactionPattern) -> str:
    rest = f"(?:{_link(pattern)}){{{pattern.length - 1}}}+"
    return _lead(pattern, re.escape(pattern.lead)) + _class(pattern.chars) + rest


def _beginning(pattern: RedactionPattern) -> str:
    """What may become the lead and its shortest run, a joiner at its end too."""
    joiner = f"{_class(pattern.joiners)}?" if pattern.joiners else ""
    links = f"(?:{_link(pattern)}){{0,{pattern.length - 2}}}+" if pattern.length > 1 else ""
    run = f"(?:{_class(pattern.chars)}{links}{joiner})?" if pattern.length > 1 else ""
    return _lead(pattern, beginning_of(pattern.lead, then=run))


def beginning_of(lead: str, then: str) -> str:
    """Write the source that matches the beginnings of a lead, the longest first, and the whole lead with `then`."""
    source = then
    for character in reversed(lead[1:]):
        source = f"(?:{re.escape(character)}{source})?"
    return re.escape(lead[0]) + source


def _is_word(pattern: RedactionPattern, core: str) -> bool:
    if len(core) < pattern.length:
        return False
    if not pattern.host_after:
        return not core.strip(pattern.chars + pattern.joiners)
    local, mark, host = core.rpartition(pattern.host_after)
    labels = host.split(".")
    last = labels[-1]
    named = len(labels) > 1 and all(labels) and last.isalpha() and len(last) > 1
    return bool(local and mark and named)
