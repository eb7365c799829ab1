"""Events that are numbered."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.projections.openai_responses.frames import Frames, Template

SPOKEN = Template(kind="d", between=',"item_id":"m","delta":', behind=',"logprobs":[]}')


def said(frames: Frames) -> list[dict[str, object]]:
    """One event, three pieces, one event."""
    told = [*frames.event("a", x=1), *frames.pieces(SPOKEN, ("p", "q", "\u2028\ud800")), *frames.event("b")]
    assert all(payload.splitlines() == [payload] for payload in told)
    return [json.loads(payload) for payload in told]


@pytest.mark.requirement("OPENAI-sequence")
def test_numbers_are_dense_from_zero() -> None:
    """Protocol: `starting_after` is one of them."""
    told = said(Frames(-1))
    assert [event["sequence_number"] for event in told] == [0, 1, 2, 3, 4]
    assert told[0] == {"type": "a", "sequence_number": 0, "x": 1}
    assert told[1] == {"type": "d", "sequence_number": 1, "item_id": "m", "delta": "p", "logprobs": []}


@given(after=st.integers(-1, 6))
@pytest.mark.requirement("OPENAI-sequence")
def test_what_a_reader_has_is_counted_and_not_told(after: int) -> None:
    """Promise 4: neither a gap nor a repeat."""
    assert said(Frames(after)) == said(Frames(-1))[after + 1 :]
