"""Faults that the checks of `creating` find, each in a store that has no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.testing.conformance.stores import faulty_tables
from tests.testing.conformance.stores.planted import BY_NAME, harness_of, is_found
from treadle.adapters.stores.memory import MemoryStore
from treadle.testing.conformance.stores import creating
from treadle.testing.conformance.stores.check import Check

FOUND = [
    ("a_new_run_is_ready_and_empty", faulty_tables.LosesRequests),
    ("one_key_is_one_run", faulty_tables.ForgetsKeys),
    ("a_key_joins_its_run_before_the_thread_is_asked", faulty_tables.ForgetsKeys),
    ("a_key_joins_its_run_after_the_end", faulty_tables.ClaimsTheDead),
    ("another_request_under_a_used_key_is_refused", faulty_tables.IgnoresDigests),
    ("another_request_under_a_used_key_is_refused", faulty_tables.SharesKeys),
    ("runs_without_a_key_are_never_joined", faulty_tables.JoinsTwins),
    ("a_key_is_unique_in_its_scope_alone", faulty_tables.SharesKeys),
    ("to_create_a_run_again_is_to_find_it", faulty_tables.RefusesTwins),
    ("one_key_at_the_same_moment_is_one_run", faulty_tables.ForgetsKeys),
]


@pytest.mark.parametrize(("name", "fault"), FOUND)
def test_a_planted_fault_is_found(
    name: str, fault: type[MemoryStore], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: a check that cannot fail is worse than none, for it is believed."""
    assert is_found(BY_NAME[name], harness_of(fault, tmp_path), monkeypatch)


def test_every_check_finds_a_fault() -> None:
    """Ours: whoever adds a check plants what it is to find."""
    assert {check.name for check in vars(creating).values() if isinstance(check, Check)} == {name for name, _ in FOUND}
