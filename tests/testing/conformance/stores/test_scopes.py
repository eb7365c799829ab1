"""Faults that the checks of `scopes` find, each in a store that has no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.testing.conformance.stores import faulty_inboxes, faulty_logs, faulty_tables
from tests.testing.conformance.stores.planted import BY_NAME, harness_of, is_found
from treadle.adapters.stores.memory import MemoryStore
from treadle.testing.conformance.stores import scopes
from treadle.testing.conformance.stores.check import Check

FOUND = [
    ("a_run_is_not_there_for_another_scope", faulty_inboxes.HidesMissing),
    ("to_wait_for_a_run_of_another_scope_tells_nothing", faulty_logs.Sleeps),
    ("a_scope_lists_its_own_runs", faulty_inboxes.KnowsNoScope),
    ("a_run_of_another_scope_cannot_be_deleted", faulty_tables.DeletesLive),
    ("a_run_of_another_scope_cannot_be_deleted", faulty_inboxes.KnowsNoScope),
    ("a_lease_is_of_its_scope", faulty_tables.NeverRenews),
    ("names_are_the_scopes_own", faulty_tables.LosesRequests),
    ("a_run_that_replaces_another_reaches_its_own_scope_alone", faulty_inboxes.KnowsNoScope),
]


@pytest.mark.parametrize(("name", "fault"), FOUND)
def test_a_planted_fault_is_found(
    name: str, fault: type[MemoryStore], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: a check that cannot fail is worse than none, for it is believed."""
    assert is_found(BY_NAME[name], harness_of(fault, tmp_path), monkeypatch)


def test_every_check_finds_a_fault() -> None:
    """Ours: whoever adds a check plants what it is to find."""
    assert {check.name for check in vars(scopes).values() if isinstance(check, Check)} == {name for name, _ in FOUND}
