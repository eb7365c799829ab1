"""What a run has spent."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.values.event_samples import usages
from treadle.values.usage import (
    COUNTS,
    NO_USAGE,
    UNMEASURED_ROUND,
    UsageDelta,
    count_or_none,
    usage_since,
    usage_sum,
)


@given(usages, usages)
def test_two_usages_sum_to_the_same_in_either_order(one: UsageDelta, other: UsageDelta) -> None:
    """Ours: a sum does not depend on which round came first."""
    assert one + other == other + one


@given(usages, usages, usages)
def test_how_a_sum_is_bracketed_does_not_matter(one: UsageDelta, two: UsageDelta, three: UsageDelta) -> None:
    """Ours: a run's usage is the same whether it was kept as one sum or as sums of segments."""
    assert (one + two) + three == one + (two + three)


@given(usages)
def test_nothing_added_is_nothing_changed(usage: UsageDelta) -> None:
    """Ours: a round that spent nothing leaves the sum as it is."""
    assert usage + NO_USAGE == NO_USAGE + usage == usage


@given(st.lists(usages, max_size=5))
def test_a_count_of_a_sum_is_the_sum_of_the_counts(parts: list[UsageDelta]) -> None:
    """Ours: the kernel adds what it is told and estimates nothing."""
    total = usage_sum(parts)
    assert {name: getattr(total, name) for name in COUNTS} == {
        name: sum(getattr(part, name) for part in parts) for name in COUNTS
    }
    assert total.unmeasured_rounds == sum(part.unmeasured_rounds for part in parts)
    assert total.reported == frozenset().union(*(part.reported for part in parts))


@given(usages)
def test_a_count_that_is_there_was_reported(usage: UsageDelta) -> None:
    """Ours: whoever gives a count need not say twice that he gives it."""
    assert {name for name in COUNTS if getattr(usage, name)} <= usage.reported


@pytest.mark.parametrize("name", COUNTS)
def test_a_zero_is_told_only_where_it_was_measured(name: str) -> None:
    """Ours: 0 means unreported, never free."""
    assert count_or_none(NO_USAGE, name) is None
    assert count_or_none(UsageDelta(reported=frozenset({name})), name) == 0
    assert count_or_none(UsageDelta(**{name: 4}), name) == 4


@pytest.mark.parametrize(
    ("one", "other", "joined"),
    [("5m", "5m", "5m"), ("5m", "1h", None), ("5m", None, None), (None, None, None)],
)
def test_different_cache_times_sum_to_none(one: str | None, other: str | None, joined: str | None) -> None:
    """Ours: mixed cache TTLs sum to the counts and a TTL of None."""
    first = UsageDelta(cache_creation_tokens=1, cache_ttl=one)
    assert (first + UsageDelta(cache_creation_tokens=2, cache_ttl=other)) == UsageDelta(
        cache_creation_tokens=3, cache_ttl=joined
    )


def test_a_round_without_usage_does_not_take_the_cache_time_away() -> None:
    """Ours: who reported nothing contradicts nobody."""
    told = UsageDelta(cache_creation_tokens=1, cache_ttl="5m")
    assert (told + UNMEASURED_ROUND).cache_ttl == (UNMEASURED_ROUND + told).cache_ttl == "5m"


def test_a_round_without_usage_is_counted() -> None:
    """Ours: a sum says how much of it is missing."""
    assert usage_sum([UNMEASURED_ROUND, UsageDelta(input_tokens=1), UNMEASURED_ROUND]).unmeasured_rounds == 2


def test_the_total_that_a_provider_gave_is_kept_without_a_split() -> None:
    """Ours: a total with no split is kept as a total."""
    usage = UsageDelta(total_tokens=9)
    assert (usage.total_tokens, usage.input_tokens, usage.reported) == (9, 0, {"total_tokens"})
    assert usage.spent_tokens == 9


def test_what_a_limit_is_compared_with_is_the_larger_of_total_and_split() -> None:
    """Ours: a provider that gives no total is held to input and output."""
    assert UsageDelta(input_tokens=7, output_tokens=3).spent_tokens == 10
    assert UsageDelta(input_tokens=7, output_tokens=3, total_tokens=12).spent_tokens == 12


@pytest.mark.parametrize("name", [*COUNTS, "unmeasured_rounds"])
@pytest.mark.parametrize("count", [-1, 1.5, 2.0, True, "3", math.nan, math.inf])
def test_a_count_is_a_whole_number(name: str, count: Any) -> None:  # noqa: ANN401 (the fault under test)
    """Ours: tokens are whole, and a negative or infinite one would be billed."""
    with pytest.raises(ValueError, match=f"{name} must be a whole number of 0 or more"):
        UsageDelta(**{name: count})


@given(usages, usages)
def test_what_two_rounds_spent_is_not_read_from_their_sum(one: UsageDelta, other: UsageDelta) -> None:
    """Ours: one round told a total and another a split; only the rounds' own spending adds up to what was spent."""
    assert (one + other).spent_tokens <= one.spent_tokens + other.spent_tokens
    total, split = UsageDelta(total_tokens=10), UsageDelta(input_tokens=7, output_tokens=3)
    assert (total + split).spent_tokens < total.spent_tokens + split.spent_tokens


def test_only_counts_can_be_reported() -> None:
    """Ours: a wrong word is found where it is written."""
    with pytest.raises(ValueError, match="reported must name counts"):
        UsageDelta(reported=frozenset({"tokens"}))
    with pytest.raises(ValueError, match="expected a count"):
        count_or_none(NO_USAGE, "cache_ttl")


def test_a_sum_of_nothing_is_no_usage() -> None:
    """Ours: a run that never asked a model has reported nothing."""
    assert usage_sum([]) == NO_USAGE


@given(usages, usages)
def test_what_was_spent_between_two_sums_added_to_the_first_gives_the_second(one: UsageDelta, more: UsageDelta) -> None:
    """Design §8: usage on a stream is its unit's, and the units add up to the run."""
    since = usage_since(one + more, one)
    assert {name: getattr(since, name) for name in COUNTS} == {name: getattr(more, name) for name in COUNTS}
    assert since.unmeasured_rounds == more.unmeasured_rounds
    assert since.reported <= more.reported


@given(usages)
def test_since_nothing_everything_was_spent(usage: UsageDelta) -> None:
    """Ours: the first unit of a run spent all there is, and its measured zeros are told."""
    assert usage_since(usage, NO_USAGE) == usage


def test_a_count_that_did_not_grow_is_silence() -> None:
    """Promise 10: a zero is never invented; whether one was measured anew cannot be known from two sums."""
    before = UsageDelta(input_tokens=5, reported=frozenset({"input_tokens", "reasoning_tokens"}))
    assert usage_since(before, before).reported == frozenset()
