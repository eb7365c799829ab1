"""A run as chunks, event by event."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.projections.hand_logs import (
    APPROVAL,
    CALLED,
    CANCELLED,
    DONE,
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
from tests.projections.openai_chat.tellings import options
from treadle.projections.openai_chat.project import ChatRun
from treadle.values import events as ev
from treadle.values.events import EVENT_TYPES
from treadle.values.model import ARGUMENTS, THINKING
from treadle.values.outcome import InvocationOutcome
from treadle.values.stretches import EntryStretch
from treadle.values.usage import UsageDelta

BEGUN = (STARTED, ROUND, said("It ", "is"))
NOTES = (
    CALLED,
    made(ev.ToolProgress, call_id="r1.c1", sequence=0, payload={"done": 1}),
    RESULT,
    made(ev.Extension, type="timing", payload={"ms": 1}),
    made(ev.Extracted, tag="T", operations=({"a": 1},)),
)


def told(*parts: Any, **more: Any) -> list[Any]:  # noqa: ANN401 (parts of a log, fields of the options)
    """What a log says, read."""
    fold = ChatRun(RUN, options(**more))
    payloads = [payload for stretch in log(*parts) for payload in fold.payloads(stretch)]
    return [payload if payload == "[DONE]" else json.loads(payload) for payload in payloads]


def deltas(frames: Sequence[Any]) -> list[Any]:
    """The deltas of frames, and their finish reasons."""
    choices = [frame["choices"][0] for frame in frames if isinstance(frame, dict) and frame.get("choices")]
    return [choice["finish_reason"] or choice["delta"] for choice in choices]


def test_the_table_is_total() -> None:
    """Design §8: a total table keyed by event class."""
    assert set(ChatRun.TABLE) == set(EVENT_TYPES)


def test_an_event_of_no_known_class_is_refused() -> None:
    """Design §8: an unknown class is a KeyError, never a silent pass."""

    class Unknown:
        index, kind = 0, "unknown"

    stretch = EntryStretch(seq=0, index=0, entries=(Unknown(),), at_s=0.0)  # type: ignore[arg-type]  # the fault under test
    with pytest.raises(KeyError):
        ChatRun(RUN, options()).payloads(stretch)


@pytest.mark.requirement("OPENAI-chat")
def test_a_run_is_a_role_pieces_a_finish_usage_and_the_end_marker() -> None:
    """Protocol: one id, the role first, usage last and alone, `[DONE]`."""
    frames = told(*BEGUN, ROUND_ENDED, DONE)
    assert deltas(frames) == [{"role": "assistant", "content": ""}, {"content": "It "}, {"content": "is"}, "stop"]
    assert (frames[-1], frames[-2]["choices"], frames[-2]["usage"]["total_tokens"]) == ("[DONE]", [], 10)
    assert {frame["id"] for frame in frames[:-1]} == {"chatcmpl-r1.s1"}
    assert frames[0]["created"] == 1_700_000_000


def test_usage_is_said_to_whoever_asks_for_it() -> None:
    """Protocol: `stream_options.include_usage`."""
    assert not any("usage" in frame for frame in told(*BEGUN, DONE, include_usage=False)[:-1])


def test_thinking_is_a_field_of_its_own_and_argument_text_is_nothing() -> None:
    """Protocol: `reasoning_content` is what clients read; calls of the server are none of the client's."""
    frames = told(STARTED, ROUND, said("hm", kind=THINKING), said("{}", kind=ARGUMENTS), said("ok", passage=2), DONE)
    assert deltas(frames)[1:] == [{"reasoning_content": "hm"}, {"content": "ok"}, "stop"]


def test_speech_that_comes_as_entries_is_the_same_speech() -> None:
    """Law 6: the same log gives the same bytes, in whichever form a store gives it."""
    pieces = made(ev.TextDelta, passage=1, text="It "), made(ev.Thinking, passage=2, text="hm")
    frames = told(STARTED, ROUND, *pieces, DONE)
    assert deltas(frames)[1:] == [{"content": "It "}, {"reasoning_content": "hm"}, "stop"]


def test_what_the_server_does_is_beside_the_choice() -> None:
    """Protocol: to say it as `tool_calls` would ask the client to run it. Whether it is told is the mount's affair."""
    frames = told(STARTED, ROUND, *NOTES, DONE)[1:-3]
    assert [frame["choices"] for frame in frames] == [[]] * len(NOTES)
    assert [frame["treadle"]["kind"] for frame in frames] == [event.kind for event in NOTES]


def test_a_loss_is_told_where_what_was_lost_would_have_been() -> None:
    """EV-9: every loss is announced; to a reader of text alone nothing was lost."""
    lost = made(ev.Dropped, dropped_kind="tool_progress", count=1, first=0, last=0)
    assert told(STARTED, lost, DONE)[1]["treadle"]["count"] == 1
    assert deltas(told(STARTED, lost, DONE, tells_losses=False))[1:] == ["stop"]


@pytest.mark.requirement("OPENAI-pauses")
def test_a_pause_is_calls_that_the_client_is_to_answer() -> None:
    """Protocol: an index counted from 0, id and name once, `finish_reason` of tool calls."""
    frames = told(*BEGUN, ROUND_ENDED, paused(QUESTION, APPROVAL))
    calls = [delta["tool_calls"][0] for delta in deltas(frames)[3:-1]]
    assert [(call["index"], call["id"], call["function"]["name"]) for call in calls] == [
        (0, "token-r1.i1", "ask_user"),
        (1, "token-r1.i2", "approve"),
    ]
    assert deltas(frames)[-1] == "tool_calls"


@pytest.mark.requirement("OPENAI-pauses")
def test_a_pause_that_this_reader_can_do_nothing_about_is_an_error_that_says_so() -> None:
    """Design §8: it says only that a decision is due. A finish would say that the answer is whole."""
    frames = told(*BEGUN, paused(APPROVAL), token_of=lambda _: None)
    assert [frames[-2]["error"]["code"], frames[-1]] == ["decision_due", "[DONE]"]
    assert deltas(frames)[-1] == {"content": "is"}


@pytest.mark.requirement("OPENAI-endings")
@pytest.mark.parametrize(
    ("closing", "ends"),
    [
        (error("length"), "length"),
        (error("content_filter"), "content_filter"),
        (error("upstream_truncated", reference="r1.e1"), ("upstream_truncated", "r1.e1")),
        (error("internal", detail="KeyError"), ("internal", None)),
        (CANCELLED, ("cancelled", None)),
    ],
)
def test_how_a_run_ends_is_how_its_completion_ends(closing: Any, ends: Any) -> None:  # noqa: ANN401 (an event, an end)
    """Promise 3: a cut stream is never shown as done; BR-099: cancelled can be told from failed."""
    frames = told(*BEGUN, closing)
    if isinstance(ends, str):
        assert (deltas(frames)[-1], frames[-1]) == (ends, "[DONE]")
        return
    failed = frames[-2]["error"]
    assert ((failed["code"], failed.get("reference")), frames[-1]) == (ends, "[DONE]")
    assert frames[-3]["usage"]["total_tokens"] == 10
    assert deltas(frames)[-1] == {"content": "is"}


def test_foreign_text_is_told_where_it_comes_through() -> None:
    """Design §9: the exposure decides; what it lets through is said."""
    assert told(*BEGUN, error("internal", detail="KeyError"))[-2]["error"]["message"] == "KeyError"


@pytest.mark.requirement("OPENAI-retraction")
def test_taking_back_what_was_said_ends_the_completion_and_nothing_follows() -> None:
    """Design §8: its own error and the code `restarted`; the run goes on without it."""
    frames = told(*BEGUN, RETRACTED, ROUND, said("It was"), DONE)
    assert [frames[-2]["error"]["code"], frames[-1]] == ["restarted", "[DONE]"]
    assert deltas(frames)[-1] == {"content": "is"}


@pytest.mark.requirement("OPENAI-retraction")
def test_taking_back_what_nobody_was_told_ends_nothing() -> None:
    """Ours: an attempt that thought, on a mount that tells no thinking; one before it stands."""
    frames = told(*BEGUN, ROUND_ENDED, ROUND, RETRACTED, ROUND, said("3", passage=2), DONE)
    assert deltas(frames)[1:] == [{"content": "It "}, {"content": "is"}, {"content": "3"}, "stop"]


@pytest.mark.requirement("OPENAI-chat")
def test_a_later_segment_is_told_alone_with_its_own_usage() -> None:
    """Design §8: a completion is a segment; usage is its unit's."""
    spent = InvocationOutcome(text="", usage=UsageDelta(input_tokens=9, output_tokens=9), run_id=RUN)
    parts = *BEGUN, paused(QUESTION), RESUMED, ROUND, said("red", passage=2), made(ev.Done, outcome=spent)
    frames = told(*parts, segment=2)
    assert deltas(frames) == [{"role": "assistant", "content": ""}, {"content": "red"}, "stop"]
    assert frames[0]["id"] == "chatcmpl-r1.s2"
    assert frames[-2]["usage"] == {"prompt_tokens": 2, "completion_tokens": 6, "total_tokens": 8}
    assert told(*parts, segment=3) == []
    assert deltas(told(*parts))[-1] == "tool_calls"
