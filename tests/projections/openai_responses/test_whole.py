"""A run as one response."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.projections.hand_logs import (
    DONE,
    QUESTION,
    RETRACTED,
    ROUND,
    ROUND_ENDED,
    RUN,
    STARTED,
    log,
    paused,
    said,
)
from tests.projections.openai_responses.tellings import Event, options
from treadle.projections.openai_responses.whole import WholeResponse
from treadle.values.events import EVENT_TYPES
from treadle.values.model import THINKING

BEGUN = (STARTED, ROUND, said("It ", "is"))


def told(*parts: Any) -> list[Event]:  # noqa: ANN401 (parts of a log)
    """What a log says, read."""
    fold = WholeResponse(RUN, options())
    return [json.loads(payload) for stretch in log(*parts) for payload in fold.payloads(stretch)]


def test_the_table_is_total() -> None:
    """Design §8: a total table keyed by event class."""
    assert set(WholeResponse.TABLE) == set(EVENT_TYPES)


@pytest.mark.requirement("OPENAI-responses")
def test_nothing_is_said_before_the_end_and_then_all_of_it() -> None:
    """Ours: one response, once, whatever follows."""
    assert told(*BEGUN) == []
    (response,) = told(*BEGUN, ROUND_ENDED, paused(QUESTION), ROUND, said("more", passage=2), DONE)
    assert [item["type"] for item in response["output"]] == ["message", "function_call"]


@pytest.mark.requirement("OPENAI-retraction")
def test_what_was_taken_back_is_not_in_it() -> None:
    """Design §8: a replay leaves void text out, in mid-passage too; what stood before stands."""
    before = STARTED, ROUND, said("First."), ROUND_ENDED
    void = ROUND, said("hm", passage=2, kind=THINKING), said("It was", passage=3), RETRACTED
    (response,) = told(*before, *void, ROUND, said("It is", passage=4), ROUND_ENDED, DONE)
    texts = [item["content"][0]["text"] for item in response["output"]]
    assert (texts, response["status"]) == (["First.", "It is"], "completed")
