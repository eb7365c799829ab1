"""The content of one open block."""

from __future__ import annotations

import pytest

from treadle.text.open_block import OpenBlock
from treadle.text.pieces import Diagnostic, Extraction

LIMIT_CHARS = 40


def ended(content: str, *, size: int = 1, seam_at: int = -1) -> tuple[str | None, Extraction]:
    """Feed a block until it ends: what follows, and what it came to."""
    block = OpenBlock("B", limit_chars=LIMIT_CHARS)
    for at in range(0, len(content), size):
        rest = block.feed(content[at : at + size])
        if at == seam_at:
            rest = block.seam() if rest is None else rest
        if rest is not None:
            return rest + content[at + size :], block.extraction
    return None, block.extraction


def why(diagnostic: Diagnostic) -> Extraction:
    """What a block comes to that could not be read."""
    return Extraction(tag="B", diagnostic=diagnostic)


READ = Extraction(tag="B", operations=({"type": "</B>"},))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(
    ("content", "end"),
    [
        ('{"type":1}</B>rest', ("rest", Extraction(tag="B", operations=({"type": 1},)))),
        ('{"type":"</B>"}</B>rest', ("rest", READ)),
        ('```json\n{"type":"</B>"}```</B>rest', ("rest", READ)),
        ('{"type":"</B> </B>"} </B>r', ("r", Extraction(tag="B", operations=({"type": "</B> </B>"},)))),
        ("text</B>rest", ("rest", why("not_json"))),
        ('"</B>rest"x', ('rest"x', why("not_json"))),
        ('"</B>rest"</C></B>', ('rest"</C></B>', why("not_json"))),
        ('"</B>rest\n"</B>', ('rest\n"</B>', why("not_json"))),
        ('"</B>\\x"</B>', ('\\x"</B>', why("not_json"))),
        ('"</B>' + "x" * 50, ("x" * 50, why("not_json"))),
        ('"</B>' + "x" * 34 + '"</B>r', ("r", why("wrong_shape"))),
        ('"</B>' + "x" * 35 + '"</B>', ("x" * 35 + '"</B>', why("not_json"))),
        ('"</B>' + "x" * 33 + '" ', (None, why("unterminated"))),
        ('"</B>' + "x" * 34 + '" ', ("x" * 34 + '" ', why("not_json"))),
        ("x" * 40 + "</B>rest", ("rest", why("not_json"))),
        ("x" * 41 + "</B>rest", ("x</B>rest", why("too_large"))),
        ("x" * 100, ("x" * 60, why("too_large"))),
        ("x" * 43, (None, why("unterminated"))),
        ('"</B>', (None, why("unterminated"))),
        ('{"a":"</B>" ', (None, why("unterminated"))),
        ('"</B>"</', (None, why("unterminated"))),
    ],
)
def test_a_block_ends_at_the_same_place_however_it_is_cut(
    content: str, size: int, end: tuple[str | None, Extraction]
) -> None:
    """Design §5: its own closing tag ends it, not one in a string of what can still become JSON; size is bounded."""
    assert ended(content, size=size) == end


def test_no_closing_tag_is_made_across_a_seam() -> None:
    """Design §5: removal splices no tag; and where a closing tag is in doubt, a seam settles it."""
    assert ended("{}</B>", seam_at=3) == (None, why("unterminated"))
    assert ended("{}</B>", seam_at=1) == ("", why("wrong_shape"))
    assert ended('"</B>a"</B>', seam_at=5) == ('a"</B>', why("not_json"))
