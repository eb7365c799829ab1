"""A pause as an output item."""

from __future__ import annotations

import json

import pytest

from tests.projections.hand_logs import APPROVAL, QUESTION
from treadle.projections.openai_responses.asking import asked
from treadle.projections.openai_responses.frames import Frames


@pytest.mark.requirement("OPENAI-pauses")
def test_a_question_is_a_call_of_a_function_in_all_its_events() -> None:
    """Protocol: added without arguments, which follow, and done with them."""
    item, payloads = asked(QUESTION, "t", Frames(-1), server="calc", at=3)
    added, delta, done, whole = (json.loads(payload) for payload in payloads)
    assert (added["item"]["arguments"], added["item"]["status"], added["output_index"]) == ("", "in_progress", 3)
    assert delta["delta"] == done["arguments"] == item["arguments"]
    assert (delta["item_id"], whole["item"]) == ("fc_r1.i1", item)


@pytest.mark.requirement("OPENAI-pauses")
def test_leave_for_a_call_is_a_request_for_approval() -> None:
    """Protocol: an item that is whole at once."""
    item, payloads = asked(APPROVAL, "t", Frames(-1), server="calc", at=0)
    added, done = (json.loads(payload) for payload in payloads)
    assert added["item"] == done["item"] == item
    assert [added["type"], done["type"]] == ["response.output_item.added", "response.output_item.done"]
