"""Calls of tools and what came of them."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given

from tests.values.event_samples import CALL, json_values, tool_outcomes
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.mappings import EMPTY, frozen


def test_a_call_without_arguments_has_the_empty_mapping() -> None:
    """Ours: none given and none there are one."""
    assert ToolRequest(name="now").arguments is EMPTY


def test_the_arguments_of_a_call_are_kept_as_they_were_when_it_was_made() -> None:
    """Ours: what a person approved is what runs."""
    mine = {"paths": ["a"]}
    request = ToolRequest(name="delete", arguments=mine)
    mine["paths"].append("b")
    assert request.arguments == {"paths": ("a",)}


@given(json_values)
def test_what_a_tool_gave_is_frozen(content: object) -> None:
    """Ours: an outcome is shared by the log, the model and every reader."""
    assert ToolOutcome(call_id=CALL, content=content).content == frozen(content)


@pytest.mark.parametrize("status", [status for status in ToolStatus if status is not ToolStatus.OK])
def test_a_call_that_did_not_end_ok_says_why(status: ToolStatus) -> None:
    """Ours: the model is told something of every failure."""
    assert ToolOutcome(call_id=CALL, status=status, error="no").is_error
    for error in (None, ""):
        with pytest.raises(ValueError, match="needs an error text"):
            ToolOutcome(call_id=CALL, status=status, error=error)


@given(tool_outcomes)
def test_an_outcome_is_an_error_exactly_if_its_status_says_so(outcome: ToolOutcome) -> None:
    """Ours: one field decides, whatever content and error hold."""
    assert outcome.is_error == (outcome.status is not ToolStatus.OK)


def test_a_status_may_be_given_by_its_word() -> None:
    """Ours: stored forms hold words; another word is refused."""
    assert ToolOutcome(call_id=CALL, status="timeout", error="late").status is ToolStatus.TIMEOUT  # type: ignore[arg-type]  # a stored word
    with pytest.raises(ValueError, match="broken"):
        ToolOutcome(call_id=CALL, status="broken", error="x")  # type: ignore[arg-type]  # the fault under test


@pytest.mark.parametrize("error", ["no", " "])
def test_a_call_that_ended_ok_has_no_error(error: str) -> None:
    """Ours: a reader who looks at the status and one who looks at the error see the same."""
    with pytest.raises(ValueError, match="has no error"):
        ToolOutcome(call_id=CALL, content="3", error=error)


@pytest.mark.parametrize("duration_ms", [-0.1, math.inf, math.nan])
def test_the_time_a_call_took_is_a_finite_number_of_milliseconds(duration_ms: float) -> None:
    """Ours: legal if it exists, and JSON can say it."""
    with pytest.raises(ValueError, match="duration_ms must be a finite number of 0 or more"):
        ToolOutcome(call_id=CALL, duration_ms=duration_ms)


@pytest.mark.parametrize("arguments", ["{}", [("a", 1)], None, 3])
def test_arguments_are_a_mapping(arguments: Any) -> None:  # noqa: ANN401 (the fault under test)
    """Ours: a tool is called with names and values, whoever made the request."""
    with pytest.raises(TypeError, match="arguments must be a mapping"):
        ToolRequest(name="add", arguments=arguments)


def test_the_statuses_are_these_seven() -> None:
    """Ours: readers rely on a closed set."""
    assert [str(status) for status in ToolStatus] == [
        "ok",
        "failed",
        "denied",
        "refused",
        "timeout",
        "cancelled",
        "unknown",
    ]
