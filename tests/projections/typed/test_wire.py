"""Stream events as JSON."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest
from hypothesis import given

from tests.projections.typed.stream_samples import STREAM_SAMPLES
from tests.values.event_samples import CALL, QUESTION, REQUEST, kernel_events
from treadle.codec.events import json_line
from treadle.projections.typed import events as typed
from treadle.projections.typed.closing import typed_of
from treadle.projections.typed.wire import STREAM_SHAPES, stream_event_json
from treadle.values import events as ev
from treadle.values.calls import ToolStatus

COUNTED = typed.Usage(input_tokens=7, output_tokens=0)
COUNTED_JSON = {
    "input_tokens": 7,
    "output_tokens": 0,
    "total_tokens": None,
    "cache_read_tokens": None,
    "cache_creation_tokens": None,
    "reasoning_tokens": None,
    "cache_ttl": None,
    "unmeasured_rounds": 0,
}


def test_the_table_has_every_class() -> None:
    """Ours: an event without a JSON form is found here and not on a wire."""
    assert set(STREAM_SHAPES) == set(typed.STREAM_EVENT_TYPES)


@pytest.mark.parametrize("kind", typed.STREAM_EVENT_TYPES, ids=lambda kind: kind.type)
def test_every_field_of_an_event_is_written(kind: type[typed.StreamEvent]) -> None:
    """Ours: a new field is in its row; a result says beside its fields whether it is an error."""
    more = {"is_error"} if kind is typed.ToolResult else set()
    assert set(STREAM_SHAPES[kind]) == {field.name for field in fields(kind)} | more


@given(kernel_events())
def test_every_event_is_one_line_of_strict_json(event: ev.KernelEvent) -> None:
    """Ours: any reader of lines and of JSON can read it, and reads what was written."""
    for said in typed_of(event):
        line = json_line(stream_event_json(said))
        assert len(line.splitlines()) == 1
        read = json.loads(line, parse_constant=pytest.fail)
        assert read == json.loads(json.dumps(stream_event_json(said), allow_nan=False))
        assert (next(iter(read)), read["type"]) == ("type", said.type)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (typed.TextDelta(text="a\u2028b"), '{"type":"text_delta","text":"a\\u2028b"}'),
        (
            typed.ToolCallStart(call_id=CALL, tool_name="add", phase="executing"),
            '{"type":"tool_call_start","call_id":"r1.c1","tool_name":"add","phase":"executing"}',
        ),
        (
            typed.ToolResult(call_id=CALL, status=ToolStatus.TIMEOUT, content="", error="too late", duration_ms=1.5),
            (
                '{"type":"tool_result","call_id":"r1.c1","status":"timeout","error":"too late","is_error":true,'
                '"duration_ms":1.5,"content":""}'
            ),
        ),
    ],
)
def test_the_lines_that_readers_see_most(event: typed.StreamEvent, line: str) -> None:
    """Ours: names and order as the page has them."""
    assert json.loads(json_line(stream_event_json(event))) == json.loads(line)
    assert json_line(stream_event_json(event)).startswith(line[:20])


def test_usage_is_an_event_and_a_part_of_others() -> None:
    """Ours: counts are null where nobody reported them; a part has no type of its own."""
    assert stream_event_json(COUNTED) == {"type": "usage", **COUNTED_JSON}
    ended = typed.MessageEnd(message_id="r1.m1", usage=COUNTED)
    assert stream_event_json(ended)["usage"] == COUNTED_JSON
    assert stream_event_json(typed.ResponseComplete(outcome="done"))["usage"] is None


def test_a_completion_says_all_of_its_fields_in_every_ending() -> None:
    """Ours: a reader need not ask whether a key is there."""
    done = stream_event_json(typed.ResponseComplete(outcome="done", text="3", answer="3", duration_ms=1.5))
    paused = stream_event_json(typed.ResponseComplete(outcome="paused", pending=(QUESTION,)))
    assert set(done) == set(paused)
    assert done["pending"] == []
    assert paused["pending"][0]["interrupt_id"] == "r1.i1"


def test_what_others_said_or_keep_secret_is_in_no_line() -> None:
    """Ours: no foreign error text, no provider's id, nothing that an answer is bound to."""
    lines = "\n".join(json_line(stream_event_json(said)) for said in STREAM_SAMPLES)
    for canary in ("postgres", REQUEST.provider_id, QUESTION.arguments_digest):
        assert canary
        assert canary not in lines


def test_an_event_of_no_known_class_is_refused() -> None:
    """Ours: widening the union without the table is a fault, never a silent pass."""
    strange = type("Strange", (), {"type": "strange"})()
    with pytest.raises(KeyError):
        stream_event_json(strange)
