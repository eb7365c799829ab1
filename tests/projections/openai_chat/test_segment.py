"""What a completion that streams and one that does not have in common."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given

from tests.projections.legal_logs import LegalRun, legal_runs
from tests.projections.openai_chat.tellings import chunks_of, completion_of
from tests.projections.told_segments import segments_of
from treadle.projections.openai_chat.segment import FIELDS, ChatSegment
from treadle.values.exposure import UI


def told(chunks: list[str]) -> dict[str, Any]:
    """Text, finish reason and error of chunks that retract nothing."""
    said = [json.loads(chunk) for chunk in chunks if chunk != "[DONE]"]
    choices = [choice for one in said for choice in one.get("choices", ())]
    text = {name: "".join(choice["delta"].get(name) or "" for choice in choices) for name in FIELDS.values()}
    finish = next((choice["finish_reason"] for choice in choices if choice.get("finish_reason")), None)
    return {
        "text": text,
        "finish": finish,
        "error": next((one["error"]["code"] for one in said if "error" in one), None),
    }


@given(legal_runs)
def test_streamed_or_whole_a_segment_is_told_alike(run: LegalRun) -> None:
    """Ours: the same text, the same end, the same error, wherever nothing had to be taken back."""
    for number, _ in enumerate(segments_of(run, UI, takes_back=False), 1):
        streamed, (whole, failure) = told(chunks_of(run, number)), completion_of(run, number)
        if streamed["error"] == "restarted":
            continue
        assert streamed["error"] == failure
        if failure is None:
            (choice,) = whole["choices"]
            assert streamed["finish"] == choice["finish_reason"]
            assert streamed["text"] == {name: choice["message"].get(name) or "" for name in FIELDS.values()}


def test_what_is_alike_is_told_by_nobody_else() -> None:
    """Ours: a subclass says what is its own and nothing twice."""
    for kind in ChatSegment.__subclasses__():
        assert {event: kind.TABLE[event] for event in ChatSegment.COMMON} == dict(ChatSegment.COMMON)
