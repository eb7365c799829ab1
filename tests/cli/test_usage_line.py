"""What a run spent, in words."""

from __future__ import annotations

import pytest

from treadle.cli.usage_line import duration, usage_line
from treadle.values.usage import NO_USAGE, UNMEASURED_ROUND, UsageDelta


@pytest.mark.requirement("CLI-19")
def test_usage_that_nobody_reported_is_said_to_be_missing() -> None:
    """Design, promise 10: zero is never invented."""
    assert usage_line(NO_USAGE) == "tokens not reported"


def test_a_measured_zero_is_shown_and_a_missing_count_is_named() -> None:
    """Design, promise 10: usage is reported, or absent."""
    usage = UsageDelta(input_tokens=7, reported=frozenset({"output_tokens"}))
    assert usage_line(usage) == "tokens: input 7, output 0, total not reported"


def test_the_rarer_counts_are_shown_where_they_were_reported() -> None:
    """Ours: cache and reasoning cost money; where there is none, a line need not say so."""
    usage = UsageDelta(input_tokens=7, output_tokens=2, total_tokens=9, cache_read_tokens=3, reasoning_tokens=1)
    assert usage_line(usage) == "tokens: input 7, output 2, total 9, read from cache 3, reasoning 1"


def test_a_sum_says_how_many_rounds_it_lacks() -> None:
    """Design §4: `unmeasured_rounds` says how much of a sum is missing."""
    usage = UsageDelta(input_tokens=1, output_tokens=1, total_tokens=2) + UNMEASURED_ROUND
    assert usage_line(usage) == "tokens: input 1, output 1, total 2; rounds without a count: 1"


@pytest.mark.parametrize(
    ("duration_ms", "shown"),
    [(0.0, "0.0 ms"), (0.44, "0.4 ms"), (9.96, "10 ms"), (999.4, "999 ms"), (999.6, "1.0 s"), (61_000.0, "61.0 s")],
)
def test_a_duration_is_shown_in_the_unit_that_fits(duration_ms: float, shown: str) -> None:
    """Ours: the forms of docs/cli.md."""
    assert duration(duration_ms) == shown
