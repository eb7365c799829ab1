"""What holds of every run that is told to a call."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.projections.legal_logs import LegalRun, Mix, legal_run, legal_runs
from tests.projections.log_cuts import recut
from tests.projections.mcp.calls import (
    SESSION,
    broken_rules,
    messages,
    payloads,
    result_of,
    telling,
    text_of,
    words_of,
)
from treadle.projections.mcp.project import ToolCallRun
from treadle.projections.mcp.telling import Telling
from treadle.projections.mcp.wire import HANDSHAKE, LARGEST_EVENT, MODERN
from treadle.values import events as ev
from treadle.values.events import CLOSING_TYPES, FINAL_TYPES, PAUSE_TYPES
from treadle.values.exposure import OPAQUE, TEXT_ONLY, UI, Exposure

EXPOSURES = (UI, TEXT_ONLY, OPAQUE, Exposure(tools="names", extensions=frozenset({"note", "chart"})))  # type: ignore[arg-type]  # the word does
tellings = st.builds(
    telling,
    version=st.sampled_from([MODERN, *HANDSHAKE]),
    token_json=st.sampled_from([None, '"p"', "3"]),
    id_json=st.sampled_from(["7", '"7"', '"\\u00e9"']),
    can_ask=st.booleans(),
)
exposures = st.sampled_from(EXPOSURES)


def closings(run: LegalRun) -> list[ev.ClosingEvent]:
    """Its closing events."""
    return [event for event in run.events if isinstance(event, CLOSING_TYPES)]


@pytest.mark.requirement("MCP-fold")
@given(run=legal_runs, told=tellings, exposure=exposures, cuts=st.integers(0, 999))
def test_however_the_log_was_cut_the_call_is_told_the_same(
    run: LegalRun, told: Telling, exposure: Exposure, cuts: int
) -> None:
    """Design law 6: the same log gives the same bytes."""
    assert payloads(recut(run.stretches, cuts), told, exposure) == payloads(run.stretches, told, exposure)


@pytest.mark.requirement("MCP-call")
@given(run=legal_runs, told=tellings, exposure=exposures)
def test_every_call_is_sound(run: LegalRun, told: Telling, exposure: Exposure) -> None:
    """MCP: a response is the last message and bears the call's id; progress bears its token, and grows."""
    said = messages(run.stretches, told, exposure)
    assert broken_rules(said, told) == []
    assert bool(words_of(said)) == (told.token_json is not None)
    assert all(len(payload.encode()) <= LARGEST_EVENT for payload in payloads(run.stretches, told, exposure))


@pytest.mark.requirement("MCP-result")
@given(run=legal_runs, told=tellings)
def test_a_run_that_came_to_its_end_gives_a_result_and_every_other_one_says_what_it_came_to(
    run: LegalRun, told: Telling
) -> None:
    """Promise: a cut stream is never shown as done; what was shown is in the result in every ending."""
    said = messages(run.stretches, told)
    first = closings(run)[0]
    is_asked = told.asks and isinstance(first, PAUSE_TYPES)
    if is_asked and told.is_modern:
        assert result_of(said)["resultType"] == "input_required"
        return
    end = run.end if is_asked else first
    if isinstance(end, PAUSE_TYPES) and is_asked:
        assert "result" not in said[-1]
        return
    assert isinstance(end, CLOSING_TYPES)
    result = result_of(said)
    assert text_of(result).startswith(end.outcome.text)
    assert result["isError"] == (not isinstance(end, ev.Done))
    assert ("resultType" in result) == told.is_modern
    if isinstance(end, ev.Done):
        assert text_of(result) == end.outcome.text
    else:
        code = end.code if isinstance(end, ev.Error) else result["_meta"]["treadle/code"]
        assert result["content"][-1]["text"].startswith(f"{code}: ")


@pytest.mark.requirement("MCP-pause")
@given(run=legal_runs)
def test_in_a_session_every_pause_is_asked_on_the_stream_of_its_call(run: LegalRun) -> None:
    """MCP 2025-11-25: a server asks its client while a request is open."""
    told = telling(SESSION)
    asked = [one["id"] for one in messages(run.stretches, told) if one.get("method") == "elicitation/create"]
    waits = [event for event in run.events if isinstance(event, PAUSE_TYPES)]
    assert asked == [told.token_of(one) for event in waits for one in event.pending]


@pytest.mark.requirement("MCP-pause")
@given(run=legal_runs)
def test_a_call_that_is_made_again_is_told_its_segment_and_its_numbers_go_on(run: LegalRun) -> None:
    """MCP 2026-07-28: a pause ends the call, the same call made again goes on; progress grows with every notice."""
    number = 0
    after = -1
    for end in closings(run):
        told = telling(after=after)
        said = messages(run.stretches, told)
        assert broken_rules(said, told) == []
        progress = [one["params"]["progress"] for one in said if "method" in one]
        assert progress == sorted(set(progress))
        assert all(one > number for one in progress)
        assert (result_of(said).get("resultType") == "input_required") == isinstance(end, PAUSE_TYPES)
        number, after = max([number, *progress]), end.index
        if isinstance(end, PAUSE_TYPES):
            again = result_of(messages(run.stretches, telling(after=end.index - 1, note="no!")))
            assert again["requestState"] == result_of(said)["requestState"]
            assert all(one["params"]["message"].startswith("no!\n") for one in again["inputRequests"].values())


@pytest.mark.requirement("MCP-exposure")
@given(run=legal_runs)
def test_progress_says_nothing_that_the_model_or_a_tool_said(run: LegalRun) -> None:
    """Design 8: the wire is text only, and the text is in the result alone."""
    told = {word.rstrip("0123456789, ") for word in words_of(messages(run.stretches, telling(SESSION), TEXT_ONLY))}
    assert {word for word in told if "lost" not in word} <= {
        *("started", "going on", "starting over", "writing", "round", "round 1, attempt", "round 2, attempt"),
        *("round 3, attempt", "round 4, attempt"),
    }


@pytest.mark.requirement("MCP-exposure")
@pytest.mark.parametrize("exposure", EXPOSURES)
def test_a_call_tells_of_tools_as_far_as_its_mount_may(exposure: Exposure) -> None:
    """Design 8: `names` says which, `opaque` counts steps, `none` says nothing."""
    run = legal_run(3, Mix(done=1, error=0, cancelled=0, waiting=0, paused=0, parallel=1))
    calls = [event.request.name for event in run.events if isinstance(event, ev.ToolCall)]
    said = words_of(messages(run.stretches, telling(), exposure))
    named = [word.removeprefix("calling ") for word in said if word.startswith("calling ")]
    steps = [word for word in said if word.startswith("step ")]
    assert named == (calls if exposure.tools in ("full", "names") else [])
    assert steps == ([f"step {at + 1}/64" for at in range(len(calls))] if exposure.tools == "opaque" else [])


def test_the_messages_of_a_call_name_their_events() -> None:
    """Ours: whoever comes back is told what lies behind the event that was said last."""
    run = legal_run(8)
    fold = ToolCallRun(run.run_id, telling(SESSION))
    said = [one for stretch in run.stretches for one in fold.said(stretch)]
    indexes = [one.at for one in said]
    assert indexes == sorted(indexes)
    assert isinstance(run.end, FINAL_TYPES)
    assert indexes[-1] == run.end.index
    assert [json.loads(one.payload) for one in said] == messages(run.stretches, telling(SESSION))
