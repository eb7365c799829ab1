"""What holds for every text and every way of cutting it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.text.cuts import by_kind, chain, cut, expected, streamed, texts, with_halves
from tests.text.whole_text import PASSAGE
from treadle.framing.utf8 import Utf8Decoder
from treadle.text.close_state import CloseState
from treadle.text.pieces import settled, text_of
from treadle.text.surrogates import find_half

CHAINS = ["tbc", *(pytest.param(names, marks=pytest.mark.slow) for names in ("", "t", "T", "b", "c", "tb", "bc", "ct"))]
PLACES = st.lists(st.integers(0, 400), max_size=8)


@pytest.mark.parametrize("names", CHAINS)
@given(text=with_halves(), places=PLACES)
def test_where_the_text_is_cut_does_not_change_what_comes_out(names: str, text: str, places: list[int]) -> None:
    """Design §5: the same output for every way of cutting the input, equal to a whole-text reference."""
    assert streamed(names, cut(text, places)) == streamed(names, list(text)) == expected(names, text)


@pytest.mark.slow
@pytest.mark.parametrize("names", ["tbc", "b", "t", "c"])
@given(text=with_halves(), ends=PLACES, places=PLACES)
def test_passages_end_at_the_same_places_however_the_text_is_cut(
    names: str, text: str, ends: list[int], places: list[int]
) -> None:
    """Design §5: nothing is held past its passage, and what is open stays open."""
    marked = PASSAGE.join(cut(text, ends))
    assert streamed(names, cut(marked, places)) == streamed(names, list(marked)) == expected(names, marked)


@pytest.mark.slow
@pytest.mark.parametrize("names", ["r", "tbcr"])
@given(text=with_halves(), ends=PLACES, places=PLACES)
def test_secrets_are_found_however_the_text_is_cut(names: str, text: str, ends: list[int], places: list[int]) -> None:
    """Design §5: redaction is cut-proof. Extractions may stand before the word they came in, which was held."""
    marked = PASSAGE.join(cut(text, ends))
    streams = [by_kind(streamed(names, pieces)) for pieces in (cut(marked, places), list(marked))]
    assert [*streams, by_kind(expected(names, marked))] == [streams[0]] * 3


def one_answer(names: str, text: str, ways: Iterable[list[str]]) -> None:
    """Hold every way of cutting to the reference."""
    wanted = by_kind(expected(names, text))
    for pieces in ways:
        assert by_kind(streamed(names, pieces)) == wanted


SAMPLES = [
    "<think>\na<think>b</think></think>\n\nHi [Semantic] [x](y) <MEM",
    'a\n<MEMORY_EXTRACT>{"type":"</MEMORY_EXTRACT>"}</MEMORY_EXTRACT>\r\nb',
    '<MEMORY_EXTRACT>"</MEMORY_EXTRACT>c <GRAPH_OPERATIONS>[]</GRAPH_',
    "blue [semantic] x[0] arr[working] \t[working](link) [episodic]",
    "to bob@example.com, Bearer abc.defghijklmnopq. \ud83d\ude00\ud83d",
]


@pytest.mark.parametrize("text", SAMPLES)
@pytest.mark.parametrize("names", ["tbc", "tbcr"])
def test_every_cut_in_two_gives_one_answer(names: str, text: str) -> None:
    """Design §5: property over all splits, here all of them."""
    one_answer(names, text, ([text[:place], text[place:]] for place in range(len(text) + 1)))


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.parametrize("text", SAMPLES)
@pytest.mark.parametrize("names", ["tbc", "tbcr"])
def test_every_cut_in_three_gives_one_answer(names: str, text: str) -> None:
    """Design §5: property over all splits, here all of them."""
    places = combinations(range(len(text) + 1), 2)
    one_answer(names, text, ([text[:one], text[one:other], text[other:]] for one, other in places))


@given(text=texts())
def test_bytes_cut_anywhere_give_one_answer(text: str) -> None:
    """Design §5: per byte, as a model of byte tokens sends it."""
    decoder = Utf8Decoder()
    pieces = [decoder.feed(bytes([byte])) for byte in text.encode()]
    assert streamed("tbc", [*pieces, decoder.flush()]) == expected("tbc", text)


@pytest.mark.slow
@pytest.mark.parametrize("names", ["t", "tbc", "tbcr"])
@given(text=with_halves(), places=PLACES)
def test_all_roads_give_one_text(names: str, text: str, places: list[int]) -> None:
    """Ours: `feed`, `pieces`, `short` with `let_go`, and a glance before these show the same, be it told late."""
    fed, told, hurried, glanced, late = (CloseState(chain(names)) for _ in range(5))
    sight, take, short = glanced.text_road
    passing: list[str] = []
    lead = sight() if sight else ""
    for piece in cut(text, places):
        shown = fed.feed(piece)
        pieces = told.pieces(piece)
        passed = hurried.short(piece)
        others = hurried.let_go() if passed is None else (("text", passed),)
        assert others == pieces
        assert shown == (text_of(pieces) or None)
        if lead not in piece and piece and not find_half(piece):
            take(piece)
            passing.append(piece)
            assert pieces == (("text", piece),)
            continue
        if passing:
            late.text_road.take("".join(passing))
            passing.clear()
        assert late.pieces(piece) == pieces
        if short(piece) is None:
            glanced.let_go()
        lead = sight() if sight else ""
    if passing:
        late.text_road.take("".join(passing))
    assert fed.flush() == told.flush() == hurried.flush() == glanced.flush() == late.flush()
    assert fed.clean_text == told.clean_text == hurried.clean_text == glanced.clean_text == late.clean_text


@pytest.mark.slow
@pytest.mark.parametrize("names", ["t", "tbc", "tbcr"])
@given(text=with_halves(), places=PLACES, void=with_halves())
def test_a_round_taken_back_leaves_no_trace(names: str, text: str, places: list[int], void: str) -> None:
    """Design §5: text and filters go back to where the round began."""
    state = CloseState(chain(names))
    state.begin_round()
    state.pieces(void)
    state.think(void)
    state.retract()
    out = [piece for delta in cut(text, places) for piece in state.pieces(delta)] + list(state.flush_pieces())
    assert list(settled(out)) == streamed(names, cut(text, places))


@pytest.mark.slow
@pytest.mark.parametrize("names", ["t", "tbc"])
@given(text=texts(), places=PLACES)
def test_only_what_may_become_a_tag_is_held(names: str, text: str, places: list[int]) -> None:
    """Design §5: held text is bounded by a tag and the blank before it; outside a block it is the text's own end."""
    state, fed, plain = CloseState(chain(names)), "", True
    for piece in cut(text, places):
        fed += piece
        plain = plain and not any(word in fed.lower() for word in ("think", "extract", "graph_", "]"))
        state.feed(piece)
        if plain:
            held = fed.removeprefix(state.clean_text)
            assert state.clean_text + held == fed
            assert len(held) <= len("</GRAPH_OPERATIONS>")
