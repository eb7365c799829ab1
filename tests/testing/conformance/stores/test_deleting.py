"""Faults that the checks of `deleting` find, each in a store that has no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.testing.conformance.stores import faulty_inboxes, faulty_logs, faulty_tables
from tests.testing.conformance.stores.planted import BY_NAME, harness_of, is_found
from treadle.adapters.stores.memory import MemoryStore
from treadle.testing.conformance.stores import deleting
from treadle.testing.conformance.stores.check import Check

FOUND = [
    ("a_live_run_is_not_deleted", faulty_tables.DeletesLive),
    ("there_may_be_nothing_to_delete", faulty_tables.DeletesLive),
    ("a_deleted_run_is_gone", faulty_inboxes.HidesMissing),
    ("a_deleted_run_is_gone", faulty_tables.DeletesSoftly),
    ("what_a_deleted_run_was_called_can_be_used_again", faulty_tables.DeletesSoftly),
    ("facts_can_be_deleted_alone", faulty_logs.RenumbersEvents),
    ("facts_can_be_deleted_alone", faulty_tables.DeletesSoftly),
]


@pytest.mark.parametrize(("name", "fault"), FOUND)
def test_a_planted_fault_is_found(
    name: str, fault: type[MemoryStore], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: a check that cannot fail is worse than none, for it is believed."""
    assert is_found(BY_NAME[name], harness_of(fault, tmp_path), monkeypatch)


def test_every_check_finds_a_fault() -> None:
    """Ours: whoever adds a check plants what it is to find."""
    assert {check.name for check in vars(deleting).values() if isinstance(check, Check)} == {name for name, _ in FOUND}
