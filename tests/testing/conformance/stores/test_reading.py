"""Faults that the checks of `reading` find, each in a store that has no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.testing.conformance.stores import faulty_inboxes, faulty_logs
from tests.testing.conformance.stores.planted import BY_NAME, harness_of, is_found
from treadle.adapters.stores.memory import MemoryStore
from treadle.testing.conformance.stores import reading
from treadle.testing.conformance.stores.check import Check

FOUND = [
    ("a_reader_begins_after_any_event", faulty_logs.ReadsAll),
    ("a_reader_begins_after_any_event", faulty_logs.SkipsRows),
    ("events_can_be_made_of_what_is_read", faulty_logs.SkipsRows),
    ("facts_are_read_in_their_places", faulty_logs.LosesFacts),
    ("after_the_end_there_is_nothing", faulty_logs.ReadsAll),
    ("the_last_append_keeps_its_time", faulty_logs.ForgetsTimes),
    ("pages_join_to_the_whole", faulty_logs.SkipsRows),
    ("pages_join_to_the_whole", faulty_logs.LosesFacts),
    ("a_page_is_about_as_long_as_it_may_be", faulty_logs.ReadsAll),
    ("a_page_gets_past_facts", faulty_logs.SkipsRows),
    ("a_log_can_be_read_after_the_end_of_its_run", faulty_logs.LosesFacts),
    ("a_run_that_is_not_there_cannot_be_read", faulty_inboxes.HidesMissing),
]


@pytest.mark.parametrize(("name", "fault"), FOUND)
def test_a_planted_fault_is_found(
    name: str, fault: type[MemoryStore], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: a check that cannot fail is worse than none, for it is believed."""
    assert is_found(BY_NAME[name], harness_of(fault, tmp_path), monkeypatch)


def test_every_check_finds_a_fault() -> None:
    """Ours: whoever adds a check plants what it is to find."""
    assert {check.name for check in vars(reading).values() if isinstance(check, Check)} == {name for name, _ in FOUND}
