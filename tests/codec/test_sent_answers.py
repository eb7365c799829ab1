"""Answers on their way to a run's owner."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.values.event_samples import json_values
from treadle.codec.foreign import json_value
from treadle.codec.sent_answers import SentAnswer, dump_answer, load_answer
from treadle.errors import RecordFormatError
from treadle.values.facts import DecisionKept
from treadle.values.ids import InterruptId
from treadle.values.pauses import Decision, Resolution, Settlement

NAMED = InterruptId("r.i1")
DECIDED = DecisionKept(interrupt_id=NAMED, decision=Decision.ANSWER, by="ann", at_s=1.5)


@given(json_values, st.sampled_from(Settlement), st.none() | st.text(max_size=5))
def test_what_is_sent_is_what_is_heard(value: object, settlement: Settlement, reason: str | None) -> None:
    """Ours: nothing of an answer changes on its way."""
    resolution = Resolution(interrupt_id=NAMED, settlement=settlement, value=json_value(value), reason=reason)
    sent = SentAnswer(resolution=resolution, decided=DECIDED)
    assert load_answer(dump_answer(sent)) == sent


@pytest.mark.parametrize("body", [b"", b"\xff", b"{}", b'{"resolution":{},"decided":{}}', b"[]"])
def test_a_body_that_holds_no_answer_is_said_to(body: bytes) -> None:
    """Ours: whoever writes into an inbox by other means harms no run."""
    with pytest.raises(RecordFormatError):
        load_answer(body)


def test_both_parts_are_about_one_pause() -> None:
    """Ours: legal if it exists."""
    other = Resolution(interrupt_id=InterruptId("r.i2"), settlement=Settlement.ANSWERED)
    with pytest.raises(ValueError, match="one pause"):
        SentAnswer(resolution=other, decided=DECIDED)
