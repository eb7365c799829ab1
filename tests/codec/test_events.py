"""Kernel events as JSON."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import msgspec
import pytest
from hypothesis import given

from tests.values.event_samples import (
    APPROVAL,
    CALL,
    OUTCOME,
    QUESTION,
    REQUEST,
    SAMPLE_OF,
    SAMPLES,
    USAGE,
    event,
    kernel_events,
)
from treadle.codec import events as codec
from treadle.codec.events import EVENT_SHAPES, json_line, kernel_event_json, outcome_json, usage_json
from treadle.codec.shapes import Shape
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import PendingInterrupt, Resolution
from treadle.values.usage import COUNTS, NO_USAGE, UsageDelta

# What is never written, by class: ids and texts of others, and what only callers in process are given.
UNSAID: dict[type, set[str]] = {
    ev.Error: {"detail"},
    ToolRequest: {"provider_id", "raw_arguments", "damage"},
    PendingInterrupt: {"arguments_digest"},
    InvocationOutcome: {"messages", "tool_outcomes", "run_id"},
}
NESTED: dict[type, Shape] = {
    ToolRequest: codec.REQUEST_SHAPE,
    ToolOutcome: codec.TOOL_OUTCOME_SHAPE,
    PendingInterrupt: codec.PENDING_SHAPE,
    Resolution: codec.RESOLUTION_SHAPE,
    InvocationOutcome: codec.OUTCOME_SHAPE,
}


def names(kind: Any) -> set[str]:  # noqa: ANN401 (any data class)
    """Names of the fields of a class that are written."""
    return {field.name for field in fields(kind)} - UNSAID.get(kind, set())


def test_the_table_has_every_class() -> None:
    """Ours: an event without a JSON form is found here and not on a wire."""
    assert set(EVENT_SHAPES) == set(ev.EVENT_TYPES)


@pytest.mark.parametrize("kind", ev.EVENT_TYPES, ids=lambda kind: kind.kind)
def test_every_field_of_an_event_is_written_or_kept_back_on_purpose(kind: type[ev.KernelEvent]) -> None:
    """Ours: a new field is either in its row or in the list of what is never said."""
    assert set(EVENT_SHAPES[kind]) | {"index", "run_id"} == names(kind)
    assert list(kernel_event_json(SAMPLE_OF[kind]))[:3] == ["kind", "index", "run_id"]


@pytest.mark.parametrize("kind", NESTED, ids=lambda kind: kind.__name__)
def test_every_field_of_a_nested_value_is_written_or_kept_back_on_purpose(kind: type) -> None:
    """Ours: the same holds for what events carry."""
    assert set(NESTED[kind]) == names(kind)


@given(kernel_events())
def test_every_event_is_one_line_of_strict_json(made: ev.KernelEvent) -> None:
    """Ours: any reader of lines and of JSON can read it, and reads what was written."""
    line = json_line(kernel_event_json(made))
    assert len(line.splitlines()) == 1
    read = json.loads(line, parse_constant=pytest.fail)
    assert read == json.loads(json.dumps(kernel_event_json(made), allow_nan=False))
    assert (read["kind"], read["index"], read["run_id"]) == (made.kind, made.index, made.run_id)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.kind)
def test_json_and_back_is_the_same_as_json(sample: ev.KernelEvent) -> None:
    """Ours: what is given out is in JSON terms already."""
    made = kernel_event_json(sample)
    assert json.loads(json.dumps(made)) == json.loads(json_line(made)) == msgspec.json.decode(msgspec.json.encode(made))


def test_a_piece_of_text_is_written_by_its_fields() -> None:
    """Ours: the shape that readers of `--events` see most."""
    assert json_line(kernel_event_json(SAMPLE_OF[ev.TextDelta])) == (
        '{"kind":"text_delta","index":0,"run_id":"r1","passage":2,"text":"It is 3."}'
    )


def test_an_end_carries_how_the_run_stands() -> None:
    """Ours: the outcome in its stated shape."""
    assert kernel_event_json(SAMPLE_OF[ev.Error]) == {
        "kind": "error",
        "index": 0,
        "run_id": "r1",
        "termination": "error",
        "code": "upstream_truncated",
        "error_class": "internal",
        "retryable": False,
        "reference": "ref1",
        "outcome": outcome_json(OUTCOME),
    }
    assert outcome_json(OUTCOME) == {
        "text": "Let me look. It is 3.",
        "answer_at": 13,
        "duration_ms": 12.345,
        "stop_reason": "stop",
        "output": {"sum": 3},
        "usage": usage_json(USAGE),
    }


def test_what_others_said_or_keep_secret_is_in_no_line() -> None:
    """Ours: no foreign error text, no provider's id, nothing that an answer is bound to."""
    lines = "\n".join(json_line(kernel_event_json(sample)) for sample in SAMPLES)
    for canary in ("postgres", REQUEST.provider_id, QUESTION.arguments_digest):
        assert canary
        assert canary not in lines


def test_a_pause_says_what_is_asked_and_until_when() -> None:
    """Ours: whoever may answer is shown exactly what it asks about."""
    (first, second) = kernel_event_json(SAMPLE_OF[ev.Interrupt])["pending"]
    assert first == {
        "interrupt_id": "r1.i1",
        "kind": "ask_user",
        "call_id": CALL,
        "expires_at": 1000.0,
        "on_expiry": "fail",
        "request": {"questions": ({"text": "Which one?"},)},
        "response_schema": {"type": "object"},
    }
    assert second["interrupt_id"] == APPROVAL.interrupt_id


def test_counts_that_nobody_reported_are_null() -> None:
    """Ours: zero is never invented, and a measured zero is told."""
    assert usage_json(NO_USAGE) == {**dict.fromkeys(COUNTS), "cache_ttl": None, "unmeasured_rounds": 0}
    assert usage_json(UsageDelta(input_tokens=3, reported=frozenset({"reasoning_tokens"}))) == {
        **dict.fromkeys(COUNTS),
        "input_tokens": 3,
        "reasoning_tokens": 0,
        "cache_ttl": None,
        "unmeasured_rounds": 0,
    }


def test_what_ends_a_line_for_some_readers_is_escaped() -> None:
    """Ours: one event is one line for everyone who splits lines."""
    line = json_line(kernel_event_json(event(ev.TextDelta, passage=1, text="a\u2028b\u2029c\x85d\ne")))
    assert len(line.splitlines()) == 1
    assert json.loads(line)["text"] == "a\u2028b\u2029c\x85d\ne"


def test_an_event_of_no_known_class_is_refused() -> None:
    """Ours: widening the union without the table is a fault, never a silent pass."""
    with pytest.raises(KeyError):
        kernel_event_json(object())  # type: ignore[arg-type]  # the fault under test
