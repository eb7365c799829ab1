"""The union of stream events."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from typing import Any, get_args

import pytest

from tests.projections.typed.stream_samples import STREAM_SAMPLES
from tests.values.event_samples import CALL, QUESTION
from treadle.projections.typed import events as typed
from treadle.values.calls import ToolStatus


def test_the_tuple_of_classes_and_the_union_are_one() -> None:
    """Ours: a table that is total over the tuple is total over the union."""
    assert get_args(typed.StreamEvent) == typed.STREAM_EVENT_TYPES
    assert {type(sample) for sample in STREAM_SAMPLES} == set(typed.STREAM_EVENT_TYPES)


def test_every_type_is_the_name_of_its_class_in_snake_case() -> None:
    """Ours: a reader of lines and a reader of Python use the same word."""
    for kind in typed.STREAM_EVENT_TYPES:
        assert "".join(part.capitalize() for part in kind.type.split("_")) == kind.__name__


@pytest.mark.parametrize("sample", STREAM_SAMPLES, ids=lambda sample: sample.type)
def test_a_stream_event_cannot_be_changed(sample: typed.StreamEvent) -> None:
    """Ours: frozen, without a dict of its own."""
    for field in fields(sample):
        with pytest.raises(FrozenInstanceError):
            setattr(sample, field.name, None)
    assert not hasattr(sample, "__dict__")


@pytest.mark.parametrize("status", ToolStatus)
def test_a_result_is_an_error_by_its_status(status: ToolStatus) -> None:
    """Ours: whatever content and error text hold."""
    result = typed.ToolResult(call_id=CALL, status=status, content="x", error="y")
    assert result.is_error == (status != "ok")


@pytest.mark.parametrize("kind", [typed.AskUserQuestion, typed.Interrupt])
def test_a_pause_that_asks_for_nothing_cannot_be_made(kind: Any) -> None:  # noqa: ANN401 (one of two classes)
    """Ours: a person must have something to answer."""
    with pytest.raises(ValueError, match="what it waits for"):
        kind(pending=())


@pytest.mark.parametrize(
    "ends",
    [
        {"outcome": "paused"},
        {"outcome": "done", "pending": (QUESTION,)},
        {"outcome": "error"},
        {"outcome": "cancelled", "error_code": "internal"},
    ],
)
def test_a_completion_that_contradicts_itself_cannot_be_made(ends: dict[str, Any]) -> None:
    """Ours: legal if it exists."""
    with pytest.raises(ValueError, match="exactly if"):
        typed.ResponseComplete(**ends)
