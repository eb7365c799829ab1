"""A run as events of a response, event by event."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.projections.hand_logs import (
    APPROVAL,
    CALL,
    CALLED,
    CANCELLED,
    DONE,
    FAILED,
    NAMED,
    QUESTION,
    RESULT,
    RESUMED,
    RETRACTED,
    ROUND,
    ROUND_ENDED,
    RUN,
    STARTED,
    error,
    log,
    made,
    paused,
    said,
)
from tests.projections.openai_responses.tellings import CREATED, Event, options
from treadle.projections.openai_responses.project import ResponseRun
from treadle.projections.openai_responses.wire import Marks
from treadle.values import events as ev
from treadle.values.events import EVENT_TYPES
from treadle.values.model import ARGUMENTS, THINKING
from treadle.values.stretches import EntryStretch

BEGUN = (STARTED, ROUND, said("It ", "is"))


def told(*parts: Any, **more: Any) -> list[Event]:  # noqa: ANN401 (parts of a log, fields of the options)
    """What a log says, read."""
    fold = ResponseRun(RUN, options(**more))
    return [json.loads(payload) for stretch in log(*parts) for payload in fold.payloads(stretch)]


def types(events: list[Event]) -> list[str]:
    """What they are, in short."""
    return [event["type"].removeprefix("response.") for event in events]


def items(events: list[Event]) -> list[tuple[str, str]]:
    """The items of the last event's response: what they are, and how they stand."""
    return [(item["type"], item.get("status", "")) for item in events[-1]["response"]["output"]]


def test_the_table_is_total() -> None:
    """Design §8: a total table keyed by event class."""
    assert set(ResponseRun.TABLE) == set(EVENT_TYPES)


def test_an_event_of_no_known_class_is_refused() -> None:
    """Design §8: an unknown class is a KeyError, never a silent pass."""

    class Unknown:
        index, kind = 0, "unknown"

    stretch = EntryStretch(seq=0, index=0, entries=(Unknown(),), at_s=0.0)  # type: ignore[arg-type]  # the fault under test
    with pytest.raises(KeyError):
        ResponseRun(RUN, options()).payloads(stretch)


@pytest.mark.requirement("OPENAI-responses")
def test_a_run_is_created_says_a_message_and_is_completed() -> None:
    """Protocol: `response.created` first; the whole response last, with its output and usage."""
    events = told(*BEGUN, ROUND_ENDED, DONE)
    assert types(events)[:2] == ["created", "in_progress"]
    assert types(events)[-1] == "completed"
    assert (events[0]["response"]["status"], events[0]["response"]["output"]) == ("in_progress", [])
    last = events[-1]["response"]
    assert (last["id"], last["created_at"], last["completed_at"]) == ("resp_r1.s1", CREATED, 1_700_000_000)
    assert (last["status"], last["usage"]["total_tokens"]) == ("completed", 10)
    assert items(events) == [("message", "completed")]


@pytest.mark.requirement("OPENAI-responses", "BR-102", "BR-103")
def test_each_passage_is_an_item_of_its_own_and_closed_before_the_next() -> None:
    """BR-103: text after thinking, or after a call, is another item; argument text is none."""
    parts = said("hm", kind=THINKING), said("a", passage=2), said("{}", kind=ARGUMENTS), said("b", passage=3)
    events = told(STARTED, ROUND, *parts, ROUND_ENDED, DONE)
    assert items(events) == [("reasoning", "completed"), ("message", "completed"), ("message", "completed")]
    added = [event["output_index"] for event in events if event["type"] == "response.output_item.added"]
    assert added == [0, 1, 2]
    single = made(ev.Thinking, passage=1, text="hm"), made(ev.TextDelta, passage=2, text="a")
    assert items(told(STARTED, ROUND, *single, DONE))[0] == ("reasoning", "completed")


@pytest.mark.requirement("OPENAI-tools")
def test_a_call_of_the_server_is_an_item_from_its_dispatch_to_its_result() -> None:
    """Protocol: `mcp_call`, one id in all its events (BR-166); a result that comes first brings its item along."""
    events = told(*BEGUN, ROUND_ENDED, CALLED, RESULT, ROUND, said("3", passage=2), ROUND_ENDED, DONE)
    call = [event for event in events if event.get("item_id") == "mcp_r1.c1"]
    assert types(call) == [
        "mcp_call_arguments.delta",
        "mcp_call_arguments.done",
        "mcp_call.in_progress",
        "mcp_call.completed",
    ]
    assert items(events) == [("message", "completed"), ("mcp_call", "completed"), ("message", "completed")]
    announced = made(ev.ToolAnnounced, call_id=CALL, name="add")
    never_ran = told(STARTED, ROUND, announced, ROUND_ENDED, FAILED, DONE)
    assert items(never_ran) == [("mcp_call", "failed")]
    assert "mcp_call.failed" in types(never_ran)


@pytest.mark.requirement("OPENAI-tools")
def test_calls_that_are_not_told_are_nowhere() -> None:
    """Design §8: OpenAI text only. A result alone, of a call that nobody was told of, is nothing."""
    assert items(told(*BEGUN, ROUND_ENDED, RESULT, DONE)) == [("message", "completed")]


def test_what_has_no_word_here_is_an_event_of_our_own() -> None:
    """Protocol: an event of a type of one's own with a number reaches the caller."""
    notes = (
        made(ev.ToolProgress, call_id=CALL, sequence=0, payload={"done": 1}),
        made(ev.Extension, type="timing", payload={"ms": 1}),
        made(ev.Extracted, tag="T", operations=({"a": 1},)),
        made(ev.Dropped, dropped_kind="tool_progress", count=1, first=0, last=0),
    )
    events = told(STARTED, *notes, DONE)[2:-1]
    assert [event["type"] for event in events] == [f"treadle.{event.kind}" for event in notes]
    assert (events[1]["event"]["kind"], events[1]["event"]["payload"]) == ("extension", {"ms": 1})
    assert types(told(STARTED, notes[-1], DONE, tells_losses=False)) == ["created", "in_progress", "completed"]


@pytest.mark.requirement("OPENAI-pauses")
def test_a_pause_completes_the_response_with_what_is_asked() -> None:
    """Protocol: questions are calls of functions, leave for a call is a request for approval."""
    events = told(*BEGUN, ROUND_ENDED, paused(QUESTION, APPROVAL))
    assert types(events)[-1] == "completed"
    assert items(events)[1:] == [("function_call", "completed"), ("mcp_approval_request", "")]
    output = events[-1]["response"]["output"]
    assert (output[1]["call_id"], output[2]["id"]) == ("token-r1.i1", "token-r1.i2")


@pytest.mark.requirement("OPENAI-pauses")
def test_a_pause_that_this_reader_can_do_nothing_about_leaves_it_incomplete() -> None:
    """Design §8: it says only that a decision is due. To be completed would say that the answer is whole."""
    events = told(*BEGUN, paused(APPROVAL), token_of=lambda _: None)
    last = events[-1]["response"]
    assert (types(events)[-1], last["status"]) == ("incomplete", "incomplete")
    assert last["incomplete_details"] == {"reason": "decision_due"}


def test_a_call_that_asks_in_the_middle_of_its_work_is_left_open_and_told_whole_later() -> None:
    """Ours: its item in this response is incomplete; the next response tells its result with all that it is."""
    parts = STARTED, ROUND, ROUND_ENDED, CALLED, paused(NAMED), RESUMED, RESULT, DONE
    assert items(told(*parts)) == [("mcp_call", "incomplete"), ("function_call", "completed")]
    second = told(*parts, segment=2)
    assert items(second) == [("mcp_call", "completed")]
    assert second[-1]["response"]["output"][0]["arguments"] == '{"a":1}'


@pytest.mark.requirement("OPENAI-endings")
@pytest.mark.parametrize(
    ("closing", "kind", "status", "why"),
    [
        (error("length"), "incomplete", "incomplete", "max_output_tokens"),
        (error("content_filter"), "incomplete", "incomplete", "content_filter"),
        (error("stalled", reference="r1.e1"), "failed", "failed", "stalled"),
        (CANCELLED, "incomplete", "cancelled", "cancelled"),
    ],
)
def test_how_a_run_ends_is_how_its_response_ends(closing: Any, kind: str, status: str, why: str) -> None:  # noqa: ANN401 (an event)
    """Promise 3: what was cut is never shown as whole, and is closed before the end (BR-096, BR-099)."""
    events = told(*BEGUN, closing)
    last = events[-1]["response"]
    assert (types(events)[-1], last["status"]) == (kind, status)
    assert why in (last["error"] or last["incomplete_details"]).values()
    assert items(events) == [("message", "incomplete")]
    assert types(events)[-4:-1] == ["output_text.done", "content_part.done", "output_item.done"]
    assert last["usage"]["total_tokens"] == 10


@pytest.mark.requirement("OPENAI-retraction")
def test_taking_back_what_was_said_fails_the_response_and_nothing_follows() -> None:
    """Design §8: its own error and the code `restarted`; the run goes on without it."""
    events = told(*BEGUN, RETRACTED, ROUND, said("It was", passage=2), DONE)
    assert (types(events)[-1], events[-1]["response"]["error"]["code"]) == ("failed", "restarted")
    assert items(events) == [("message", "incomplete")]


@pytest.mark.requirement("OPENAI-retraction")
def test_taking_back_what_nobody_was_told_ends_nothing() -> None:
    """Ours: an attempt that thought, on a mount that tells no thinking; one before it stands."""
    events = told(*BEGUN, ROUND_ENDED, ROUND, RETRACTED, ROUND, said("3", passage=2), DONE)
    assert types(events)[-1] == "completed"


@pytest.mark.requirement("OPENAI-responses")
def test_a_later_segment_is_a_response_of_its_own() -> None:
    """Design §8: a response is a segment, made when the run goes on; usage is its unit's."""
    parts = *BEGUN, paused(QUESTION), RESUMED, ROUND, said("red", passage=2), ROUND_ENDED, DONE
    events = told(*parts, segment=2, marks=Marks(previous="resp_r0.s1"))
    created = events[0]["response"]
    assert (created["id"], created["created_at"]) == ("resp_r1.s2", 1_700_000_000)
    assert created["previous_response_id"] == "resp_r1.s1"
    assert events[-1]["response"]["usage"] is None
    assert items(events) == [("message", "completed")]
    assert told(*parts, segment=3) == []


def test_a_response_stands_somewhere_at_any_time() -> None:
    """Protocol: queued, in progress with what it has said, and how it ended."""
    fold = ResponseRun(RUN, options())
    standing = [(fold.response["status"], [])]
    for stretch in log(*BEGUN, DONE):
        fold.payloads(stretch)
        told = fold.response
        standing.append((told["status"], [item["status"] for item in told["output"]]))
    assert standing == [
        ("queued", []),
        ("in_progress", []),
        ("in_progress", []),
        ("in_progress", ["in_progress"]),
        ("completed", ["incomplete"]),
    ]
