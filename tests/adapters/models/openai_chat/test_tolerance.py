"""Fields of odd types put right, one fact a test."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.adapters.models.openai_chat.tolerance import put_right
from treadle.adapters.models.openai_chat.wire import CallFunction, CallPiece, Choice, Chunk

_TEXT = st.none() | st.text(max_size=5)
_COUNT = st.none() | st.integers(0, 2**53)
_FUNCTION = st.none() | st.fixed_dictionaries({}, optional={"name": _TEXT, "arguments": _TEXT})
_PIECE = st.fixed_dictionaries(
    {}, optional={"index": st.none() | st.integers(-3, 9), "id": _TEXT, "function": _FUNCTION, "type": st.just("x")}
)
_DELTA = st.none() | st.fixed_dictionaries(
    {},
    optional={
        "content": _TEXT,
        "reasoning": _TEXT,
        "reasoning_content": _TEXT,
        "refusal": _TEXT,
        "tool_calls": st.none() | st.lists(_PIECE, max_size=2),
        "function_call": _FUNCTION,
        "role": st.just("assistant"),
    },
)
_CHOICE = st.fixed_dictionaries(
    {},
    optional={
        "index": st.none() | st.integers(0, 3),
        "delta": _DELTA,
        "message": _DELTA,
        "text": _TEXT,
        "finish_reason": _TEXT,
    },
)
_USAGE = st.fixed_dictionaries(
    {},
    optional={
        "prompt_tokens": _COUNT,
        "completion_tokens": _COUNT,
        "total_tokens": _COUNT,
        "prompt_tokens_details": st.none() | st.dictionaries(st.sampled_from(["cached_tokens", "audio"]), _COUNT),
        "completion_tokens_details": st.none() | st.dictionaries(st.sampled_from(["reasoning_tokens"]), _COUNT),
    },
)
_CHUNK = st.fixed_dictionaries(
    {}, optional={"choices": st.none() | st.lists(_CHOICE, max_size=2), "usage": st.none() | _USAGE, "error": _TEXT}
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
_FIELDS = st.sampled_from(["choices", "usage", "delta", "message", "text", "content", "tool_calls", "function", "id"])


def _usage(**told: object) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(msgspec.convert(put_right({"usage": told}), Chunk).usage)
    return {name: count for name, count in fields.items() if count is not None}


def _piece(**fields: object) -> CallPiece:
    choices = msgspec.convert(put_right({"choices": [{"delta": {"tool_calls": [fields]}}]}), Chunk).choices
    assert choices is not None
    assert choices[0].delta is not None
    assert choices[0].delta.tool_calls is not None
    return choices[0].delta.tool_calls[0]


def _content(told: object) -> str | None:
    choices = msgspec.convert(put_right({"choices": [{"delta": {"content": told}}]}), Chunk).choices
    assert choices is not None
    assert choices[0].delta is not None
    return choices[0].delta.content


@given(_CHUNK)
def test_what_fits_the_types_says_the_same_before_and_after(event: dict[str, Any]) -> None:
    """The tolerant reading never reads a good event otherwise than the strict one (ours)."""
    assert msgspec.convert(put_right(event), Chunk) == msgspec.convert(event, Chunk)


@given(_JSON | st.recursive(_JSON, lambda inner: st.dictionaries(_FIELDS, inner | st.lists(inner, max_size=2))))
def test_no_json_makes_it_raise(event: object) -> None:
    """It refuses nothing: the typed reading does (ours)."""
    put_right(event)
    put_right({"choices": [event, {"delta": event}], "usage": event})


@pytest.mark.parametrize(
    ("told", "count"),
    [
        (5.0, 5), ("5", 5), (0.0, 0), ("0", 0), (7, 7),
        (-1, None), (-1.0, None), ("-1", None), (2.5, None), ("many", None), ("", None), ("５", None), (True, None),
        ([5], None), ({}, None), (float("nan"), None), (float("inf"), None), (1e300, None), ("9" * 40, None),
    ],
)  # fmt: skip
def test_a_count_is_its_number_or_no_count(told: object, count: int | None) -> None:
    """And never the end of an answer (field report)."""
    others = {"completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": told}}
    read = _usage(prompt_tokens=told, **others)
    assert read.pop("completion_tokens") == 3
    assert read.pop("prompt_tokens_details")["cached_tokens"] == count
    assert read == ({} if count is None else {"prompt_tokens": count})


@pytest.mark.parametrize("usage", [[], "none", 5, False])
def test_usage_that_is_no_object_tells_no_count(usage: object) -> None:
    """It is not what the answer is about (ours)."""
    assert msgspec.convert(put_right({"usage": usage}), Chunk) == Chunk()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [({"a": 1, "é": [None]}, '{"a":1,"é":[null]}'), ({}, "{}"), ([1], "[1]"), (5, "5"), ("{", "{"), (None, None)],
)
def test_arguments_that_are_no_text_are_their_json_text(arguments: object, text: str | None) -> None:
    """What is no object the model is told of, as of any other (field report)."""
    piece = _piece(function={"name": "f", "arguments": arguments})
    assert piece.function == CallFunction(name="f", arguments=text)


def test_an_id_may_be_a_number_and_an_index_digits() -> None:
    """Both are read as what they mean (field report)."""
    assert [_piece(id=told).id for told in (17, "17", 1.5, None)] == ["17", "17", "1.5", None]
    assert [_piece(index=told).index for told in ("2", 2, 2.0, None)] == [2, 2, 2, None]


def test_a_list_of_parts_is_the_text_of_its_texts() -> None:
    """In their order; pictures and thoughts among them are none (field report)."""
    parts = [
        {"type": "text", "text": "a"}, {"type": "image_url", "text": "void"}, "b", None, 5, {"text": "c"},
        {"type": "text", "text": None}, {"type": "thinking", "thinking": []},
    ]  # fmt: skip
    assert (_content(parts), _content([]), _content("a")) == ("abc", "", "a")


def test_null_among_items_and_empty_containers_are_none() -> None:
    """A language with one type for lists and maps writes `[]` for an empty object (ours)."""
    event = {"choices": [None, {"delta": {"tool_calls": [None, {"index": 1, "function": []}], "function_call": []}}]}
    assert msgspec.convert(put_right(event), Chunk) == (
        msgspec.convert({"choices": [{"delta": {"tool_calls": [{"index": 1}]}}]}, Chunk)
    )
    assert msgspec.convert(put_right({"choices": [{"delta": []}]}), Chunk) == Chunk(choices=[Choice()])


@pytest.mark.parametrize("told", [5, True, {"text": "a"}])
def test_speech_that_cannot_be_understood_is_left_to_be_refused(told: object) -> None:
    """Nobody guesses what was said (ours)."""
    with pytest.raises(msgspec.ValidationError):
        _content(told)
    assert put_right(json.loads("[1]")) == [1]
