"""Cutting a body into writes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from treadle.testing.faults.cuts import Cutter


@given(steps=st.lists(st.binary(max_size=9)), write_bytes=st.none() | st.integers(0, 5))
def test_no_byte_is_lost_added_or_moved(steps: list[bytes], write_bytes: int | None) -> None:
    """A cut changes the writes and nothing else (ours)."""
    cutter = Cutter(write_bytes)
    pieces = [piece for step in steps for piece in cutter.feed(step)] + cutter.flush()
    assert b"".join(pieces) == b"".join(steps)
    assert b"" not in pieces
    assert cutter.flush() == []
    if write_bytes is None:
        assert pieces == [step for step in steps if step]
    elif write_bytes == 0:
        assert len(pieces) <= 1
    else:
        assert all(len(piece) == write_bytes for piece in pieces[:-1])
