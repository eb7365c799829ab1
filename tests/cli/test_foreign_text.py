"""Text of models and tools, made safe to show."""

from __future__ import annotations

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from treadle.cli import foreign_text
from treadle.framing.surrogates import whole_text

TURNS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
CONTROL_HEAVY = st.text(
    st.one_of(st.characters(), st.characters(categories=["Cc", "Zl", "Zp"]), st.sampled_from(TURNS))
)


def controls(text: str) -> set[str]:
    """The control codes that stand in a text."""
    return {sign for sign in text if unicodedata.category(sign) == "Cc"}


def turns(text: str) -> set[str]:
    """The characters of a text that change its direction, by Unicode's own names for what they do."""
    kinds = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
    return {sign for sign in text if unicodedata.bidirectional(sign) in kinds}


@given(CONTROL_HEAVY)
def test_nothing_that_turns_the_direction_of_text_gets_through(text: str) -> None:
    """Ours: what a person reads and approves is in the order in which it runs."""
    assert turns(foreign_text.block(text)) == set()
    assert turns(foreign_text.line(text)) == set()
    assert turns(foreign_text.value({"a": [text]})) == set()


def test_what_turns_text_is_spelled_out_and_what_joins_it_stays() -> None:
    """docs/cli.md: by its code; families of emoji and Persian words stay whole."""
    assert foreign_text.block("rm \u202etxt.a\u2069") == "rm \\u202etxt.a\\u2069"
    assert turns(TURNS) == set(TURNS)
    for whole in ("👩\u200d🚀", "می\u200cخواهم", "שלום"):
        assert (foreign_text.block(whole), foreign_text.line(whole)) == (whole, whole)


@given(CONTROL_HEAVY)
def test_no_control_code_but_line_breaks_and_tabs_gets_through_a_block(text: str) -> None:
    """Ours: a terminal obeys control codes, and a model is not to command it."""
    assert controls(foreign_text.block(text)) <= {"\n", "\t"}


@given(st.lists(CONTROL_HEAVY))
def test_where_a_text_is_cut_does_not_change_how_it_is_shown(pieces: list[str]) -> None:
    """Ours: an escape that comes in two pieces is as harmless as a whole one."""
    assert foreign_text.block("".join(pieces)) == "".join(map(foreign_text.block, pieces))


@given(st.text(st.characters(exclude_categories=["Cc"], exclude_characters=TURNS)))
def test_text_without_control_codes_is_shown_as_it_is(text: str) -> None:
    """Ours: shown is what was said, in every script."""
    assert foreign_text.block(text) == text


@given(CONTROL_HEAVY, st.integers(1, 20))
def test_a_line_is_one_line_of_bounded_length(text: str, longest: int) -> None:
    """Ours: a call and its result take a line each, however long and however they are broken."""
    shown = foreign_text.line(text, longest_chars=longest)
    assert len(shown.splitlines()) <= 1
    assert controls(shown) == set()
    assert len(shown) <= longest * len("\\x00") + len(f"… ({len(text)} characters)") + 2 * longest


def test_a_line_that_is_cut_says_how_long_it_was() -> None:
    """Ours: nobody takes a part for the whole."""
    assert foreign_text.line("abcdef", longest_chars=3) == "abc… (6 characters)"


def test_text_is_shown_as_text_and_all_else_as_json() -> None:
    """Ours: the forms of docs/cli.md."""
    assert foreign_text.value("3\n") == "3\\n"
    assert foreign_text.value({"a": (1, None)}) == '{"a":[1,null]}'


@given(CONTROL_HEAVY.map(whole_text), CONTROL_HEAVY.map(whole_text))
def test_a_line_of_json_says_the_same_without_a_control_code(name: str, text: str) -> None:
    """Ours: JSON of whole text lets codes above U+007E stand as they are, and a terminal obeys them."""
    shown = foreign_text.json_line({name: [text]})
    assert controls(shown) == set()
    assert len(shown.splitlines()) == 1
    assert json.loads(shown) == {name: [text]}


@given(st.text(st.characters(exclude_categories=["Cc", "Zl", "Zp"])))
def test_json_without_control_codes_is_left_as_it_is(text: str) -> None:
    """Ours: what needs no escape has none."""
    assert foreign_text.json_escaped(text) == text
