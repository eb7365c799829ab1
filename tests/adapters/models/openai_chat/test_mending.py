"""The joining of cut characters, one fact a test."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from treadle.adapters.models.openai_chat.mending import Mender


def test_halves_of_a_pair_are_joined_over_texts() -> None:
    """And a half alone is replaced, once it is known to be alone (ours)."""
    mender = Mender()
    assert [mender.feed("a\ud83d"), mender.holds] == ["a", True]
    assert [mender.feed("\ude42b"), mender.holds] == ["🙂b", False]
    assert [mender.feed("\ud83d"), mender.feed("c"), mender.feed("\ude42")] == ["", "\ufffdc", "\ufffd"]
    assert [mender.feed("\ud83d"), mender.flush(), mender.holds, mender.flush()] == ["", "\ufffd", False, ""]


def test_bytes_are_joined_over_texts() -> None:
    """A character in three bytes, a byte that is none, an unfinished one (field report)."""
    mender = Mender()
    raw = [mender.feed_raw(text) for text in ("\udce6", "\udc97", "\udca5", "\udcff", "A", "\udce6")]
    assert [*raw, mender.holds, mender.flush()] == ["", "", "日", "\ufffd", "A", "", True, "\ufffd"]


def test_a_text_of_the_other_kind_decides_what_is_held() -> None:
    """Bytes never go on in characters, nor a half pair in bytes (ours)."""
    mender = Mender()
    assert [mender.feed_raw("\udce6"), mender.feed("a")] == ["", "\ufffda"]
    assert [mender.feed("\ud83d"), mender.feed_raw("\udce6\udc97\udca5"), mender.flush()] == ["", "\ufffd日", ""]
    assert mender.feed_raw("\ud83dx") == "\ufffdx"


@given(text=st.text(max_size=20), cuts=st.lists(st.integers(0, 40), max_size=4))
def test_a_text_cut_between_halves_comes_back(text: str, cuts: list[int]) -> None:
    """Wherever its code units are parted (ours)."""
    units = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-16-le")
    whole = units.decode("utf-16-le")
    edges = [0, *sorted(min(cut * 2, len(units)) for cut in cuts), len(units)]
    pieces = [units[start:end].decode("utf-16-le", "surrogatepass") for start, end in pairwise(edges)]
    mender = Mender()
    assert "".join(mender.feed(piece) for piece in pieces) + mender.flush() == whole


@given(data=st.lists(st.binary(max_size=3), max_size=6))
def test_bytes_come_back_as_their_whole_would_be_read(data: list[bytes]) -> None:
    """However they are cut (ours)."""
    mender = Mender()
    fed = "".join(mender.feed_raw(piece.decode("utf-8", "surrogateescape")) for piece in data)
    assert fed + mender.flush() == b"".join(data).decode("utf-8", "replace")
