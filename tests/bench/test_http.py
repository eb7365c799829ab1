"""The race over HTTP: both sides say what is asked of them, and the load counts it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

# The bench is programs in one folder, which name each other as programs do.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from http_asking import Asked
from http_load import LoadError, Served, _check, first_delta_s, read_all, stream_bytes
from workload import deltas

del sys.path[0]


@given(st.integers(1, 10_000), st.booleans(), st.booleans())
def test_what_is_asked_comes_back_from_a_prompt(count: int, yields: bool, holds: bool) -> None:  # noqa: FBT001 (a case is drawn)
    """Ours: both sides read the same words."""
    asked = Asked(deltas=count, yields=yields, holds=holds)
    assert Asked.read(str(asked)) == asked


@pytest.mark.slow
@pytest.mark.parametrize("side", ["raw", "memory", "sqlite"])
def test_every_side_says_the_script_and_tells_what_it_used(side: str) -> None:
    """Ours: nothing is fast by losing text, and nothing is small by being gone."""
    with Served(side, "uvicorn-asyncio") as served:
        before = served.used()
        assert read_all(served, Asked(deltas=50, yields=True), 3).sends >= 3
        assert first_delta_s(served, Asked(deltas=2)) > 0
        stream_bytes(served, Asked(deltas=2, holds=True), streams=5, of_one_run=side != "raw")
        after = served.used()
        assert after.cpu_s > before.cpu_s
        assert after.rss_bytes > 0


def test_a_text_that_is_not_whole_is_no_measurement() -> None:
    """Ours: a stream that lost something is told, however fast it was."""
    said = "".join(deltas(3))
    whole = b'HTTP/1.1 200 OK\r\n\r\ndata: {"text":"%s"}\n\n' % said.encode()
    _check(whole, Asked(deltas=3))
    for heard, asked in ((whole, 4), (whole.replace(said[:1].encode(), b"?"), 3), (b"HTTP/1.1 500\r\n\r\n" + whole, 3)):
        with pytest.raises(LoadError):
            _check(heard, Asked(deltas=asked))
