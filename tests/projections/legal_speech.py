"""What a model says in a turn, in pieces: texts, thinking and calls, drawn by dice."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final, TypeVar

from treadle.values.model import ARGUMENTS, TEXT, THINKING

_T = TypeVar("_T")

Item = tuple[str, int, str]
"""A kind, the slot of a call, and a piece; a piece of arguments that is empty announces the call."""

_WORDS: Final = (
    "Let me look. ",
    "It is 3.",
    'He said "é" \\ and left\n',
    "😀 grün \u2028 done",
    "</script> & <b>bold</b>",
    "a",
    "\t0\x00\x1f\x7f",
    "漢字カタカナ",
)
_MARKED: Final = (
    "before <think>hidden thought</think> after",
    '<MEMORY_EXTRACT>[{"type": "add"}]</MEMORY_EXTRACT>shown',
    "1 < 2",
    "<MEMORY_EXTRACT>not json</MEMORY_EXTRACT> rest",
)


class Speech:
    """How one model speaks: whether it thinks, and whether its text has marks in it that filters take out."""

    def __init__(self, dice: Random, *, thinks: bool, filtered: bool) -> None:
        self._dice = dice
        self._thinks = thinks
        self.filtered = filtered

    def items(self, calls: Sequence[tuple[str, str]], *, must_show: bool) -> list[Item]:
        """What is said in a turn that calls these tools with these argument texts.

        Shape: calls are announced in the order of their slots; their pieces may interleave, and some calls are never
        announced or have no pieces.
        """
        dice = self._dice
        items: list[Item] = []
        for _ in range(dice.randint(1 if must_show or not calls else 0, 3)):
            kind = THINKING if self._thinks and dice.random() < 0.5 else TEXT
            items += [(kind, 0, piece) for piece in self._passage(kind)]
        spoken = [
            [(ARGUMENTS, slot, piece) for piece in pieces_of(text, dice)] if dice.random() < 0.8 else []
            for slot, (_, text) in enumerate(calls)
        ]
        announced = dice.randint(0, len(calls)) if dice.random() < 0.2 else len(calls)
        told: list[list[Item]] = [[(ARGUMENTS, slot, ""), *spoken[slot]] for slot in range(announced)]
        items += self._woven(told)
        if calls and dice.random() < 0.2:
            items += [(TEXT, 0, piece) for piece in self._passage(TEXT)]
        return items

    def _passage(self, kind: str) -> list[str]:
        words = (*_WORDS, *_MARKED, *_MARKED) if self.filtered and kind == TEXT else _WORDS
        return pieces_of("".join(self._dice.choices(words, k=self._dice.randint(1, 3))), self._dice)

    def _woven(self, told: list[list[Item]]) -> list[Item]:
        """Calls one after the other, or woven into each other with their announcements in order."""
        if self._dice.random() < 0.6:
            return [item for call in told for item in call]
        woven, begun = [], 0
        while any(told):
            open_ = [call for call in told[: begun + 1] if call]
            call = self._dice.choice(open_) if open_ else told[begun]
            begun = max(begun, 1 + next(at for at, one in enumerate(told) if one is call))
            woven.append(call.pop(0))
            begun = min(begun, len(told) - 1)
        return woven


def pieces_of(text: str, dice: Random) -> list[str]:
    """A text in pieces, none of them empty."""
    return ["".join(part) for part in split(tuple(text), dice)]


def split(items: tuple[_T, ...], dice: Random) -> list[tuple[_T, ...]]:
    """Items in parts, none of them empty: all in one, each alone, or anything between."""
    share = dice.choice([0.0, 0.1, 0.5, 1.0])
    parts: list[tuple[_T, ...]] = []
    begins = 0
    for at in range(1, len(items) + 1):
        if at == len(items) or dice.random() < share:
            parts.append(items[begins:at])
            begins = at
    return parts
