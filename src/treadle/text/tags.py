"""Tags to one expression that finds them, whole or, where the text ends, begun.

In: sets of tags, as words. Out: a search that looks at each place once: the words are laid together by their common
beginnings, and every way through them can end with the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from treadle.text.lines import BLANKS

Finder: TypeAlias = Callable[..., "re.Match[str] | None"]
_Branches: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class TagSet:
    """The tags that a filter acts on."""

    tags: tuple[str, ...]
    any_case: bool = False
    """Whether their ASCII letters may be written in any case."""
    takes_blank: bool = False
    """Whether the blank before a tag may go with it, so that a blank at the end is a beginning too."""


def is_begun(found: re.Match[str]) -> bool:
    """Tell whether what was found is not yet whole: it may become a tag, or go with one."""
    return found.lastindex is not None


@lru_cache(maxsize=256)
def finder(sets: tuple[TagSet, ...]) -> Finder:
    """Make the search for all the sets.

    Shape:  it takes a text and where to begin, and gives the leftmost match: a whole tag, with the blank before it if
            its set takes one, or the beginning of one at the end of the text.
    """
    branches: _Branches = {}
    for tags in sets:
        _lay(branches, tags, "")
        if tags.takes_blank:
            for blank in BLANKS:
                _lay(branches, tags, blank)
    # At the top every branch begins with a plain character, so that the engine can leap to one.
    source = "|".join(character + _source(rest) for character, rest in branches.items())
    return re.compile(source or "(?!)").search


def _lay(branches: _Branches, tags: TagSet, blank: str) -> None:
    for tag in tags.tags:
        at = branches
        for character in blank + tag:
            both = tags.any_case and character.isascii() and character.isalpha()
            key = f"[{character.lower()}{character.upper()}]" if both else re.escape(character)
            at = at.setdefault(key, {})


def _source(branches: _Branches) -> str:
    if not branches:
        return ""
    ways = [character + _source(rest) for character, rest in branches.items()]
    return f"(?:{'|'.join(ways)}|\\Z())"


def first_characters(sets: Sequence[TagSet]) -> str:
    """Tell with which characters the tags begin, each once."""
    return "".join(dict.fromkeys(tag[0] for tags in sets for tag in tags.tags))
