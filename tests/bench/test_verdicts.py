"""The arithmetic of the gate: medians of ratios, bounds, and what more laps may change."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.verdicts import MORE_SETS, Lap, Race, Row, as_json, as_table, broken, decided, median_ratio, take

seconds = st.floats(min_value=1e-7, max_value=10, allow_nan=False)
laps = st.lists(st.builds(lambda floor, ours: Lap(floor_s=floor, ours_s=ours), seconds, seconds), min_size=1)


def clock(*told: float) -> Callable[[], float]:
    """Give these seconds one after the other, and the last one for ever."""
    left: Iterator[float] = iter(told)
    return lambda: next(left, told[-1])


def race(*, most: float | None, floor: Callable[[], float], ours: Callable[[], float]) -> Race:
    """Make a race of two clocks."""
    return Race(name="it", most=most, floor=floor, ours=ours, unit="delta")


@given(laps, st.floats(min_value=0.01, max_value=100))
def test_a_machine_that_is_slower_all_over_changes_no_verdict(found: list[Lap], slower: float) -> None:
    """Ours: a ratio within one lap cancels the machine."""
    slow = [Lap(floor_s=lap.floor_s * slower, ours_s=lap.ours_s * slower) for lap in found]
    assert median_ratio(slow) == pytest.approx(median_ratio(found))


@given(laps)
def test_fewer_than_half_of_the_laps_cannot_move_the_median_past_the_others(found: list[Lap]) -> None:
    """Ours: somebody else's burst of work falls on some laps and decides nothing."""
    disturbed = [*found, *[Lap(floor_s=1e-7, ours_s=1e6)] * ((len(found) - 1) // 2)]
    assert median_ratio(disturbed) <= max(lap.ratio for lap in found)


def test_both_sides_go_first_in_turn() -> None:
    """Ours: what comes first on a cold cache pays for it, so neither side always does."""
    order: list[str] = []

    def side(name: str) -> Callable[[], float]:
        return lambda: [order.append(name), 1.0][1]  # type: ignore[func-returns-value, return-value]  # noted, then told

    take(race(most=1, floor=side("floor"), ours=side("ours")), 3)
    assert order == ["floor", "ours", "ours", "floor", "floor", "ours"]


def test_seconds_are_divided_by_the_pieces_of_work() -> None:
    """Ours: a run of four times the deltas is compared by the delta."""
    quadruple = Race(
        name="4N over N", most=1.15, floor=lambda: 1.0, ours=lambda: 4.4, unit="delta", floor_units=10, our_units=40
    )
    row = decided(quadruple, 1)
    assert (round(row.value, 9), row.holds, row.laps) == (1.1, True, 1)


def test_a_ratio_that_holds_gets_no_more_laps() -> None:
    """Ours: more laps are for the doubtful."""
    assert decided(race(most=2.0, floor=lambda: 1.0, ours=lambda: 2.0), 5).laps == 5


def test_a_ratio_over_its_bound_gets_three_more_sets_and_then_fails() -> None:
    """Ours: what is broken stays broken, however often it is asked."""
    row = decided(race(most=2.0, floor=lambda: 1.0, ours=lambda: 2.1), 5)
    assert (row.holds, row.laps) == (False, 5 * (1 + MORE_SETS))


def test_all_laps_count_also_those_of_a_lucky_set() -> None:
    """Ours: the best of many tries is no measurement."""
    disturbed_at_first = clock(3.0, 3.0, 3.0, 1.0)
    row = decided(race(most=2.0, floor=lambda: 1.0, ours=disturbed_at_first), 3)
    assert (row.value, row.laps, row.holds) == (2.0, 6, True)
    lucky_once = clock(3.0, 3.0, 3.0, 1.0, 1.0, 3.0)
    assert decided(race(most=2.0, floor=lambda: 1.0, ours=lucky_once), 3).holds is False


def test_a_row_without_a_bound_is_told_and_breaks_nothing() -> None:
    """Ours: microseconds and rows without a floor are printed, never gated."""
    row = decided(race(most=None, floor=lambda: 1.0, ours=lambda: 99.0), 9)
    assert (row.verdict, row.laps, broken([row])) == ("told", 3, [])


@pytest.mark.parametrize(
    ("value", "most", "grain", "holds"),
    [(10.0, 10.0, 0.0, True), (10.01, 10.0, 0.0, False), (0.049, 0.0, 0.05, True), (0.05, 0.0, 0.05, False)],
)
def test_a_bound_includes_itself_and_a_grain_does_not(value: float, most: float, grain: float, *, holds: bool) -> None:
    """Ours: at most ten calls are ten calls; no tasks a delta are fewer than one in twenty deltas."""
    assert Row(name="it", value=value, most=most, grain=grain).holds is holds


def test_the_table_and_the_json_tell_every_row_and_its_verdict() -> None:
    """Ours: a person and a program read the same."""
    rows = [Row(name="a", value=3.0, most=2.0), Row(name="b", value=1.0, most=2.0), Row(name="c", value=1.0, most=None)]
    assert [line.split(" | ")[3] for line in as_table(rows).splitlines()[2:]] == ["BROKEN", "holds", "told"]
    told = json.loads(as_json(rows))
    assert ([row["verdict"] for row in told["rows"]], told["broken"]) == (["broken", "holds", "told"], 1)
