"""A range of whole numbers to the grammar of their decimal texts.

Every number of the range has exactly one text in it, and no other number has any.
"""

from __future__ import annotations

from typing import Final

from treadle.adapters.models.local.gbnf import NOTHING, Characters, Literal, Node, Repeat, choice, sequence

MOST_DIGITS: Final = 15
"""Digits of a number without a bound: as many as every reader of JSON keeps exact."""
WIDEST: Final = 10**MOST_DIGITS - 1

DIGIT: Final = Characters("0-9")


def whole_numbers(least: int, most: int) -> Node:
    """The texts of all whole numbers from `least` to `most`, both in it.

    Raises:
        ValueError: There is none.
    """
    if least > most:
        raise ValueError(f"expected a range with a number in it, came {least!r} to {most!r}")
    options: list[Node] = []
    if most >= 0:
        options.append(_naturals(max(least, 0), most))
    if least < 0:
        options.append(sequence(Literal("-"), _naturals(max(1, -most), -least)))
    return choice(*options)


def _naturals(least: int, most: int) -> Node:
    """Numbers of one length are told apart digit by digit; lengths that lie wholly inside are joined."""
    if least == 0:
        return Literal("0") if most == 0 else choice(Literal("0"), _naturals(1, most))
    options: list[Node] = []
    shortest, longest = len(str(least)), len(str(most))
    if least != 10 ** (shortest - 1):
        options.append(_of_one_length(str(least), str(min(most, 10**shortest - 1))))
        shortest += 1
    whole = longest if most == 10**longest - 1 else longest - 1
    if shortest <= whole:
        options.append(sequence(Characters("1-9"), _digits(shortest - 1, whole - 1)))
    if whole < longest and shortest <= longest:
        options.append(_of_one_length(str(max(least, 10 ** (longest - 1))), str(most)))
    return choice(*options)


def _of_one_length(low: str, high: str) -> Node:
    rest = len(low) - 1
    if rest < 0:
        return NOTHING
    if low == "0" * len(low) and high == "9" * len(high):
        return _digits(len(low), len(low))
    if low[0] == high[0]:
        return sequence(Literal(low[0]), _of_one_length(low[1:], high[1:]))
    first, last = int(low[0]), int(high[0])
    options: list[Node] = []
    if low[1:] != "0" * rest:
        options.append(sequence(Literal(low[0]), _of_one_length(low[1:], "9" * rest)))
        first += 1
    if high[1:] != "9" * rest:
        options.append(sequence(Literal(high[0]), _of_one_length("0" * rest, high[1:])))
        last -= 1
    if first <= last:
        options.append(sequence(Characters(f"{first}-{last}"), _digits(rest, rest)))
    return choice(*options)


def _digits(least: int, most: int) -> Node:
    return Repeat(DIGIT, least, most) if most else NOTHING
