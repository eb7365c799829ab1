"""The OpenAI chat dialect: requests read, steps given bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from treadle.testing.faults.dialect import Ask, BadAskError
from treadle.testing.faults.openai_chat import OpenAIChat
from treadle.testing.faults.scenario import call, counts
from treadle.testing.faults.steps import (
    Calls,
    Chunk,
    Counts,
    Delta,
    Done,
    ErrorChunk,
    Finish,
    Fragment,
    RoleOnly,
    Speech,
    Status,
    Text,
    Think,
    Usage,
)

ASK = Ask(scenario="m", round_at=0, streamed=True, wants_usage=True)
USER = {"role": "user", "content": "Hi"}
ENVELOPE = {"id": "chatcmpl-fault", "object": "chat.completion.chunk", "created": 0, "model": "m"}


def _assistant(*call_ids: str, arguments: str = "{}") -> dict[str, Any]:
    function = {"name": "ping", "arguments": arguments}
    asked = [{"id": call_id, "type": "function", "function": function} for call_id in call_ids]
    return {"role": "assistant", "content": None, "tool_calls": asked}


def _result(call_id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": "pong"}


def _sent(step: Speech, ask: Ask = ASK) -> object:
    frame = OpenAIChat().encode(step, ask)
    assert frame.startswith(b"data: ")
    assert frame.endswith(b"\n\n")
    return json.loads(frame[6:])


def _choice(delta: object, reason: str | None = None) -> dict[str, Any]:
    return ENVELOPE | {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


@pytest.mark.parametrize(
    ("messages", "round_at"),
    [
        ([USER], 0),
        ([USER, _assistant("a"), _result("a")], 1),
        ([USER, _assistant("a", "b"), _result("b"), _result("a"), _assistant("a"), _result("a")], 2),
        ([USER, {"role": "assistant", "content": "x"}, USER], 0),
        ([{"role": "system", "content": "s"}], 0),
    ],
)
def test_the_round_is_counted_from_the_last_user_message(messages: list[Any], round_at: int) -> None:
    """The request alone says which round it is (ours)."""
    ask = OpenAIChat().read({"model": "m", "messages": messages, "stream": True})
    assert ask == Ask(scenario="m", round_at=round_at, streamed=True, wants_usage=False)


def test_usage_is_wanted_if_asked_for_or_not_streamed() -> None:
    """OpenAI sends usage on a stream for `stream_options.include_usage` alone."""
    body = {"model": "m", "messages": [USER]}
    assert OpenAIChat().read(body).wants_usage
    assert OpenAIChat().read(body | {"stream": True, "stream_options": {"include_usage": True}}).wants_usage
    unasked = Ask(scenario="m", round_at=0, streamed=True, wants_usage=False)
    assert OpenAIChat().encode(Usage(counts=counts(1, 2)), unasked) == b""
    with_finish = OpenAIChat().encode(Finish(reason="stop", usage=counts(1, 2)), unasked)
    assert b'"total_tokens":3' in with_finish


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [USER]},
        {"model": "m"},
        {"model": "m", "messages": []},
        {"model": "m", "messages": ["Hi"]},
        {"model": "m", "messages": [USER, _assistant("a")]},
        {"model": "m", "messages": [USER, _assistant("a"), USER]},
        {"model": "m", "messages": [USER, _assistant("a", "b"), _result("a"), USER, _result("b")]},
        {"model": "m", "messages": [USER, _assistant("a"), _result("a"), _result("a")]},
        {"model": "m", "messages": [USER, _result("a")]},
        {"model": "m", "messages": [USER, _assistant("a", "a"), _result("a"), _result("a")]},
        {"model": "m", "messages": [USER, _assistant(""), _result("")]},
        {"model": "m", "messages": [USER, _assistant("a", arguments=""), _result("a")]},
        {"model": "m", "messages": [USER, _assistant("a", arguments='{"q"'), _result("a")]},
        {"model": "m", "messages": [USER, _assistant("a", arguments="[]"), _result("a")]},
        {"model": "m", "messages": [USER, {"role": "assistant", "tool_calls": [{"id": "a"}]}, _result("a")]},
    ],
)
def test_a_request_a_strict_provider_would_refuse_is_refused(body: dict[str, Any]) -> None:
    """Each call has one result, directly after its turn; arguments are objects (OpenAI, servers with templates)."""
    with pytest.raises(BadAskError):
        OpenAIChat().read(body)


@pytest.mark.parametrize(
    ("step", "chunk"),
    [
        (RoleOnly(), _choice({"role": "assistant", "content": ""})),
        (Text(text="é"), _choice({"content": "é"})),
        (
            Text(text="a", usage=Counts(output_tokens=1)),
            _choice({"content": "a"}) | {"usage": {"completion_tokens": 1}},
        ),
        (Think(text="h"), _choice({"reasoning_content": "h"})),
        (Delta(fields={"content": None}), _choice({"content": None})),
        (Chunk(fields={"choices": []}), ENVELOPE | {"choices": []}),
        (Finish(reason="stop"), _choice({}, "stop")),
        (
            Usage(counts=Counts(input_tokens=9, cache_read_tokens=4, reasoning_tokens=2)),
            ENVELOPE
            | {
                "choices": [],
                "usage": {
                    "prompt_tokens": 9,
                    "prompt_tokens_details": {"cached_tokens": 4},
                    "completion_tokens_details": {"reasoning_tokens": 2},
                },
            },
        ),
        (Usage(counts=Counts(), choices="empty_delta"), _choice({})),
        (ErrorChunk(message="m", shape="string"), {"error": "m"}),
        (
            ErrorChunk(kind="k", code="c", message="m"),
            {"error": {"message": "m", "type": "k", "param": None, "code": "c"}},
        ),
        (
            ErrorChunk(kind="k", message="m", shape="beside_choices"),
            _choice({"content": ""}, "error") | {"error": {"message": "m", "type": "k", "param": None, "code": None}},
        ),
    ],
)
def test_a_step_is_one_event_in_the_providers_words(step: Speech, chunk: dict[str, Any]) -> None:
    """OpenAI API reference, chat completion chunks."""
    assert _sent(step) == chunk


@pytest.mark.parametrize(
    ("fragment", "fields"),
    [
        (Fragment(), {}),
        (
            Fragment(index=None, call_id=None, arguments=None),
            {"index": None, "id": None, "function": {"arguments": None}},
        ),
        (Fragment(index=0, call_id="", name=""), {"index": 0, "id": "", "type": "function", "function": {"name": ""}}),
    ],
)
def test_a_part_of_a_call_can_be_absent_null_or_empty(fragment: Fragment, fields: dict[str, Any]) -> None:
    """The three are told apart on the wire (ours)."""
    assert _sent(call(fragment)) == _choice({"tool_calls": [fields]})


def test_the_end_marker_is_no_json() -> None:
    """OpenAI API reference."""
    assert OpenAIChat().encode(Done(), ASK) == b"data: [DONE]\n\n"


def test_half_a_surrogate_pair_is_sent_as_an_escape() -> None:
    """UTF-8 cannot carry it, JSON can (RFC 8259)."""
    assert b"\\ud83d" in OpenAIChat().encode(Text(text="\ud83d"), ASK)


def test_a_whole_answer_holds_what_the_stream_would() -> None:
    """Streamed or not, the same turn (ours)."""
    steps: list[Speech] = [
        RoleOnly(),
        Think(text="h"),
        Think(text="m"),
        Text(text="a"),
        Text(text="b"),
        Delta(fields={}),
        Calls(fragments=(Fragment(index=0, call_id="A", name="add", arguments='{"a"'),)),
        Calls(fragments=(Fragment(index=0, arguments=":1}"), Fragment(call_id="B", name="ping"))),
        Finish(reason="tool_calls", usage=counts(1, 2)),
        Done(),
    ]
    whole = json.loads(OpenAIChat().whole(steps, ASK))
    assert whole["object"] == "chat.completion"
    assert whole["usage"] == {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    assert whole["choices"] == [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": "ab",
                "reasoning_content": "hm",
                "tool_calls": [
                    {"id": "A", "type": "function", "function": {"name": "add", "arguments": '{"a":1}'}},
                    {"id": "B", "type": "function", "function": {"name": "ping", "arguments": ""}},
                ],
            },
        }
    ]


def test_a_whole_answer_reports_no_usage_it_was_not_given_and_an_error_alone() -> None:
    """Zero is never invented (ours)."""
    assert "usage" not in json.loads(OpenAIChat().whole([Text(text="a")], ASK))
    assert json.loads(OpenAIChat().whole([Usage(counts=counts(1, 2))], ASK))["usage"]["prompt_tokens"] == 1
    failed = json.loads(OpenAIChat().whole([Text(text="a"), ErrorChunk(message="m")], ASK))
    assert failed["error"]["message"] == "m"


def test_refusals_and_models_are_in_the_providers_words() -> None:
    """OpenAI API reference, errors and models."""
    refusal = json.loads(OpenAIChat().refusal(Status(code=429, kind="k", message="m")))
    assert refusal == {"error": {"message": "m", "type": "k", "param": None, "code": None}}
    assert [model["id"] for model in json.loads(OpenAIChat().models(["a", "b"]))["data"]] == ["a", "b"]
