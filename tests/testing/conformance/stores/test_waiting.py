"""Faults that the checks of `waiting` find, each in a store that has no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.testing.conformance.stores import faulty_logs
from tests.testing.conformance.stores.planted import BY_NAME, harness_of, is_found
from treadle.adapters.stores.memory import MemoryStore
from treadle.testing.conformance.stores import waiting
from treadle.testing.conformance.stores.check import Check

FOUND = [
    ("a_reader_is_woken_by_an_append", faulty_logs.Sleeps),
    ("a_reader_that_is_behind_does_not_wait", faulty_logs.Sleeps),
    ("a_reader_is_woken_by_a_change_of_status", faulty_logs.Sleeps),
    ("nobody_waits_for_a_run_that_is_final", faulty_logs.Sleeps),
    ("a_reader_that_nothing_wakes_comes_back", faulty_logs.Sleeps),
    ("a_reader_that_leaves_its_wait_hurts_nobody", faulty_logs.Sleeps),
    ("readers_see_everything_once_however_they_come", faulty_logs.SkipsRows),
    ("readers_see_everything_once_however_they_come", faulty_logs.CutsPages),
    ("a_reader_without_wake_ups_still_sees_everything", faulty_logs.SkipsRows),
    ("a_run_may_end_at_any_moment_of_a_readers_way", faulty_logs.SkipsRows),
]


@pytest.mark.parametrize(("name", "fault"), FOUND)
def test_a_planted_fault_is_found(
    name: str, fault: type[MemoryStore], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: a check that cannot fail is worse than none, for it is believed."""
    assert is_found(BY_NAME[name], harness_of(fault, tmp_path), monkeypatch)


def test_every_check_finds_a_fault() -> None:
    """Ours: whoever adds a check plants what it is to find."""
    assert {check.name for check in vars(waiting).values() if isinstance(check, Check)} == {name for name, _ in FOUND}
