"""What was said, in the conventions' messages."""

from __future__ import annotations

import json
from datetime import date

import pytest

from treadle.adapters.traces.content import Said, answered, arguments_text, asked, result_text
from treadle.values.calls import ToolOutcome, ToolStatus
from treadle.values.ids import CallId
from treadle.values.mappings import Json

CALL = CallId("r1.c1")


def test_the_parts_of_an_answer_stand_in_the_order_in_which_they_were_shown() -> None:
    """The conventions' output messages: text, reasoning and calls; pieces of one passage are one part."""
    said = Said()
    said.add("thinking", 1, ("h", "m"))
    said.add("text", 2, ("It ",))
    said.add("text", 2, ("is",))
    said.call(CALL, "add")
    said.add("arguments", CALL, ('{"a"', ":1}"))
    said.add("text", 3, ("3",))
    assert json.loads(said.message("tool_calls")) == [
        {
            "role": "assistant",
            "parts": [
                {"type": "reasoning", "content": "hm"},
                {"type": "text", "content": "It is"},
                {"type": "tool_call", "id": "r1.c1", "name": "add", "arguments": '{"a":1}'},
                {"type": "text", "content": "3"},
            ],
            "finish_reason": "tool_call",
        }
    ]


def test_a_call_whose_arguments_were_not_streamed_has_none_here() -> None:
    """Ours: they are on the span of the call."""
    said = Said()
    said.call(CALL, "add")
    assert json.loads(said.message("stop"))[0]["parts"] == [{"type": "tool_call", "id": "r1.c1", "name": "add"}]


@pytest.mark.parametrize(
    ("stop_reason", "expected"),
    [("stop", "stop"), ("length", "length"), ("tool_calls", "tool_call"), ("other", "error"), (None, "error")],
)
def test_the_reason_of_an_end_is_in_their_words(stop_reason: str | None, expected: str) -> None:
    """The conventions ask every answer for a reason; one that was cut has none of its own."""
    assert json.loads(answered("x", stop_reason)) == [
        {"role": "assistant", "parts": [{"type": "text", "content": "x"}], "finish_reason": expected}
    ]


def test_an_empty_answer_has_no_part() -> None:
    """Ours: nothing said is nothing told."""
    assert json.loads(answered("", "stop"))[0]["parts"] == []


def test_a_prompt_is_a_message_of_the_user() -> None:
    """The conventions' input messages."""
    assert json.loads(asked("1+2?")) == [{"role": "user", "parts": [{"type": "text", "content": "1+2?"}]}]


@pytest.mark.requirement("BR-185")
@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (ToolOutcome(call_id=CALL, content={"on": date(2020, 1, 2)}), {"on": "2020-01-02"}),
        (ToolOutcome(call_id=CALL, content=None), None),
        (
            ToolOutcome(call_id=CALL, status=ToolStatus.FAILED, content=[1], error="boom"),
            {"content": [1], "error": "boom"},
        ),
    ],
)
def test_a_result_of_any_kind_is_json(outcome: ToolOutcome, expected: Json) -> None:
    """BR-185: a date a tool returned breaks no trace; an error text stands beside the content."""
    assert json.loads(result_text(outcome)) == expected


def test_arguments_are_json() -> None:
    """Ours: as events hold them, redacted where the run redacts."""
    assert arguments_text({"a": 1, "b": (2, float("nan"))}) == '{"a":1,"b":[2,null]}'
