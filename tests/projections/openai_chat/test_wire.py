"""The shapes of chat completions."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.projections.hand_logs import APPROVAL, NAMED, PAGES, QUESTION, RUN, paused
from treadle.projections.openai_chat.wire import (
    Chunks,
    completion_id,
    completion_json,
    error_json,
    spoken_chunks,
    tool_calls,
    usage_json,
)
from treadle.values.usage import NO_USAGE, UsageDelta

CHUNKS = Chunks(completion="c1", model="calc", created=7)
HEAD = {"id": "c1", "object": "chat.completion.chunk", "created": 7, "model": "calc"}


def test_an_id_names_the_run_and_its_segment() -> None:
    """Ours: whoever has it can find the run."""
    assert completion_id(RUN, 2) == "chatcmpl-r1.s2"


def test_a_chunk_adds_to_the_one_choice_or_to_none() -> None:
    """Protocol: `choices` is on every chunk, and a finish reason is null until the last."""
    choice = {"index": 0, "delta": {"content": "a"}, "finish_reason": None}
    assert json.loads(CHUNKS.delta({"content": "a"})) == {**HEAD, "choices": [choice]}
    assert json.loads(CHUNKS.delta({}, finish_reason="stop"))["choices"][0]["finish_reason"] == "stop"
    assert json.loads(CHUNKS.beside(usage=None)) == {**HEAD, "choices": [], "usage": None}


@pytest.mark.parametrize("text", ["a", 'q"\\', "\u2028é\x00", "𝄞", "\ud800"])
def test_a_piece_of_speech_is_the_chunk_that_its_delta_would_be(text: str) -> None:
    """Ours: a template is a quicker way to the same JSON, and no text in it ends a line."""
    (told,) = spoken_chunks(CHUNKS.spoken("content"), (text,))
    assert told.isascii()
    assert json.loads(told) == json.loads(CHUNKS.delta({"content": "x"}).replace('"x"', json.dumps(text)))


def test_a_whole_completion_has_usage_where_there_is_any() -> None:
    """Promise 10: reported, or absent."""
    told = {"model": "calc", "created": 7, "message": {"role": "assistant"}, "finish_reason": "stop"}
    whole = json.loads(completion_json("c1", **told, usage=None))
    assert whole == {
        **HEAD,
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"role": "assistant"}, "logprobs": None, "finish_reason": "stop"}],
    }
    assert json.loads(completion_json("c1", **told, usage={"prompt_tokens": 1}))["usage"] == {"prompt_tokens": 1}


def test_each_pause_is_a_call_whose_id_is_its_token() -> None:
    """Protocol: the token is the call id. A question, leave for a call, a call of the page, a named interrupt."""
    event: Any = paused(QUESTION, APPROVAL, PAGES, NAMED)
    calls = tool_calls(event, lambda pending: f"t-{pending.interrupt_id}")
    assert [call["id"] for call in calls] == ["t-r1.i1", "t-r1.i2", "t-r1.i3", "t-r1.i4"]
    told = [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls]
    assert told == [
        ("ask_user", {"questions": [{"question_id": "q1", "text": "Which?"}]}),
        ("approve", {"name": "pay", "arguments": {"cents": 5}}),
        ("pick", {"of": "files"}),
        ("interrupt", {"name": "nights", "payload": {"city": "Ulm"}, "response_schema": {"type": "integer"}}),
    ]


def test_a_pause_without_a_token_is_no_call() -> None:
    """Design §8: whoever may not answer, or may not see what it asks, is given nothing to answer with."""
    event: Any = paused(QUESTION, APPROVAL)
    calls = tool_calls(event, lambda pending: "t" if pending is APPROVAL else None)
    assert [call["function"]["name"] for call in calls] == ["approve"]


def test_counts_that_nobody_reported_are_null_and_never_zero() -> None:
    """Promise 10: zero is never invented."""
    assert usage_json(NO_USAGE) is None
    assert usage_json(UsageDelta(output_tokens=3)) == {
        "prompt_tokens": None,
        "completion_tokens": 3,
        "total_tokens": None,
    }
    split = UsageDelta(input_tokens=7, output_tokens=3, cache_read_tokens=2, reasoning_tokens=1)
    assert usage_json(split) == {
        "prompt_tokens": 7,
        "completion_tokens": 3,
        "total_tokens": 10,
        "prompt_tokens_details": {"cached_tokens": 2},
        "completion_tokens_details": {"reasoning_tokens": 1},
    }
    told = usage_json(replace(split, total_tokens=12))
    assert told is not None
    assert told["total_tokens"] == 12


def test_an_error_has_a_sentence_and_its_code_and_stands_alone() -> None:
    """Protocol: a frame with a truthy `error` is what every client raises at."""
    assert json.loads(error_json("stalled")) == {
        "error": {
            "message": "the model sent nothing for too long",
            "type": "server_error",
            "param": None,
            "code": "stalled",
        }
    }
    told = json.loads(error_json("cancelled", detail="by Ann", reference="e1", usage={"total_tokens": 3}))
    assert told["error"] | {"param": None} == {
        "message": "by Ann",
        "type": "cancelled",
        "param": None,
        "code": "cancelled",
        "reference": "e1",
    }
    assert told["usage"] == {"total_tokens": 3}
