"""Faults that the checks of `listing` find, each in a store that has no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.testing.conformance.stores import faulty_tables
from tests.testing.conformance.stores.planted import BY_NAME, harness_of, is_found
from treadle.adapters.stores.memory import MemoryStore
from treadle.testing.conformance.stores import listing
from treadle.testing.conformance.stores.check import Check

FOUND = [
    ("runs_are_listed_newest_first", faulty_tables.StopsClocks),
    ("runs_are_listed_by_thread_and_status", faulty_tables.ClaimsAnyPlan),
    ("runs_are_listed_by_thread_and_status", faulty_tables.ListsByName),
    ("pages_of_runs_join_to_the_whole", faulty_tables.PagesByTime),
    ("a_page_goes_on_where_the_last_one_ended", faulty_tables.ListsByName),
    ("a_page_goes_on_where_the_last_one_ended", faulty_tables.AlwaysRejects),
]


@pytest.mark.parametrize(("name", "fault"), FOUND)
def test_a_planted_fault_is_found(
    name: str, fault: type[MemoryStore], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: a check that cannot fail is worse than none, for it is believed."""
    assert is_found(BY_NAME[name], harness_of(fault, tmp_path), monkeypatch)


def test_every_check_finds_a_fault() -> None:
    """Ours: whoever adds a check plants what it is to find."""
    assert {check.name for check in vars(listing).values() if isinstance(check, Check)} == {name for name, _ in FOUND}
