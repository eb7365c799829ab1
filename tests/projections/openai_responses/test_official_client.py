"""The official client, on runs that could have happened: it refuses no event, and holds what the log says."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from tests.projections.legal_logs import LegalRun, legal_run
from tests.projections.openai_responses.tellings import Event, accumulated, events_of_response, token_of, whole_of
from tests.projections.soaking import MANY, laps
from tests.projections.told_segments import RESTARTED, Segment, segments_of
from treadle.projections.openai_responses.wire import usage_json
from treadle.values.exposure import TEXT_ONLY, UI, Exposure
from treadle.values.pauses import PauseKind

RUNS = 500
ENDS = {
    "done": ("response.completed", "completed", None),
    "paused": ("response.completed", "completed", None),
    "cancelled": ("response.incomplete", "cancelled", "cancelled"),
    "length": ("response.incomplete", "incomplete", "max_output_tokens"),
}


def speech_in(output: list[Event]) -> list[tuple[str, str]]:
    """The passages that items hold."""
    said = []
    for item in output:
        if item["type"] == "message":
            said.append(("text", "".join(part["text"] for part in item["content"])))
        elif item["type"] == "reasoning":
            said.append(("thinking", "".join(part["text"] for part in item["summary"])))
    return said


def check_response(response: Event, segment: Segment) -> None:
    """What a response says is what the log says of the segment."""
    assert speech_in(response["output"]) == segment.passages
    assert response["usage"] == (None if segment.end == RESTARTED else usage_json(segment.usage))
    if segment.end not in ENDS:
        assert (response["status"], response["error"]["code"]) == ("failed", segment.end)
        return
    _, status, reason = ENDS[segment.end]
    assert (response["status"], response["error"]) == (status, None)
    assert response["incomplete_details"] == (None if reason is None else {"reason": reason})
    asked = [item for item in response["output"] if item["type"] in ("function_call", "mcp_approval_request")]
    assert [item.get("call_id", item["id"]) for item in asked] == [token_of(pending) for pending in segment.pending]
    for item, pending in zip(asked, segment.pending, strict=True):
        is_approval = pending.kind is PauseKind.APPROVAL
        assert item["type"] == ("mcp_approval_request" if is_approval else "function_call")
        asks_about_a_call = pending.kind in (PauseKind.APPROVAL, PauseKind.FRONT_END)
        asked_for: Any = pending.request["arguments"] if asks_about_a_call else pending.request
        assert json.loads(item["arguments"]).items() >= json.loads(json.dumps(dict(asked_for), default=list)).items()


def check_stream(run: LegalRun, segment: Segment, exposure: Exposure) -> None:
    """The client holds the segment, and each of its events is where it belongs."""
    events = events_of_response(run, segment.number, exposure=exposure)
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    held = accumulated(events)
    last = events[-1]
    assert last["type"] == ENDS.get(segment.end, ("response.failed",))[0]
    assert (held is not None) == (last["type"] == "response.completed")
    if held is not None:
        assert held.output_text == segment.text
    check_response(last["response"], segment)
    check_brackets(events)


def check_brackets(events: list[Event]) -> None:
    """Each item is added once, spoken of while it is open, and done once, as it stands in the end."""
    open_: dict[int, str] = {}
    done: list[Event] = []
    for event in events:
        if event["type"] == "response.output_item.added":
            assert event["output_index"] == len(open_) + len(done)
            open_[event["output_index"]] = event["item"]["id"]
        elif event["type"] == "response.output_item.done":
            assert open_.pop(event["output_index"]) == event["item"]["id"]
            done.append(event["item"])
        elif "item_id" in event:
            assert open_[event["output_index"]] == event["item_id"]
    assert open_ == {}
    assert sorted(item["id"] for item in done) == sorted(item["id"] for item in events[-1]["response"]["output"])
    for item in events[-1]["response"]["output"]:
        assert item in done


def check_runs(seeds: range) -> Counter[str]:
    """Every segment of each run, told in full, of some as text alone too; how often each end came."""
    ends: Counter[str] = Counter()
    for seed in seeds:
        run = legal_run(seed)
        for exposure in (UI, TEXT_ONLY) if seed % 4 == 0 else (UI,):
            for segment in segments_of(run, exposure, takes_back=False):
                check_stream(run, segment, exposure)
                ends[segment.end] += 1
            for segment in segments_of(run, exposure, takes_back=True):
                check_response(whole_of(run, segment.number, exposure=exposure), segment)
    return ends


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.requirement("OPENAI-official", "OPENAI-responses", "OPENAI-endings")
def test_it_takes_five_hundred_runs() -> None:
    """Promise 14: strict clients accept every stream; promise 1: what a client holds is what the log says."""
    ends = check_runs(range(RUNS))
    assert {"done", "paused", "cancelled", "restarted", "length", "upstream_truncated"} <= ends.keys()


@pytest.mark.soak
@pytest.mark.requirement("OPENAI-official")
def test_it_takes_ten_thousand_runs() -> None:
    """Promise 14: over generated runs (TREADLE_SOAK_SEED draws others)."""
    for seeds in laps(MANY):
        check_runs(seeds)
