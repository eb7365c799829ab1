"""Texts rich in tags, ways to cut them, and what comes out of a close state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from hypothesis import strategies as st

from tests.text import whole_text
from tests.text.whole_text import PASSAGE, Pieces, Whole
from treadle.text.automaton import StreamFilter
from treadle.text.close_state import CloseState
from treadle.text.filters.block import BlockFilter
from treadle.text.filters.citation import CitationFilter
from treadle.text.filters.redact import RedactFilter
from treadle.text.filters.think import ThinkTagFilter
from treadle.text.pieces import settled

LIMIT_CHARS = 60

_TAGS = (
    *("<think>", "</think>", "<MEMORY_EXTRACT>", "</MEMORY_EXTRACT>", "<GRAPH_OPERATIONS>", "</GRAPH_OPERATIONS>"),
    *("[semantic]", "[Working]", "[EPISODIC]", "[semantic](link)", " [procedural]", "[[working]]"),
)
_WORDS = (
    *(" ", "  ", "\t", "\n", "\r\n", "\r", "<", "[", "(", "a", "Z", "0", ".", '"', "\\", "{", "}", "]", ",", ":", "`"),
    *("table", "arr[", "x[0]", "-", "日", "é", "ẞ", "if a < b", '{"type":"x"}', '{"ops":[{"type":"a"}]}', '{"a":"'),
    *("true", "null", "12", "```json\n", "```", "\\n", "\\u", "\x01", "bob@example.com", "@", "e.x", "sk-", "Bearer "),
    *("abcdefghijklmnop", "ghp_", "A" * 9, "AKIA", "eyJ", "\U0001f600"),
)
_HALVES = ("\ud83d", "\ude00")


def _begun(tag: str) -> st.SearchStrategy[str]:
    return st.integers(1, len(tag)).map(lambda size: tag[:size])


def texts(*extra: str, max_size: int = 24) -> st.SearchStrategy[str]:
    """Generate text of whole tags, begun ones, ends of them and what stands around them."""
    tag = st.sampled_from(_TAGS)
    ended = tag.flatmap(lambda written: st.integers(1, len(written)).map(lambda size: written[size:]))
    part = st.one_of(tag, st.sampled_from(_WORDS + extra), tag.flatmap(_begun), ended)
    return st.lists(part, max_size=max_size).map("".join)


def with_halves(max_size: int = 24) -> st.SearchStrategy[str]:
    """Generate such texts with halves of surrogate pairs in them."""
    return texts(*_HALVES, max_size=max_size)


def cut(text: str, places: Iterable[int]) -> list[str]:
    """Cut a text at places; a place past its end is none."""
    ends = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[start:end] for start, end in pairwise(ends)]


def chain(names: str) -> list[StreamFilter]:
    """Make filters by their first letters, the bound of a block small enough to be reached."""
    made = {
        "t": ThinkTagFilter(),
        "T": ThinkTagFilter(starts_in_thinking=True),
        "b": BlockFilter(limit_chars=LIMIT_CHARS),
        "c": CitationFilter(),
        "r": RedactFilter(),
    }
    return [made[name] for name in names]


def streamed(names: str, pieces: Sequence[str]) -> Pieces:
    """Send pieces through a chain; the mark of a passage's end ends it there."""
    state = CloseState(chain(names))
    out: Pieces = []
    for piece in pieces:
        first, *others = piece.split(PASSAGE)
        out += state.pieces(first)
        for other in others:
            out += state.end_passage()
            out += state.pieces(other)
    out += state.flush_pieces()
    assert all(value != "" for _, value in out)
    assert state.clean_text == "".join(str(value) for kind, value in out if kind == "text")
    assert state.thinking == "".join(str(value) for kind, value in out if kind == "thinking")
    return list(settled(out))  # type: ignore[arg-type]  # pieces are steps


def expected(names: str, text: str) -> Pieces:
    """Read the same from the whole text."""
    whole = Whole(text)
    whole_text.pairs(whole)
    for name in names:
        match name:
            case "t" | "T":
                whole_text.think(whole, starts_in_thinking=name == "T")
            case "b":
                whole_text.block(whole, limit=LIMIT_CHARS)
            case "c":
                whole_text.citation(whole)
            case "r":
                whole_text.redact(whole)
    return whole.pieces()


def by_kind(pieces: Pieces) -> tuple[str, str, list[object]]:
    """Take text, thinking and extractions apart, where their order among each other is not the question."""
    said = {kind: "".join(str(value) for found, value in pieces if found == kind) for kind in ("text", "thinking")}
    return said["text"], said["thinking"], [value for kind, value in pieces if kind == "extracted"]
