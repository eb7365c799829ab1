"""The text decoder, one fact a test."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.framing.utf8 import Utf8Decoder


@pytest.mark.requirement("BR-123")
def test_an_unfinished_character_is_held_and_broken_bytes_are_not() -> None:
    """Byte tokens: a character in three, one that is no text, a letter, and an end in mid character."""
    decoder = Utf8Decoder()
    fed = [decoder.feed(byte) for byte in (b"\xe6", b"\x97", b"\xa5", b"\xff", b"A", b"\xe6")]
    assert [*fed, decoder.flush()] == ["", "", "日", "\ufffd", "A", "", "\ufffd"]


@pytest.mark.requirement("BR-122")
@given(text=st.text(st.characters(exclude_categories=["Cs"])), size=st.integers(1, 4))
def test_text_is_the_same_however_its_bytes_are_cut(text: str, size: int) -> None:
    """No replacement mark from a cut inside a character."""
    data, decoder = text.encode(), Utf8Decoder()
    pieces = [decoder.feed(data[at : at + size]) for at in range(0, len(data), size)]
    assert "".join(pieces) + decoder.flush() == text


@given(data=st.lists(st.binary(max_size=4)))
def test_broken_bytes_give_the_same_text_however_they_are_cut(data: list[bytes]) -> None:
    """Equal to the whole-text reference, and nothing is held past the end."""
    decoder = Utf8Decoder()
    fed = "".join(decoder.feed(piece) for piece in data)
    assert fed + decoder.flush() == b"".join(data).decode("utf-8", "replace")
    assert decoder.flush() == ""
