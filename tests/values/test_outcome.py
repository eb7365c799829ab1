"""How a run stands when it closes a segment."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.values.event_samples import outcomes
from treadle.values.mappings import frozen
from treadle.values.outcome import InvocationOutcome


@given(outcomes)
def test_the_answer_is_the_tail_of_the_text(outcome: InvocationOutcome) -> None:
    """Ours (EV-10): one text, and where the answer begins in it."""
    assert outcome.text[: outcome.answer_at] + outcome.answer == outcome.text


@given(st.text(max_size=5), st.integers(-3, 9))
def test_the_answer_begins_within_the_text(text: str, at: int) -> None:
    """Ours: legal if it exists."""
    if 0 <= at <= len(text):
        assert InvocationOutcome(text=text, answer_at=at).answer == text[at:]
    else:
        with pytest.raises(ValueError, match="answer_at must lie within"):
            InvocationOutcome(text=text, answer_at=at)


@pytest.mark.parametrize("duration_ms", [-0.1, math.inf, math.nan])
def test_the_time_a_run_took_is_a_finite_number_of_milliseconds(duration_ms: float) -> None:
    """Ours: legal if it exists, and JSON can say it."""
    with pytest.raises(ValueError, match="duration_ms must be a finite number of 0 or more"):
        InvocationOutcome(text="", duration_ms=duration_ms)


def test_the_output_is_frozen() -> None:
    """Ours: an outcome is shared by every reader."""
    mine = {"rows": [1]}
    outcome = InvocationOutcome(text="", output=mine)
    mine["rows"].append(2)
    assert outcome.output == frozen({"rows": [1]})
