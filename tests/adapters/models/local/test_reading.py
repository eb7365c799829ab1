"""Chunks of the engine, read as one turn."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.adapters.models.local.reading import CUT_CALL, Reading
from treadle.errors import (
    ModelError,
    ModelGarbledError,
    ModelRefusedError,
    ModelTruncatedError,
    ModelUnavailableError,
)
from treadle.values.calls import ToolRequest
from treadle.values.model import CallNamed, ModelItem, ModelTurn, StopReason, TurnEnded, UsageTold
from treadle.values.usage import COUNTS, UsageDelta

Chunk = dict[str, Any]
CALL = '{"tool": "add", "arguments": {"a": 17, "b": {}}}'
SPENT = UsageDelta(
    input_tokens=30,
    output_tokens=8,
    total_tokens=38,
    cache_read_tokens=13,
    reported=frozenset(COUNTS[:4]),
)


def said(text: str | None, finish: str | None = None) -> Chunk:
    """A chunk with a piece of text, or with none, or with why the model stopped."""
    return {"choices": [{"index": 0, "delta": {"content": text} if text else {}, "finish_reason": finish}]}


def spent() -> Chunk:
    """The chunk that counts, which comes last."""
    counts = {"prompt_tokens": 30, "completion_tokens": 8, "total_tokens": 38}
    return {"choices": [], "usage": counts | {"prompt_tokens_details": {"cached_tokens": 13}}}


def read(chunks: list[Chunk], names: tuple[str, ...] = ()) -> list[ModelItem]:
    """All that a turn says."""
    reading = Reading(names)
    return [*reading.feed(chunks), *reading.end()]


def pieces(text: str) -> list[Chunk]:
    """The text in chunks of three characters."""
    return [said(text[at : at + 3]) for at in range(0, len(text), 3)]


def test_an_answer_is_its_pieces_then_its_count_then_its_end() -> None:
    """Port: pieces, the provider's count, and `TurnEnded` as the very last item."""
    turn = ModelTurn(text="The answer", usage=SPENT, stop_reason=StopReason.STOP)
    assert read([said(None), said("The"), said(" answer"), said(None, "stop"), spent()]) == [
        ("text", "The"),
        ("text", " answer"),
        UsageTold(usage=SPENT),
        TurnEnded(turn=turn),
    ]


def test_an_answer_at_the_token_limit_says_so() -> None:
    """Design: a cut answer is never shown as done."""
    *_, last = read([said("The"), said(None, "length"), spent()])
    assert last == TurnEnded(turn=ModelTurn(text="The", usage=SPENT, stop_reason=StopReason.LENGTH))


def test_a_call_is_named_and_its_arguments_grow() -> None:
    """Port: `CallNamed` before the first piece of arguments; the text around them is not theirs."""
    *items, told, last = read([*pieces(CALL), said(None, "stop"), spent()], ("add",))
    assert items[0] == CallNamed(slot=0, name="add")
    assert "".join(piece for kind, piece in items[1:] if kind == "arguments") == '{"a": 17, "b": {}}'
    request = ToolRequest(name="add", arguments={"a": 17, "b": {}})
    assert told == UsageTold(usage=SPENT)
    assert last == TurnEnded(turn=ModelTurn(tool_requests=(request,), usage=SPENT, stop_reason=StopReason.TOOL_CALLS))


@pytest.mark.parametrize("length", [len(CALL) - 1, len(CALL) - 2, len(CALL) - 10])
def test_a_call_at_the_token_limit_is_damaged_and_does_not_end_the_run(length: int) -> None:
    """Design: a tool never runs on damaged arguments, and their text is kept."""
    *items, last = read([*pieces(CALL[:length]), said(None, "length")], ("add",))
    raw = CALL[len('{"tool": "add", "arguments": ') : length]
    assert "".join(piece for kind, piece in items[1:]) == raw
    request = ToolRequest(name="add", raw_arguments=raw, damage=CUT_CALL)
    assert last == TurnEnded(turn=ModelTurn(tool_requests=(request,), stop_reason=StopReason.OTHER))


def test_a_call_cut_before_its_name_is_no_call() -> None:
    """Ours: nobody can say which tool it was for."""
    assert read([said('{"tool": "a'), said(None, "length")], ("add",)) == [
        TurnEnded(turn=ModelTurn(stop_reason=StopReason.LENGTH, damage=CUT_CALL))
    ]


def test_a_text_that_breaks_its_grammar_is_garbled() -> None:
    """Ours: free text where a call is asked for is never shown as an answer."""
    with pytest.raises(ModelGarbledError):
        read([said("I would rather talk"), said(None, "stop")], ("add",))


def test_an_end_without_a_reason_is_no_end() -> None:
    """Design: no finish reason means incomplete."""
    with pytest.raises(ModelTruncatedError):
        read([said("The answer is")])


def test_the_count_is_told_while_the_model_speaks() -> None:
    """Design: a cancelled run reports what it spent."""
    timings = {"cache_n": 13, "prompt_n": 17, "predicted_n": 1}
    assert Reading().feed([{**said("The"), "timings": timings}]) == [
        ("text", "The"),
        UsageTold(
            usage=UsageDelta(
                input_tokens=30,
                output_tokens=1,
                total_tokens=31,
                cache_read_tokens=13,
                reported=frozenset(COUNTS[:4]),
            )
        ),
    ]


TOO_LONG = {"code": 400, "message": "m", "type": "exceed_context_size_error", "n_prompt_tokens": 3031, "n_ctx": 2048}


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (TOO_LONG, ModelRefusedError, "the prompt of 3031 tokens does not fit the 2048 of the local model"),
        ({"code": 400, "message": "m"}, ModelRefusedError, "the local engine refused the request"),
        ({"code": 500, "message": "m"}, ModelUnavailableError, "the local engine failed"),
    ],
)
def test_an_error_of_the_engine_is_told_in_our_words(
    error: dict[str, Any], kind: type[ModelError], message: str
) -> None:
    """Design: foreign text stays in the detail."""
    with pytest.raises(kind) as raised:
        Reading().feed([{"error": error}])
    assert (str(raised.value), raised.value.status, raised.value.detail) == (message, error["code"], "m")


@pytest.mark.parametrize(
    "chunk",
    [
        {},
        {"choices": None},
        {"choices": [{}]},
        {"choices": ["text"]},
        {"choices": [], "usage": {"prompt_tokens": 1}},
        {"error": "text"},
        {"error": {"code": "none", "message": ""}},
    ],
)
def test_a_chunk_of_another_shape_is_garbled(chunk: Chunk) -> None:
    """Ours: another release of the engine is told apart from a failure of the model."""
    with pytest.raises(ModelGarbledError):
        Reading().feed([chunk])


@given(data=st.data(), length=st.integers(0, len(CALL)), names=st.sampled_from([(), ("add",)]))
def test_how_many_chunks_come_at_once_changes_nothing_but_the_lists(
    data: st.DataObject, length: int, names: tuple[str, ...]
) -> None:
    """Port: all chunks that are there are one list; which are there is chance."""
    finish = "stop" if length == len(CALL) else "length"
    chunks = [*pieces(CALL[:length]), said(None, finish), spent()]
    cuts = sorted(data.draw(st.sets(st.integers(0, len(chunks)))))
    reading, items = Reading(names), []
    for start, end in zip([0, *cuts], [*cuts, len(chunks)], strict=True):
        items += reading.feed(chunks[start:end])
    assert [*items, *reading.end()] == read(chunks, names)
