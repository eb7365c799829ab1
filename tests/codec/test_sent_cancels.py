"""Wishes that a run stops, on their way to its owner."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.codec.sent_cancels import SentCancel, dump_cancel, load_cancel
from treadle.values.facts import CancelKept

asked = st.builds(CancelKept, by=st.text(max_size=5), at_s=st.floats(0, 1e10), reason=st.none() | st.text(max_size=5))


@given(st.none() | st.text(max_size=5), st.none() | asked)
def test_what_is_sent_is_what_is_heard(reason: str | None, who: CancelKept | None) -> None:
    """Ours: who asked, when and why come through whole, or as nobody's."""
    sent = SentCancel(reason=reason, asked=who)
    assert load_cancel(dump_cancel(sent)) == sent


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", None),
        (b"stop button", "stop button"),
        (b"\xff", "\N{REPLACEMENT CHARACTER}"),
        (b"{}", "{}"),
        (b"[1]", "[1]"),
        (b'{"reason":3,"asked":null}', '{"reason":3,"asked":null}'),
    ],
)
def test_whatever_is_sent_stops_the_run(body: bytes, reason: str | None) -> None:
    """Ours: a stop is never lost for its form; what is of another one is the reason."""
    assert load_cancel(body) == SentCancel(reason=reason)
