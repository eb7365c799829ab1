"""The short road past all filters."""

from __future__ import annotations

import gc
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.text.gate import Gate
from treadle.text.tags import TagSet

ANGLE = TagSet(tags=("<ab>",))
BRACKET = TagSet(tags=("[ab]",), takes_blank=True)
BRACE = TagSet(tags=("{ab}",))

SETS = [(), (ANGLE,), (BRACKET,), (ANGLE, BRACKET), (ANGLE, BRACKET, BRACE), (ANGLE, BRACE)]


@pytest.mark.parametrize("sets", SETS)
@given(texts=st.lists(st.text("<[{ab}]> \t\u65e5", max_size=5), max_size=8))
def test_what_goes_in_comes_out_or_is_held(sets: tuple[TagSet, ...], texts: list[str]) -> None:
    """Ours: the road gives no empty text, records what it gives, and stops at the first whole tag."""
    shown: list[str] = []
    gate = Gate(sets, shown)
    road, fed = gate.road(gate.look), ""
    for text in texts:
        passed, fed = road(text), fed + text
        assert passed != ""
        assert "".join(shown) + gate.held() == fed
        whole = any(tag in fed for tags in sets for tag in tags.tags)
        assert gate.stirred() is whole
        assert whole or len(gate.held()) <= 4


@pytest.mark.parametrize("sets", SETS)
def test_a_piece_without_a_lead_is_passed_itself(sets: tuple[TagSet, ...]) -> None:
    """Ours: no copy is made, and the slow look is not asked."""
    gate = Gate(sets, [])
    asked: list[str] = []

    def look(text: str) -> str | None:
        asked.append(text)
        return None

    road = gate.road(look)
    pieces = ["plain", "words, and more.", "\u65e5\u672c"]
    given_back = [road(piece) for piece in pieces]
    quick = len({tag[0] for tags in sets for tag in tags.tags}) <= (2 if BRACKET in sets else 1)
    assert all(passed is piece for passed, piece in zip(given_back, pieces, strict=True)) is quick
    assert (asked == []) is quick


def test_half_a_pair_is_for_the_filters() -> None:
    """Ours: it is looked for in text that is not ASCII alone."""
    gate = Gate((ANGLE,), [])
    road = gate.road(gate.look)
    assert (road("\u65e5\ud83d"), gate.stirred(), gate.held()) == (None, True, "\u65e5\ud83d")
    gate.set(stirred=False)
    assert (road("a"), gate.held()) == ("a", "")


@pytest.mark.parametrize("sets", SETS)
def test_a_gate_is_freed_with_its_last_holder(sets: tuple[TagSet, ...]) -> None:
    """Ours: every run has one; what held itself would wait for the collector, whose time grows with all that lives."""

    class Shown(list[str]):
        """A list that can be looked for."""

    gc.disable()
    try:
        shown = Shown()
        gate, seen = Gate(sets, shown), weakref.ref(shown)
        road = gate.road(gate.look)
        assert road("text") == "text"
        del gate, road, shown
        assert seen() is None
    finally:
        gc.enable()
