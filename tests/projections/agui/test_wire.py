"""The shapes of AG-UI's frames."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.projections.agui.rules import read
from treadle.projections.agui import wire
from treadle.values.usage import UsageDelta


def test_what_is_absent_is_left_out() -> None:
    """Spec: null for an optional field is refused."""
    assert wire.frame("X", a="1", b=None) == '{"type":"X","a":1}'
    assert wire.own_metadata(a=None) is None
    assert json.loads(str(wire.own_metadata(a=1, b=None))) == {"treadle": {"a": 1}}


def test_the_value_of_a_custom_event_is_never_left_out() -> None:
    """Spec: `value` is required, and may be null."""
    assert json.loads(wire.custom("note", None)) == {"type": "CUSTOM", "name": "note", "value": None}
    assert json.loads(wire.own_custom("dropped", count=1)) == {
        "type": "CUSTOM",
        "name": "treadle.dropped",
        "value": {"count": 1},
    }


def test_integers_that_a_browser_would_round_are_text() -> None:
    """Ours: big integers have a safe form towards browsers."""
    assert wire.json_of({"a": 2**53, "b": 2**53 - 1}) == '{"a":"9007199254740992","b":9007199254740991}'


@given(text=st.text())
def test_any_text_is_one_line_of_ascii(text: str) -> None:
    """Ours: a line separator in a text ends no line of a stream (BR-126, BR-127)."""
    frame = wire.text_template("m") + wire.quoted(text) + "}"
    assert frame.isascii()
    (event,) = read([frame])
    assert event["delta"] == text


@pytest.mark.parametrize(
    ("content", "text"),
    [(None, ""), ("é", "é"), ({"sum": 3}, '{"sum":3}'), ((1, None), "[1,null]"), (3, "3"), ("\ud800", "\ufffd")],
)
def test_a_result_is_text(content: Any, text: str) -> None:  # noqa: ANN401 (any JSON)
    """Spec: content is a string or parts, and never an object."""
    assert wire.content_text(content) == text


def test_usage_is_said_as_it_was_reported() -> None:
    """Ours: zero is never invented, and a measured one is told."""
    assert wire.usage_list(UsageDelta(), "m") is None
    measured = UsageDelta(output_tokens=3, reported=frozenset({"input_tokens"}))
    assert json.loads(str(wire.usage_list(measured, None))) == [{"inputTokens": 0, "outputTokens": 3}]
    everything = UsageDelta(
        input_tokens=7,
        output_tokens=3,
        total_tokens=10,
        cache_read_tokens=2,
        cache_creation_tokens=1,
        reasoning_tokens=1,
    )
    assert json.loads(str(wire.usage_list(everything, "gpt"))) == [
        {
            "model": "gpt",
            "inputTokens": 7,
            "outputTokens": 3,
            "totalTokens": 10,
            "reasoningTokens": 1,
            "cachedInputTokens": 2,
            "cacheWriteInputTokens": 1,
        }
    ]


def test_a_total_that_is_less_than_its_parts_is_left_out() -> None:
    """Spec: the total is the two totals summed; a sum of which one round told no total is none."""
    assert json.loads(str(wire.usage_list(UsageDelta(input_tokens=7, total_tokens=3), None))) == [{"inputTokens": 7}]
    assert json.loads(str(wire.usage_list(UsageDelta(total_tokens=3), None))) == [{"totalTokens": 3}]


@pytest.mark.parametrize(
    ("at_s", "text"),
    [
        (0.0, "1970-01-01T00:00:00.000Z"),
        (1_000_000_000.1239, "2001-09-09T01:46:40.123Z"),
        (1e15, None),
    ],
)
def test_a_time_is_iso_8601_in_utc(at_s: float, text: str | None) -> None:
    """Spec: a client that cannot read it as a date takes the interrupt for one that never expires."""
    assert wire.iso_time(at_s) == text
