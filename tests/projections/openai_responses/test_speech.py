"""A passage as an output item."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.projections.hand_logs import RUN
from treadle.projections.openai_responses.frames import Frames
from treadle.projections.openai_responses.speech import OpenSpeech
from treadle.values.model import TEXT, THINKING


def told(kind: str) -> list[dict[str, Any]]:
    """All events of a passage of two pieces, at the third place."""
    frames, speech = Frames(-1), OpenSpeech(RUN, kind, 4, at=2)
    payloads = [*speech.begun(frames), *speech.said(frames, ("It ", "is")), *speech.closed(frames, "completed")]
    return [json.loads(payload) for payload in payloads]


@pytest.mark.requirement("OPENAI-responses")
def test_text_is_a_message_with_one_part() -> None:
    """Protocol: item, part, pieces, and the three ends in turn; every event names the item and its place."""
    events = told(TEXT)
    assert [event["type"] for event in events] == [
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
    ]
    assert events[0]["item"] == {
        "id": "msg_r1.p4",
        "type": "message",
        "role": "assistant",
        "status": "in_progress",
        "content": [],
    }
    assert events[2] == {
        "type": "response.output_text.delta",
        "sequence_number": 2,
        "item_id": "msg_r1.p4",
        "output_index": 2,
        "content_index": 0,
        "delta": "It ",
        "logprobs": [],
    }
    assert (events[4]["text"], events[5]["part"]["text"]) == ("It is", "It is")
    assert (events[6]["item"]["status"], events[6]["item"]["content"][0]["text"]) == ("completed", "It is")


def test_thinking_is_a_reasoning_item_with_one_summary() -> None:
    """Protocol: the same of a summary."""
    events = told(THINKING)
    assert [event["type"].removeprefix("response.") for event in events] == [
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
        "output_item.done",
    ]
    assert (events[2]["summary_index"], events[2]["delta"], "logprobs" in events[2]) == (0, "It ", False)
    assert events[6]["item"]["summary"] == [{"type": "summary_text", "text": "It is"}]
