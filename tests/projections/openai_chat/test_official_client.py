"""The official client, on runs that could have happened: it refuses no chunk, and holds what the log says."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.projections.legal_logs import LegalRun, legal_run
from tests.projections.openai_chat.tellings import accumulated, chunks_of, completion_of, token_of
from tests.projections.soaking import MANY, laps
from tests.projections.told_segments import Segment, segments_of
from treadle.projections.openai_chat.wire import usage_json
from treadle.values.exposure import TEXT_ONLY, UI, Exposure
from treadle.values.pauses import PauseKind, PendingInterrupt

RUNS = 500
FINISH = {"done": "stop", "paused": "tool_calls", "length": "length", "content_filter": "content_filter"}
NAMES = {PauseKind.ASK_USER: "ask_user", PauseKind.APPROVAL: "approve", PauseKind.FRONT_END: "pick_file"}


def check_stream(run: LegalRun, segment: Segment, exposure: Exposure) -> None:
    """What the client holds of a stream is what the log says of the segment."""
    payloads = chunks_of(run, segment.number, exposure=exposure)
    assert payloads[-1] == "[DONE]"
    held, error = accumulated(payloads)
    assert held is not None
    message = held.choices[0].message
    assert (message.role, message.content) == ("assistant", segment.text)
    assert getattr(message, "reasoning_content", "") == segment.thinking
    if (finish := FINISH.get(segment.end)) is None:
        assert error is not None
        assert (error["code"], held.choices[0].finish_reason) == (segment.end, None)
        return
    assert (error, held.choices[0].finish_reason) == (None, finish)
    told = held.usage.to_dict() if held.usage is not None else None
    assert told == usage_json(segment.usage)
    check_calls([call.to_dict() for call in message.tool_calls or []], segment)


def check_calls(calls: list[dict[str, object]], segment: Segment) -> None:
    """Each pause is a call, whole, with its token as the id."""
    assert [call["id"] for call in calls] == [token_of(pending) for pending in segment.pending]
    for call, pending in zip(calls, segment.pending, strict=True):
        function: dict[str, str] = call["function"]  # type: ignore[assignment]  # a call of a function
        assert function["name"] == name_of(pending)
        asked = pending.request["arguments"] if pending.kind is PauseKind.FRONT_END else pending.request
        assert json.loads(function["arguments"]).items() >= json.loads(json.dumps(dict(asked), default=list)).items()


def name_of(pending: PendingInterrupt) -> str:
    """What a pause is called."""
    return NAMES.get(pending.kind, "interrupt")


def check_whole(run: LegalRun, segment: Segment, exposure: Exposure) -> None:
    """The completion of a client that does not stream says the same; what was taken back is not in it."""
    told, failure = completion_of(run, segment.number, exposure=exposure)
    if (finish := FINISH.get(segment.end)) is None:
        assert (failure, told["error"]["code"]) == (segment.end, segment.end)
        return
    (choice,) = told["choices"]
    assert (failure, choice["finish_reason"]) == (None, finish)
    assert (choice["message"]["content"] or "", told.get("usage")) == (segment.text, usage_json(segment.usage))
    assert choice["message"].get("reasoning_content", "") == segment.thinking
    check_calls(choice["message"].get("tool_calls", []), segment)


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
                check_whole(run, segment, exposure)
    return ends


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.requirement("OPENAI-official", "OPENAI-chat", "OPENAI-endings")
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
