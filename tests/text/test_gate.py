"""The short road past all filters."""

from __future__ import annotations

import gc
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.text.gate import Gate, nothing_in_view
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


@pytest.mark.parametrize("sets", SETS)
@given(texts=st.lists(st.text("<[{ab}]> \t\u65e5", max_size=5), max_size=8))
def test_what_would_pass_at_sight_passes_the_road_as_it_is(sets: tuple[TagSet, ...], texts: list[str]) -> None:
    """Ours: the lead is another after a piece that did not pass at sight, and after no other."""
    gate = Gate(sets, [])
    road, sight = gate.road(gate.look), gate.sight
    assert (sight is None) is (BRACKET in sets or len(sets) > 1)
    lead = sight() if sight else ""
    for text in texts:
        at_sight = lead not in text and text != ""
        passed = road(text)
        if at_sight:
            assert passed is text
            assert sight is not None
            assert sight() == lead
        elif sight:
            lead = sight()


def test_thinking_passes_at_sight_while_it_goes_on_and_nothing_is_held() -> None:
    """Ours: text between two pieces of thinking ends the first passage."""
    shown: list[str] = []
    gate = Gate((ANGLE,), shown)
    road = gate.road(gate.look)
    assert gate.sight_beside() == ""
    gate.set(stirred=False, thinking=True)
    assert gate.sight_beside() == nothing_in_view()
    assert road("a<") == "a"
    assert gate.sight_beside() == ""


def test_where_many_characters_are_leads_nothing_passes_at_sight() -> None:
    """Ours: to look for each of them would take longer than the road."""
    assert Gate((ANGLE, BRACE), []).sight is None


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
