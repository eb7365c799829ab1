"""What each event says to a call."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.projections.mcp.calls import RUN, SESSION, messages, result_of, telling, token_of, words_of
from tests.projections.mcp.hand import asking, began, entries, leave, outcome
from treadle.projections.mcp.project import EACH_CHARS, LONGEST_WORDS, ToolCallRun
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.events import EVENT_TYPES
from treadle.values.ids import CallId, InterruptId
from treadle.values.model import ARGUMENTS, TEXT, THINKING
from treadle.values.pauses import Resolution, Settlement
from treadle.values.stretches import SpeechStretch
from treadle.values.usage import UsageDelta

CALL = CallId("r1.c1")


def speech(index: int, *texts: str, kind: str = TEXT) -> SpeechStretch:
    """Speech as a stretch."""
    return SpeechStretch(seq=index, index=index, kind=kind, key=1, texts=texts, at_s=1.0)


def said_of(*events: ev.KernelEvent) -> list[str]:
    """The words of progress that these events say behind the first."""
    return words_of(messages([entries(began(), *events)], telling()))[1:]


@pytest.mark.requirement("MCP-fold")
def test_the_table_is_total() -> None:
    """Design 8: an unknown class is a `KeyError`, never a silent pass."""
    assert set(ToolCallRun.SAYS) == set(EVENT_TYPES)
    stretch = entries(began())
    object.__setattr__(stretch, "entries", (object(),))
    with pytest.raises((KeyError, AttributeError)):
        ToolCallRun(RUN, telling()).payloads(stretch)


@pytest.mark.requirement("MCP-progress")
def test_speech_is_told_of_at_its_first_character_and_then_for_a_thousand_each() -> None:
    """Ours: clients take silence for trouble, and a notice a piece would be a flood."""
    said = messages(
        [
            entries(began()),
            speech(1, "a"),
            speech(2, "b", "c" * (EACH_CHARS - 2)),
            speech(4, "d", "e", "f" * EACH_CHARS),
            speech(7, "x", kind=ARGUMENTS),
            speech(8, "h", "m", kind=THINKING),
        ],
        telling(),
    )
    assert words_of(said) == ["started", "writing", "writing", "writing", "thinking"]


def test_a_round_that_begins_is_told_to_write_anew() -> None:
    """Ours: whoever waits sees that it went on."""
    started = ev.RoundStarted(index=2, run_id=RUN, round=2, attempt=1, model="m")
    said = messages([entries(began()), speech(1, "a"), entries(started), speech(3, "b")], telling())
    assert words_of(said) == ["started", "writing", "round 2", "writing"]


def test_pieces_among_other_events_are_speech_too() -> None:
    """Ours: a log tells one thing in more than one way."""
    text = ev.TextDelta(index=1, run_id=RUN, passage=1, text="a")
    thinking = ev.Thinking(index=2, run_id=RUN, passage=1, text="h")
    assert said_of(text, thinking, ev.TextDelta(index=3, run_id=RUN, passage=1, text="b")) == ["writing", "thinking"]


@pytest.mark.requirement("MCP-progress")
def test_without_a_token_there_is_no_progress() -> None:
    """MCP: notifications of progress answer a token, and nobody else."""
    done = ev.Done(index=2, run_id=RUN, outcome=outcome("ab"))
    said = messages([entries(began()), speech(1, "ab"), entries(done)], telling(token_json=None))
    assert [one["id"] for one in said] == [7]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("add", ["calling add", "add: the tool failed", "calling add", "calling add"]),
        ("", ["step 1/2", "step 2/2", "step 3"]),
    ],
)
def test_calls_are_told_by_name_or_counted(name: str, told: list[str]) -> None:
    """Design 8: `opaque` says "step n/max", past it "step n"."""
    calls = [
        ev.ToolCall(index=at, run_id=RUN, request=ToolRequest(call_id=CallId(f"r1.c{at}"), name=name))
        for at in (1, 3, 4)
    ]
    failed = ToolOutcome(call_id=CALL, status=ToolStatus.FAILED, error="KeyError: secret")
    assert said_of(calls[0], ev.ToolResult(index=2, run_id=RUN, outcome=failed), *calls[1:]) == told


def test_what_a_tool_says_on_its_way_is_told_and_cut_to_a_line() -> None:
    """MCP: a message is for people."""
    call = ev.ToolCall(index=1, run_id=RUN, request=ToolRequest(call_id=CALL, name="add"))
    first = ev.ToolProgress(index=2, run_id=RUN, call_id=CALL, sequence=0, payload="half")
    second = ev.ToolProgress(index=3, run_id=RUN, call_id=CALL, sequence=1, payload={"done": "x" * LONGEST_WORDS})
    third = ev.ToolProgress(index=4, run_id=RUN, call_id=CallId("r1.c9"), sequence=0, payload=1)
    told = said_of(call, first, second, third)
    assert told[:2] == ["calling add", "add: half"]
    assert told[2].startswith('add: {"done":"xxx')
    assert (len(told[2]), told[2][-1]) == (LONGEST_WORDS, "…")
    assert told[3] == "a tool: 1"


def test_what_is_for_programs_is_told_as_json_and_by_its_type_alone_where_it_is_long() -> None:
    """MCP: structured events are compact JSON in a message, by a convention of one's own."""
    chart = ev.Extension(index=1, run_id=RUN, type="chart", payload={"points": [1, 2]})
    long = ev.Extension(index=2, run_id=RUN, type="chart", payload="x" * LONGEST_WORDS)
    extracted = ev.Extracted(index=3, run_id=RUN, tag="MEMORY", operations=({"op": "add"},))
    lost = ev.Dropped(index=4, run_id=RUN, dropped_kind="tool_progress", count=3, first=1, last=3)
    assert said_of(chart, long, extracted, lost) == [
        '{"type":"chart","value":{"points":[1,2]}}',
        '{"type":"chart"}',
        '{"type":"extracted","value":{"tag":"MEMORY","operations":[{"op":"add"}],"diagnostic":null}}',
        "3 of tool_progress lost",
    ]


def test_a_retraction_and_a_second_attempt_are_told() -> None:
    """Design 8: only progress was shown, so there is nothing to take back."""
    void = ev.Retracted(index=1, run_id=RUN, round=1, attempt=1, reason="model_busy")
    again = ev.RoundStarted(index=2, run_id=RUN, round=1, attempt=2, model="m")
    assert said_of(void, again) == ["starting over", "round 1, attempt 2"]


@pytest.mark.requirement("MCP-pause")
@pytest.mark.parametrize(
    ("settlement", "is_withdrawn"),
    [
        (Settlement.EXPIRED, True),
        (Settlement.CANCELLED, True),
        (Settlement.ANSWERED, False),
        (Settlement.DECLINED, False),
    ],
)
def test_what_nobody_can_answer_any_more_is_withdrawn_in_a_session(
    *, settlement: Settlement, is_withdrawn: bool
) -> None:
    """MCP: a request that is not waited for is cancelled by whoever sent it."""
    pending = asking()
    paused = ev.AskUser(index=1, run_id=RUN, pending=(pending,), outcome=outcome())
    elsewhere = Resolution(interrupt_id=InterruptId("r1.i8"), settlement=Settlement.EXPIRED)
    resolutions = (Resolution(interrupt_id=pending.interrupt_id, settlement=settlement), elsewhere)
    resumed = ev.Resumed(index=2, run_id=RUN, resolutions=resolutions)
    said = messages([entries(began(), paused, resumed)], telling(SESSION))
    assert said[1]["method"] == "elicitation/create"
    withdrawn = [one["params"] for one in said if one.get("method") == "notifications/cancelled"]
    wanted = [{"requestId": token_of(pending), "reason": settlement.value}] if is_withdrawn else []
    assert (withdrawn, words_of(said)[-1]) == (wanted, "going on")


@pytest.mark.requirement("MCP-due")
@pytest.mark.parametrize("version", ["2026-07-28", SESSION])
@pytest.mark.parametrize("lacks", ["capability", "token", "sight"])
def test_what_cannot_be_asked_here_is_said_to_be_due_and_where(version: str, lacks: str) -> None:
    """Design 8: a mount that may not show a pause says only that a decision is due; here it says where, too."""
    pending = leave({"euros": 3})
    if lacks == "sight":
        pending = replace(pending, request={}, response_schema={})
    more: dict[str, Any] = {"capability": {"can_ask": False}, "token": {"token_of": lambda _: None}, "sight": {}}[lacks]
    paused = ev.Interrupt(index=1, run_id=RUN, pending=(asking(), pending), outcome=outcome("May I? "))
    said = messages([entries(began(), paused)], telling(version, runs_url="https://a.example/v1/runs", **more))
    result = result_of(said)
    assert result["isError"] is True
    assert result["content"][0]["text"] == "May I? "
    assert result["content"][-1]["text"].startswith("decision_due: ")
    assert "POST https://a.example/v1/runs/r1/answers" in result["content"][-1]["text"]
    assert result["_meta"]["treadle/code"] == "decision_due"
    assert "euros" not in str(said)


@pytest.mark.requirement("MCP-due")
@pytest.mark.parametrize("version", ["2026-07-28", SESSION])
def test_what_is_too_large_to_be_asked_whole_is_not_asked(version: str) -> None:
    """Design 8: a pause shows whoever may answer it exactly what it asks about, or not at all."""
    paused = ev.Interrupt(index=1, run_id=RUN, pending=(leave({"text": "x" * 1_100_000}),), outcome=outcome())
    result = result_of(messages([entries(began(), paused)], telling(version)))
    assert (result["isError"], result["_meta"]["treadle/code"]) == (True, "decision_due")


@pytest.mark.parametrize("version", ["2025-03-26", "2024-11-05"])
def test_versions_without_questions_are_asked_none(version: str) -> None:
    """MCP 2025-06-18: the first version in which a server asks."""
    paused = ev.AskUser(index=1, run_id=RUN, pending=(asking(),), outcome=outcome())
    assert result_of(messages([entries(began(), paused)], telling(version)))["isError"] is True


@pytest.mark.requirement("MCP-pause")
def test_what_was_answered_is_not_asked_again() -> None:
    """Ours: of several pauses some may be answered before others."""
    paused = ev.Interrupt(index=1, run_id=RUN, pending=(asking(), leave(number=2)), outcome=outcome())
    told = telling(after=0, settled=frozenset({asking().interrupt_id}))
    result = result_of(messages([entries(began(), paused)], told))
    assert list(result["inputRequests"]) == ["r1.i2"]
    assert result["requestState"] == token_of(leave(number=2))


@pytest.mark.requirement("MCP-usage")
def test_what_was_spent_is_that_of_the_call() -> None:
    """Design 8: usage on a wire is its unit's."""
    paused = ev.AskUser(
        index=1, run_id=RUN, pending=(asking(),), outcome=outcome(usage=UsageDelta(input_tokens=10, output_tokens=2))
    )
    resumed = ev.Resumed(index=2, run_id=RUN, resolutions=())
    done = ev.Done(index=3, run_id=RUN, outcome=outcome("ok", usage=UsageDelta(input_tokens=25, output_tokens=5)))
    log = [entries(began(), paused, resumed, done)]
    spent = [
        result_of(messages(log, one))["_meta"]["treadle/usage"]
        for one in (telling(), telling(after=1), telling(SESSION))
    ]
    assert spent == [
        {"input_tokens": 10, "output_tokens": 2},
        {"input_tokens": 15, "output_tokens": 3},
        {"input_tokens": 25, "output_tokens": 5},
    ]


def test_behind_its_result_nothing_is_said() -> None:
    """MCP: a request is owed one response."""
    done = ev.Done(index=1, run_id=RUN, outcome=outcome())
    run = ToolCallRun(RUN, telling())
    assert len(run.payloads(entries(began(), done))) == 2
    assert (run.is_over, run.payloads(speech(2, "late"))) == (True, [])


def test_a_wait_that_is_over_for_this_call_is_not_told() -> None:
    """Ours: whoever made the call again knows what came before."""
    paused = ev.AskUser(index=1, run_id=RUN, pending=(asking(),), outcome=outcome())
    run = ToolCallRun(RUN, telling(after=1))
    assert (run.payloads(entries(began(), paused)), run.is_over) == ([], False)
