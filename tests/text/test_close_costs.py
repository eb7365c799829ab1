"""What text costs: characters looked at, counted, at one size and at ten and a hundred times it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from treadle.text.close_state import CloseState
from treadle.text.filters import NAMES, make_filters

TAGS = ("think", "block", "citation")

TEXTS: dict[str, Callable[[int], str]] = {
    "plain": lambda size: "words and more words. " * (size // 22),
    "one blank line": lambda size: " " * size,
    "open block": lambda size: "<MEMORY_EXTRACT>" + "x" * size,
    "open block of JSON": lambda size: '<MEMORY_EXTRACT>{"a":["' + "x" * size,
    "open thinking": lambda size: "<think>" + "x </b> " * (size // 7),
    "leads": lambda size: "<[" * (size // 2),
    "near misses": lambda size: "a <b> [1] " * (size // 10),
    "beginnings": lambda size: "<thin [seman </MEMORY_EXTRAC" * (size // 28),
    "citations": lambda size: " [semantic]" * (size // 11),
    "citations after blanks": lambda size: " " * (size // 2) + "[semantic]" * (size // 20),
    "citations that are links": lambda size: "[semantic](" * (size // 11),
    "tags": lambda size: "<think></think>" * (size // 15),
    "line breaks": lambda size: "<think>\n\n\n\n</think>\n\n\n" * (size // 22),
    "blocks": lambda size: '<MEMORY_EXTRACT>{"type":"a"}</MEMORY_EXTRACT>' * (size // 45),
    "doubtful ends": lambda size: '<MEMORY_EXTRACT>"</MEMORY_EXTRACT>' * (size // 34),
    "doubtful ends in one string": lambda size: '<MEMORY_EXTRACT>["</MEMORY_EXTRACT>, ' * (size // 37),
    "halves": lambda size: "\ud83d" * size,
    "long words": lambda size: "a" * size,
    "words with a mark": lambda size: "a@" * (size // 2),
    "leads of secrets": lambda size: "sk-" * (size // 3),
    "beginnings of secrets": lambda size: "sk-abcdef " * (size // 10),
    "secrets": lambda size: "sk-abcdefghijklmnop " * (size // 20),
}


def looked_at(names: tuple[str, ...], text: str, cut: int) -> int:
    """How many characters are looked at while a text goes through in pieces of one size, and ends."""
    state = CloseState(make_filters(names))
    for at in range(0, len(text), cut):
        state.pieces(text[at : at + cut])
    state.flush()
    return state.looked_at_chars


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.requirement("D13c", "D13d")
@pytest.mark.parametrize("names", [TAGS, NAMES])
@pytest.mark.parametrize("cut", [1, 12, 1_000_000])
@pytest.mark.parametrize("kind", TEXTS)
def test_a_character_costs_the_same_in_a_long_text(kind: str, cut: int, names: tuple[str, ...]) -> None:
    """Design §5: linear time, however the text is made and however it is cut."""
    once, ten, hundred = (looked_at(names, TEXTS[kind](size), cut) / size for size in (1_100, 11_000, 110_000))
    assert ten <= 1.1 * once
    assert hundred <= 1.1 * ten
    # A constant factor is no slope, but it is paid: a word of 320 signs is looked at again at each of them.
    assert once <= 200


def test_the_cost_counts_a_character_as_often_as_it_is_looked_at() -> None:
    """Ours: what is held is looked at again with the next piece; plain words pass by the quick look at no cost."""
    assert looked_at(TAGS, "words", 1) == looked_at(TAGS, "words", 5) == 0
    assert 0 < looked_at(TAGS, "<thin", 5) < looked_at(TAGS, "<thin", 1)
