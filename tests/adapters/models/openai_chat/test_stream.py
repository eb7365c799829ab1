"""Bytes of a chat completion stream to items, one fact a test."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.adapters.models.openai_chat.payload import ChatPayload
from treadle.adapters.models.openai_chat.stream import ChatStream
from treadle.errors import (
    ModelBusyError,
    ModelError,
    ModelGarbledError,
    ModelRefusedError,
    ModelTruncatedError,
    ModelUnavailableError,
)
from treadle.values.calls import ToolRequest
from treadle.values.model import ARGUMENTS, TEXT, THINKING, CallNamed, ModelTurn, StopReason, TurnEnded, UsageTold
from treadle.values.usage import NO_USAGE, UsageDelta

GOLDEN = Path(__file__).parents[3] / "golden" / "openai_chat"
DONE = b"data: [DONE]\n\n"
STOP = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def _event(fields: object) -> bytes:
    return b"data: " + json.dumps(fields).encode() + b"\n\n"


def _delta(**fields: object) -> bytes:
    return _event({"choices": [{"index": 0, "delta": fields, "finish_reason": None}]})


def _raw_content(data: bytes) -> bytes:
    return b'data: {"choices":[{"index":0,"delta":{"content":"' + data + b'"}}]}\n\n'


def _finish(reason: str | None) -> bytes:
    return _event({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})


def _usage(prompt: int | None, completion: int | None, **more: object) -> dict[str, Any]:
    counts = {"prompt_tokens": prompt, "completion_tokens": completion}
    return {name: count for name, count in counts.items() if count is not None} | more


def _read(*reads: bytes, ends: bool = True) -> tuple[list[Any], ModelError | None]:
    stream = ChatStream()
    items = [item for data in reads for item in stream.feed(data)]
    if ends:
        items += stream.end()
    return items, stream.failure


def _turn(*reads: bytes) -> ModelTurn:
    items, failure = _read(*reads)
    assert failure is None
    assert isinstance(items[-1], TurnEnded)
    return items[-1].turn


def _broken(*reads: bytes) -> tuple[list[Any], type[ModelError]]:
    items, failure = _read(*reads)
    assert failure is not None
    assert not any(isinstance(item, TurnEnded) for item in items)
    return items, type(failure)


def test_a_stream_of_text_as_the_provider_sends_it() -> None:
    """The role alone says nothing; a measured zero is kept (types of the official SDK)."""
    usage = UsageDelta(
        input_tokens=9,
        output_tokens=12,
        total_tokens=21,
        reasoning_tokens=8,
        reported=frozenset({"cache_read_tokens"}),
    )
    turn = ModelTurn(text="Grüße 🙂!", usage=usage, stop_reason=StopReason.STOP)
    items, failure = _read((GOLDEN / "text.sse").read_bytes())
    assert failure is None
    assert items == [(TEXT, "Grüße"), (TEXT, " 🙂!"), UsageTold(usage=usage), TurnEnded(turn=turn)]
    assert usage.reported == {
        "input_tokens", "output_tokens", "total_tokens", "cache_read_tokens", "reasoning_tokens"
    }  # fmt: skip


def test_a_stream_of_parallel_calls_as_the_provider_sends_it() -> None:
    """Each call is named before its arguments (types of the official SDK)."""
    items, failure = _read((GOLDEN / "parallel_calls.sse").read_bytes())
    assert failure is None
    assert items == [
        CallNamed(slot=0, name="add", provider_id="call_1"),
        (ARGUMENTS, '{"a": 1'),
        (ARGUMENTS, ', "b": 2}'),
        CallNamed(slot=1, name="now", provider_id="call_2"),
        (ARGUMENTS, "{}"),
        TurnEnded(
            turn=ModelTurn(
                tool_requests=(
                    ToolRequest(name="add", arguments={"a": 1, "b": 2}, provider_id="call_1"),
                    ToolRequest(name="now", provider_id="call_2"),
                ),
                stop_reason=StopReason.TOOL_CALLS,
            )
        ),
    ]


@pytest.mark.requirement("BR-122")
@given(cuts=st.lists(st.integers(0, 2_500), max_size=5), name=st.sampled_from(["text.sse", "parallel_calls.sse"]))
def test_items_do_not_depend_on_where_the_bytes_are_cut(cuts: list[int], name: str) -> None:
    """Characters of several bytes included (field report)."""
    data = (GOLDEN / name).read_bytes()
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    reads = [data[start:end] for start, end in pairwise(edges)]
    assert _read(*reads) == _read(data)


def test_one_byte_a_read_gives_the_same_items() -> None:
    """And no read without an answer, if only an empty one (ours)."""
    data = (GOLDEN / "text.sse").read_bytes()
    assert _read(*(data[at : at + 1] for at in range(len(data)))) == _read(data)


@pytest.mark.requirement("BR-115")
def test_thinking_and_text_are_told_apart_by_their_fields() -> None:
    """Empty and null pieces are none (field report)."""
    items, _ = _read(
        _delta(reasoning_content="a", content=""),
        _delta(reasoning_content="b", content=None),
        _delta(content=""),
        _delta(content="Yes", reasoning_content=None),
        DONE,
    )
    assert items[:-1] == [(THINKING, "a"), (THINKING, "b"), (TEXT, "Yes")]
    assert items[-1].turn == ModelTurn(
        text="Yes", thinking="ab", payload=ChatPayload(reasoning_field="reasoning_content")
    )


def test_a_thought_in_two_fields_is_one_thought() -> None:
    """Gateways that give both give the same in both (field report)."""
    assert _turn(_delta(reasoning="a"), DONE).payload == ChatPayload(reasoning_field="reasoning")
    assert _turn(_delta(reasoning="a", reasoning_content="a"), DONE).thinking == "a"


def test_thinking_comes_before_the_text_of_the_same_delta() -> None:
    """That is the order in which a model says them (ours)."""
    assert _read(_delta(content="b", reasoning="a"), DONE)[0][:2] == [(THINKING, "a"), (TEXT, "b")]


def test_a_refusal_is_what_the_model_says() -> None:
    """The user reads it (ours)."""
    assert _read(_delta(refusal="I cannot."), DONE)[0][0] == (TEXT, "I cannot.")


@pytest.mark.requirement("BR-197")
def test_chunks_without_choices_deltas_or_text_say_nothing() -> None:
    """Some hold filter data, some nothing at all (field report)."""
    items, failure = _read(
        _event({"choices": [], "prompt_filter_results": [{}]}),
        _delta(content="a"),
        _event({"choices": [{"index": 0}]}),
        _event({"choices": [{"index": 0, "delta": {}}]}),
        _event({}),
        b": ping\n\n",
        b"data:\n\n",
        _event({"choices": [], "usage": _usage(1, 2)}),
        DONE,
    )
    assert failure is None
    usage = UsageDelta(input_tokens=1, output_tokens=2)
    assert items == [(TEXT, "a"), UsageTold(usage=usage), TurnEnded(turn=ModelTurn(text="a", usage=usage))]


@pytest.mark.requirement("BR-062")
def test_usage_is_the_same_before_with_and_after_the_finish() -> None:
    """Reading goes on until the end marker (field report)."""
    counts = _usage(9, 3)
    told = _event({"choices": [], "usage": counts})
    stop = _finish("stop")
    orders = [[told, stop], [_event(STOP | {"usage": counts})], [stop, told]]
    assert [_turn(*order, DONE).usage for order in orders] == [UsageDelta(input_tokens=9, output_tokens=3)] * 3


@pytest.mark.requirement("BR-056", "BR-058")
def test_a_later_count_replaces_an_earlier_one() -> None:
    """Counts on each chunk are cumulative; what is told is what was told last (field report)."""
    reads = [_event({"choices": [], "usage": _usage(50, at)}) for at in (8, 16, 16, 24)]
    items, _ = _read(*reads, DONE)
    assert [item.usage.output_tokens for item in items if isinstance(item, UsageTold)] == [8, 16, 24]
    assert items[-1].turn.usage == UsageDelta(input_tokens=50, output_tokens=24)


@pytest.mark.requirement("BR-055", "BR-059")
def test_silence_replaces_no_count() -> None:
    """Neither a missing count nor a missing usage (field report)."""
    turn = _turn(
        _event({"choices": [], "usage": _usage(30, 1)}),
        _event({"choices": [], "usage": _usage(None, 12)}),
        _event({"choices": [], "usage": None}),
        DONE,
    )
    assert turn.usage == UsageDelta(input_tokens=30, output_tokens=12)


@pytest.mark.requirement("BR-061")
def test_usage_beside_a_choice_is_read_with_its_details() -> None:
    """What came from the cache, what was reasoning (field report)."""
    details = {
        "prompt_tokens_details": {"cached_tokens": 11_000, "cache_write_tokens": 7},
        "completion_tokens_details": {"reasoning_tokens": 2},
    }
    chunk = _event({"choices": [{"delta": {}}], "usage": _usage(12_000, 4, **details)})
    usage = UsageDelta(
        input_tokens=12_000, output_tokens=4, cache_read_tokens=11_000, cache_creation_tokens=7, reasoning_tokens=2
    )
    assert _turn(chunk, DONE).usage == usage


@pytest.mark.requirement("BR-064")
def test_usage_that_never_came_is_not_reported() -> None:
    """It is no zero (field report)."""
    assert _turn(_delta(content="a"), _finish("stop"), DONE).usage == NO_USAGE
    assert _turn(_event({"choices": [], "usage": {}}), DONE).usage == NO_USAGE


def test_a_total_without_a_split_is_kept_and_a_measured_zero_is_told() -> None:
    """`reported` names what was given and nothing else (ours)."""
    usage = _turn(_event({"choices": [], "usage": {"total_tokens": 7, "completion_tokens": 0}}), DONE).usage
    assert (usage.total_tokens, usage.reported) == (7, {"total_tokens", "output_tokens"})


@pytest.mark.requirement("BR-199", "BR-200")
@pytest.mark.parametrize(
    ("label", "reason"),
    [
        ("stop", StopReason.STOP),
        ("tool_calls", StopReason.TOOL_CALLS),
        ("function_call", StopReason.TOOL_CALLS),
        ("length", StopReason.LENGTH),
        ("content_filter", StopReason.CONTENT_FILTER),
        ("unknown", StopReason.OTHER),
        ("", None),
        (None, None),
    ],
)
def test_a_finish_label_is_passed_on_whatever_the_turn_holds(label: str | None, reason: StopReason | None) -> None:
    """The kernel decides from content (field report)."""
    call = _delta(tool_calls=[{"index": 0, "id": "A", "function": {"name": "f", "arguments": "{}"}}])
    assert _turn(_finish(label), DONE) == ModelTurn(stop_reason=reason)
    assert len(_turn(call, _finish(label), DONE).tool_requests) == 1


@pytest.mark.requirement("BR-202")
def test_a_call_written_into_the_text_stays_text() -> None:
    """No tool is run by guess (field report)."""
    turn = _turn(_delta(content='{"name": "look'), _delta(content='up", "parameters": {}}'), _finish("stop"), DONE)
    assert (turn.text, turn.tool_requests) == ('{"name": "lookup", "parameters": {}}', ())


@pytest.mark.requirement("BR-194")
@pytest.mark.parametrize(
    "reads",
    [
        [],
        [_delta(role="assistant", content="")],
        [_delta(content="half")],
        [_delta(content="half"), b'data: {"choices":[{"index":0,"delta":{"conte'],
        [_delta(tool_calls=[{"index": 0, "id": "A", "function": {"name": "f", "arguments": '{"a"'}}])],
        [b": ping\n\n"],
    ],
)
def test_bytes_that_end_without_a_word_that_the_turn_ended_are_a_cut_stream(reads: list[bytes]) -> None:
    """It is never taken for a whole answer (field report)."""
    assert _broken(*reads)[1] is ModelTruncatedError


@pytest.mark.parametrize("last", [b"", b"data: [DONE]", b"data: [DONE]\n", b"data: [DO"])
def test_a_finish_reason_and_the_end_of_the_bytes_end_a_turn(last: bytes) -> None:
    """The end marker may be missing or cut (ours)."""
    assert _turn(_delta(content="all"), _finish("stop"), last) == ModelTurn(text="all", stop_reason=StopReason.STOP)


def test_a_last_event_without_a_blank_line_counts_if_it_is_whole() -> None:
    """Nothing of it is missing (ours)."""
    assert _turn(_delta(content="all"), _finish("stop").rstrip()).text == "all"
    assert _turn(_delta(content="all"), DONE.rstrip()).text == "all"
    assert _broken(_delta(content="half"), _event({"error": {"code": 503}}).rstrip())[1] is ModelBusyError


@pytest.mark.requirement("BR-196")
def test_nothing_is_read_after_the_end_marker() -> None:
    """The turn has ended with it (field report)."""
    stream = ChatStream()
    items = stream.feed(_delta(content="all") + DONE + _delta(content=" void"))
    assert stream.is_over
    assert items == [(TEXT, "all"), TurnEnded(turn=ModelTurn(text="all"))]
    assert [stream.feed(_delta(content="void")), stream.feed(b"data: {not json\n\n"), stream.end()] == [[], [], []]
    assert stream.failure is None


@pytest.mark.requirement("BR-193")
@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ({"error": {"message": "x", "type": "overloaded_error", "code": "overloaded"}}, ModelBusyError),
        ({"error": {"message": "x", "type": "invalid_request_error"}}, ModelRefusedError),
        ({"error": "x"}, ModelUnavailableError),
        (STOP | {"error": {"message": "x"}}, ModelUnavailableError),
        ({"object": "error", "message": "x", "type": "BadRequestError", "code": 400}, ModelRefusedError),
    ],
)
def test_an_error_in_the_stream_ends_it_after_all_that_came_before(event: object, kind: type[ModelError]) -> None:
    """Also where it comes in the same read, and where an end marker follows (field report)."""
    assert _broken(_delta(content="Par") + _event(event) + DONE) == ([(TEXT, "Par")], kind)
    assert _broken(_event(event)) == ([], kind)


def test_an_error_that_is_null_or_empty_is_none() -> None:
    """Some servers send the field in each chunk (ours)."""
    assert _turn(_event({"choices": [{"delta": {"content": "a"}}], "error": None}), DONE).text == "a"
    assert _turn(_event({"choices": [{"delta": {"content": "a"}}], "error": {}}), DONE).text == "a"


@pytest.mark.parametrize(
    "event", [b"data: {not json\n\n", _event({"choices": 5}), _event([]), _delta(content=5), _delta(tool_calls=[1])]
)
def test_an_event_that_is_no_chunk_is_garbled(event: bytes) -> None:
    """What came before it is given out, what comes after it is not read (ours)."""
    stream = ChatStream()
    assert stream.feed(_delta(content="so far") + event + _delta(content="void") + DONE) == [(TEXT, "so far")]
    assert type(stream.failure) is ModelGarbledError
    assert stream.failure is not None
    assert stream.failure.__cause__ is not None
    assert stream.end() == []


def test_an_answer_that_is_no_event_stream_is_garbled() -> None:
    """A page with a good status is told from a cut stream (ours)."""
    for content_type, kind in (
        ("text/html", ModelGarbledError),
        ("", ModelGarbledError),
        ("Text/Event-Stream; x", None),
    ):
        stream = ChatStream(content_type=content_type)
        assert stream.feed(b"<html>busy</html>\n") + stream.end() == []
        assert type(stream.failure) is (kind or ModelTruncatedError)


def test_an_event_without_end_is_garbled() -> None:
    """Memory is bounded; the text before it is kept (ours)."""
    stream = ChatStream()
    items = stream.feed(_delta(content="a"))
    for _ in range(17):
        items += stream.feed(b"x" * 1024 * 1024)
    assert (items, type(stream.failure)) == ([(TEXT, "a")], ModelGarbledError)


@pytest.mark.requirement("BR-186")
def test_halves_of_surrogate_pairs_are_joined_or_replaced() -> None:
    """In text, thinking and what is kept of both (field report)."""
    items, _ = _read(
        _delta(content="ok \ud83d"),
        _delta(reasoning="\ud83d"),
        _delta(content="\ude42!"),
        _delta(content="\ud83d"),
        _delta(content=" end", refusal="\ud83d"),
        DONE,
    )
    assert items[:-1] == [
        (TEXT, "ok "), (TEXT, "🙂!"), (TEXT, "\ufffd end"), (THINKING, "\ufffd"), (TEXT, "\ufffd")
    ]  # fmt: skip
    assert (items[-1].turn.text, items[-1].turn.thinking) == ("ok 🙂!\ufffd end\ufffd", "\ufffd")


@pytest.mark.requirement("BR-123")
def test_characters_cut_over_events_are_joined_and_broken_bytes_replaced() -> None:
    """A model that speaks bytes, one an event; nothing is held for ever (field report)."""
    reads = [_raw_content(byte) for byte in (b"\xe6", b"\x97", b"\xa5", b"\xff", b"A", b"\xe6")]
    turn = _turn(*reads, DONE)
    assert turn.text == "日\ufffdA\ufffd"
    items, failure = _read(*reads[:2], ends=True)
    assert (items, type(failure)) == ([(TEXT, "\ufffd")], ModelTruncatedError)


def test_a_seal_on_a_call_is_kept_for_the_next_request() -> None:
    """Some servers refuse the turn without it (field report)."""
    seal = {"google": {"thought_signature": "s1"}}
    calls = [
        {"index": 0, "id": "A", "function": {"name": "f", "arguments": "{}"}},
        {"index": 1, "id": "B", "function": {"name": "g", "arguments": "{}"}, "extra_content": seal},
    ]
    assert _turn(_delta(tool_calls=calls), DONE).payload == ChatPayload(call_seals={"1": seal})


def test_calls_that_cannot_be_told_apart_damage_the_turn() -> None:
    """The kernel is told (ours)."""
    calls = [{"index": at, "id": f"id{at}", "function": {"name": "f", "arguments": '{"q":'}} for at in (0, 1)]
    turn = _turn(_delta(tool_calls=calls), _delta(tool_calls=[{"index": 2, "function": {"arguments": "1}"}}]), DONE)
    assert turn.damage is not None
    assert [request.name for request in turn.tool_requests] == ["f", "f"]


def test_a_piece_of_a_call_without_a_function_says_nothing() -> None:
    """Or with a null one (ours)."""
    calls = [{"index": 0}, {"index": 0, "id": "A", "function": None}]
    assert _turn(_delta(tool_calls=calls), _finish("stop"), DONE).tool_requests == ()


def test_one_odd_field_ends_no_answer() -> None:
    """The rest of its event, and what comes before and after it, is read as ever (field report)."""
    call = {"index": "0", "id": 17, "function": {"name": "add", "arguments": {"a": 1}}}
    turn = _turn(
        b"data: null\n\n",
        _delta(content="a"),
        _delta(content=[{"type": "text", "text": "b"}, {"type": "audio"}, {"type": "text", "text": "c"}]),
        _delta(content="d", tool_calls=[None, call]),
        _event({"choices": [None, {"index": "0", "delta": [], "finish_reason": "tool_calls"}]}),
        _event({"choices": [], "usage": {"prompt_tokens": 5.0, "completion_tokens": "2", "total_tokens": -1}}),
        DONE,
    )
    assert turn == ModelTurn(
        text="abcd",
        tool_requests=(ToolRequest(name="add", arguments={"a": 1}, provider_id="17"),),
        usage=UsageDelta(input_tokens=5, output_tokens=2),
        stop_reason=StopReason.TOOL_CALLS,
    )
    assert _turn(_delta(content="all"), _event(STOP | {"usage": {"prompt_tokens": -1}}).rstrip()).stop_reason == "stop"


@pytest.mark.parametrize(
    "choices",
    [
        [{"index": 1, "delta": {"content": "No"}, "finish_reason": "length"}],
        [{"index": 1, "delta": {"content": "No"}}, {"index": 0, "delta": {}}, {"delta": {"content": "No"}}],
        [{"index": 0, "delta": {}}, {"index": 1, "delta": {"content": "No"}}],
    ],
)
def test_a_choice_that_nobody_asked_for_is_not_read(choices: list[Any]) -> None:
    """Wherever it stands (field report)."""
    turn = _turn(_delta(content="Y"), _event({"choices": choices}), _delta(content="es"), DONE)
    assert (turn.text, turn.stop_reason) == ("Yes", None)
    asked = [{"index": 1, "delta": {"content": "No"}}, {"index": 0, "delta": {"content": "Yes"}}]
    assert _turn(_event({"choices": asked}), DONE).text == "Yes"


@pytest.mark.parametrize("field", [lambda said: {"text": said}, lambda said: {"message": {"content": said}}])
def test_speech_outside_of_deltas_is_heard_where_no_delta_speaks(field: Callable[[str], dict[str, Any]]) -> None:
    """No answer is lost in silence, and none is said twice (field report)."""

    def event(said: str, **more: object) -> bytes:
        return _event({"choices": [{"index": 0, **field(said), **more}]})

    assert _turn(event("Y", delta={"content": ""}), event("es"), event("", finish_reason="stop"), DONE).text == "Yes"
    assert _turn(_delta(content="Y"), event("Y", delta={"content": "es"}), event("Yes"), DONE).text == "Yes"
    assert _turn(event("", delta={}), _delta(content="Yes"), event("Yes"), DONE).text == "Yes"


def test_a_whole_message_brings_its_calls() -> None:
    """As deltas do (ours)."""
    call = {"id": "A", "function": {"name": "f", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "reasoning": "hm", "tool_calls": [call]}
    turn = _turn(_event({"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}), DONE)
    assert (turn.thinking, turn.tool_requests) == ("hm", (ToolRequest(name="f", arguments={}, provider_id="A"),))


def test_an_old_function_call_is_a_call_without_an_id() -> None:
    """In pieces, too; beside the new form it is the same call, told again (field report)."""
    turn = _turn(
        _delta(function_call={"name": "add", "arguments": ""}),
        _delta(function_call={"arguments": '{"a":'}),
        _delta(function_call={"arguments": "1}"}),
        _finish("function_call"),
        DONE,
    )
    assert turn.tool_requests == (ToolRequest(name="add", arguments={"a": 1}),)
    function = {"name": "f", "arguments": "{}"}
    both = _delta(tool_calls=[{"index": 0, "id": "A", "function": function}], function_call=function)
    assert [request.provider_id for request in _turn(both, DONE).tool_requests] == ["A"]
    assert _turn(_delta(content="a", function_call={"name": None, "arguments": ""}), DONE).tool_requests == ()
    assert _broken(_delta(function_call=5), DONE)[1] is ModelGarbledError


@given(
    data=st.lists(st.sampled_from([_delta(content="a"), _finish("stop"), DONE, b"data: {", b"\n\n", b"\xff", b"x\r"]))
)
def test_no_bytes_make_it_raise(data: list[bytes]) -> None:
    """They end in a turn or in a failure, never in both and never in neither (ours)."""
    items, failure = _read(*data)
    ends = [item for item in items if isinstance(item, TurnEnded)]
    assert len(ends) + (failure is not None) == 1
    assert not ends or items[-1] is ends[0]
