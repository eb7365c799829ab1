"""Marked blocks."""

from __future__ import annotations

from treadle.text.close_state import CloseState
from treadle.text.filters.block import BlockFilter
from treadle.text.pieces import Extraction


def test_tags_are_the_user_s() -> None:
    """Ours: any name; the others are text then."""
    state = CloseState((BlockFilter(["NOTE"]),))
    assert state.pieces('<NOTE>{"type":"a"}</NOTE><MEMORY_EXTRACT>') == (
        ("extracted", Extraction(tag="NOTE", operations=({"type": "a"},))),
        ("text", "<MEMORY_EXTRACT>"),
    )


def test_a_block_is_closed_by_its_own_tag_alone() -> None:
    """Design §5: a tag of another name inside is content; a closing tag without a block is not shown."""
    state = CloseState((BlockFilter(["A", "B"]),))
    assert state.pieces("x<A></B><B></A>y</B>z") == (
        ("text", "x"),
        ("extracted", Extraction(tag="A", diagnostic="not_json")),
        ("text", "yz"),
    )


def test_past_the_bound_only_its_own_closing_tag_or_a_new_block_ends_it() -> None:
    """Ours: what is dropped may hold other closing tags, and beginnings of tags, which are never shown."""
    state = CloseState((BlockFilter(["A", "B"], limit_chars=5),))
    large = ("extracted", Extraction(tag="A", diagnostic="too_large"))
    assert state.pieces("<A>" + "x" * 20) == (large,)
    assert state.pieces("</B>y</") == state.end_passage() == ()
    assert state.pieces("A></A>\nz") == (("text", "z"),)
    assert state.pieces("<A>" + "x" * 20 + "<B>[]</B>w<A>12345678") == (
        *(large, ("extracted", Extraction(tag="B")), ("text", "w")),
    )
    assert state.flush_pieces() == (("extracted", Extraction(tag="A", diagnostic="unterminated")),)


def test_a_doubtful_end_is_settled_where_the_passage_ends() -> None:
    """Ours: what followed it is the user's, whole blocks in it too."""
    state = CloseState((BlockFilter(["A"]),))
    not_json = ("extracted", Extraction(tag="A", diagnostic="not_json"))
    assert state.pieces('<A>"</A> one <A>[</A> two <A') == ()
    assert state.end_passage() == (not_json, ("text", " one "), not_json, ("text", " two <A"))
