"""The short road: text that no filter would touch passes whole, after one look for any number of filters.

In: text, while every filter is at rest. Out: the text itself, or nothing: its end may become a tag, or the filters must
see it. To hold an end back here only cuts the text elsewhere, which no filter can notice.
Knows what filters look for, not what they do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from treadle.text.lines import BLANKS
from treadle.text.surrogates import find_half
from treadle.text.tags import Finder, TagSet, finder, first_characters, is_begun

Look: TypeAlias = Callable[[str], str | None]
Sight: TypeAlias = Callable[[], str]

# Stands for a lead where there is none: the look for ASCII has ruled it out.
_NO_LEAD: Final = "\ud800"
# Stands for leads that are too many to look for one by one, and for what lets nothing pass: it is in every text.
_ANY_LEAD: Final = ""


class ShortRoad(NamedTuple):
    """How pieces of one kind pass by the filters: at sight, without a call, or by `short`.

    A piece that is not empty, has no half surrogate pair and does not hold the lead is shown whole: whoever sees that
    need not ask. The lead stays what it is for as long as pieces pass at sight. Those that pass one after another may
    be given to `take` as one text, at the latest before anything else is asked.
    """

    sight: Sight | None
    """Gives the lead. None: nothing ever passes at sight."""
    take: Callable[[str], None]
    """Keeps what passed at sight."""
    short: Look
    """Takes any piece, and gives what may be shown of it."""


def nothing_in_view() -> str:
    """The sight of a road on which every piece passes."""
    return _NO_LEAD


class Gate:
    """Pass text by the filters for as long as they are at rest, and add what passes to `shown`.

    What runs for every delta keeps its state in the cells of closures, which cost a third of what attributes do; none
    of them holds the gate, so it is freed with its last holder. In them, `busy` says that something is held or the
    filters are stirred, and `thought_at` how much was shown when thinking came last.
    """

    __slots__ = ("_hold", "beside", "calm", "held", "look", "looked_at", "road", "sight", "sight_beside", "stirred")

    look: Look
    """Pass what no filter would touch. None: nothing passes, all is held."""
    road: Callable[[Look], Look]
    """Make the function to call for each piece. It asks the look it is given about what it cannot pass at sight."""
    beside: Callable[[Callable[[str], None]], Look]
    """Make the function to call for each piece of thinking that no filter hears: it gives the piece, and adds it by the
    function it is given, while thinking goes on. None: it was not taken."""
    sight: Sight | None
    """The lead that a piece may not hold to pass at sight, as in `ShortRoad`."""
    sight_beside: Sight
    """The same for thinking that goes on."""
    held: Callable[[], str]
    """What the filters have not seen: the beginning of a tag or, if `stirred`, what they must see now."""
    stirred: Callable[[], bool]
    """Whether the filters must see what is held and what comes."""
    calm: Callable[[], bool]
    """Whether nothing is held and every filter is at rest."""
    looked_at: Callable[[], int]
    """How many characters were looked at beyond the first look."""

    def __init__(self, sets: Sequence[TagSet], shown: list[str]) -> None:
        self._open(sets, shown)

    def set(self, *, stirred: bool, thinking: bool = False) -> None:
        """Learn whether the filters must see what comes, and whether it was thinking that came last.

        They have seen all that came.
        """
        self._hold("", stirred, thinking)

    def _open(self, sets: Sequence[TagSet], shown: list[str]) -> None:  # noqa: C901, PLR0915 (closures over one set of cells)
        find, first, second, takes_blank = _looks_of(tuple(sets))
        held, stirred, busy, thought_at, looked_at, append = "", False, False, -1, 0, shown.append

        def hold(text: str, seen: bool, thinking: bool = False) -> None:  # noqa: FBT001, FBT002 (states, not switches)
            nonlocal held, stirred, busy, thought_at
            held, stirred, busy, thought_at = text, seen, seen or bool(text), len(shown) if thinking else -1

        def past_one(look: Look) -> Look:
            def pass_by(text: str) -> str | None:
                if busy or first in text or not text or (not text.isascii() and find_half(text)):
                    return look(text)
                append(text)
                return text

            return pass_by

        def past_two(look: Look) -> Look:
            def pass_by(text: str) -> str | None:
                nonlocal held, busy
                if busy:
                    if stirred or held not in BLANKS:
                        return look(text)
                    text, held, busy = held + text, "", False
                if first in text or second in text or (not text.isascii() and find_half(text)):
                    return look(text)
                try:
                    last = text[-1]
                except IndexError:
                    return None
                # Nearly every character is above a blank: one comparison rules both blanks out.
                if last <= " " and last in BLANKS:
                    held, busy, text = last, True, text[:-1]
                    if not text:
                        return None
                append(text)
                return text

            return pass_by

        def past_all(add: Callable[[str], None]) -> Look:
            def pass_by(text: str) -> str | None:
                if busy or len(shown) != thought_at or not text or (not text.isascii() and find_half(text)):
                    return None
                add(text)
                return text

            return pass_by

        def look(text: str) -> str | None:
            nonlocal looked_at
            if stirred or not text:
                hold(held + text, stirred)
                return None
            text = held + text
            looked_at += len(text)
            found = find(text)
            if (found and not is_begun(found)) or not (text.isascii() or not find_half(text)):
                hold(text, seen=True)
                return None
            hold(found.group() if found else "", seen=False)
            if text := text[: len(text) - len(held)]:
                append(text)
            return text or None

        self.look, self._hold, self.beside, self.held = look, hold, past_all, lambda: held
        self.stirred, self.calm, self.looked_at = lambda: stirred, lambda: not busy, lambda: looked_at
        self.road = past_two if takes_blank else past_one
        self.sight = (lambda: _ANY_LEAD if busy else first) if self.road is past_one and first else None
        self.sight_beside = lambda: _ANY_LEAD if busy or len(shown) != thought_at else _NO_LEAD


@lru_cache(maxsize=256)
def _looks_of(sets: tuple[TagSet, ...]) -> tuple[Finder, str, str, bool]:
    """The search for these sets, the leads that are looked for at sight, and whether a blank counts."""
    return finder(sets), *_two_leads(sets), any(tags.takes_blank for tags in sets)


def _two_leads(sets: Sequence[TagSet]) -> tuple[str, str]:
    """Choose what is looked for at sight. Where a blank counts, two characters are; else one."""
    leads = first_characters(sets)
    most = 2 if any(tags.takes_blank for tags in sets) else 1
    if len(leads) > most:
        return _ANY_LEAD, _ANY_LEAD
    return leads[:1] or _NO_LEAD, leads[-1:] or _NO_LEAD
