"""How far a run may go."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.values.limits import DEFAULT_LIMITS, Limit, Limits, Retries, RunRules

NAMES = [field.name for field in fields(Limits)]


def test_every_limit_but_tokens_is_on() -> None:
    """Ours: a run that nobody thought about still ends."""
    assert [name for name in NAMES if getattr(DEFAULT_LIMITS, name) is None] == ["tokens"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [0, -1, math.nan])
def test_a_limit_is_above_zero(name: str, value: Any) -> None:  # noqa: ANN401 (numbers of both kinds)
    """Ours: a limit that no run can keep is a mistake of the plan."""
    with pytest.raises(ValueError, match=f"limit {name} must be above 0"):
        Limits(**{name: value})


@pytest.mark.parametrize("name", NAMES)
def test_a_limit_can_be_switched_off(name: str) -> None:
    """Ours: None is no limit."""
    assert getattr(Limits(**{name: None}), name) is None


def test_each_limit_has_a_reason_of_its_own() -> None:
    """Ours: who reads the end of a run knows which limit it met."""
    assert len({str(limit) for limit in Limit}) == len(NAMES)


@given(st.integers(1, 200), st.none() | st.floats(-5, 100))
def test_a_wait_lies_between_nothing_and_the_longest(attempt: int, retry_after_s: float | None) -> None:
    """Ours: no provider makes a run wait longer than its plan allows."""
    retries = Retries()
    assert 0 <= retries.wait_s(attempt, retry_after_s) <= retries.longest_wait_s


def test_waits_double_until_the_longest() -> None:
    """Ours: a provider that is busy is asked less and less often."""
    retries = Retries(first_wait_s=0.5, longest_wait_s=3.0)
    assert [retries.wait_s(attempt, None) for attempt in range(1, 6)] == [0.5, 1.0, 2.0, 3.0, 3.0]


@pytest.mark.parametrize(
    ("asked", "waited"), [(0.0, 0.0), (2.0, 2.0), (3.0, 3.0), (3.5, 0.5), (-1.0, 0.5), (math.nan, 0.5)]
)
def test_a_provider_that_says_when_to_come_back_is_believed_within_bounds(asked: float, waited: float) -> None:
    """Ours: its word wins where it is not longer than the longest wait."""
    assert Retries(first_wait_s=0.5, longest_wait_s=3.0).wait_s(1, asked) == waited


def test_a_round_is_tried_at_least_once() -> None:
    """Ours: legal if it exists."""
    with pytest.raises(ValueError, match="attempts must be 1 or more"):
        Retries(attempts=0)


@pytest.mark.parametrize("name", ["first_wait_s", "longest_wait_s"])
@pytest.mark.parametrize("value", [-0.1, math.inf, math.nan])
def test_a_wait_is_a_finite_number_of_seconds(name: str, value: float) -> None:
    """Ours: a run that waits for ever does not end, and time does not run backwards."""
    with pytest.raises(ValueError, match=f"{name} must be a finite number of 0 or more"):
        Retries(**{name: value})  # type: ignore[arg-type]  # one of the two waits


def test_the_wait_of_a_late_attempt_can_be_counted() -> None:
    """Ours: doubling ends long before numbers do."""
    assert Retries(attempts=10**6, longest_wait_s=9.0).wait_s(10**6, None) == 9.0


def test_no_limit_on_calls_is_told_as_zero() -> None:
    """Ours: `run_started` says how many calls a run may make, 0 where there is no limit."""
    assert RunRules(agent="a", model="m", limits=Limits(tool_calls=None)).tool_call_limit == 0
    assert RunRules(agent="a", model="m", limits=Limits(tool_calls=3)).tool_call_limit == 3
