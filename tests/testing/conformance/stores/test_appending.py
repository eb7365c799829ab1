"""Faults that the checks of `appending` find, each in a store that has no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.testing.conformance.stores import faulty_inboxes, faulty_logs, faulty_tables
from tests.testing.conformance.stores.planted import BY_NAME, harness_of, is_found
from treadle.adapters.stores.memory import MemoryStore
from treadle.testing.conformance.stores import appending
from treadle.testing.conformance.stores.check import Check

FOUND = [
    ("what_is_appended_is_stored_as_it_came", faulty_logs.LosesFacts),
    ("appends_follow_each_other", faulty_logs.LosesFacts),
    ("a_record_keeps_the_epoch_that_wrote_it", faulty_logs.StampsEpochOne),
    ("an_append_that_is_repeated_changes_nothing", faulty_logs.RepeatsItself),
    ("an_append_in_the_middle_of_a_longer_log_may_be_repeated", faulty_logs.RepeatsItself),
    ("the_append_that_gave_a_run_up_may_be_repeated", faulty_logs.FencesNobody),
    ("the_append_that_gave_a_run_up_may_be_repeated", faulty_logs.RepeatsItself),
    ("other_content_at_a_written_place_is_a_conflict", faulty_logs.BelievesRepeats),
    ("other_content_at_a_written_place_is_a_conflict", faulty_logs.RepeatsItself),
    ("a_batch_that_begins_as_the_log_ends_and_goes_on_is_a_conflict", faulty_logs.BelievesRepeats),
    ("a_batch_that_begins_as_the_log_ends_and_goes_on_is_a_conflict", faulty_logs.WritesInParts),
    ("a_gap_is_refused", faulty_logs.WritesInParts),
    ("a_refused_append_changes_nothing_at_all", faulty_inboxes.TakesFirst),
    ("a_stale_owner_writes_nothing", faulty_logs.FencesNobody),
    ("whoever_gave_a_run_up_writes_no_more", faulty_logs.FencesNobody),
    ("an_empty_append_changes_the_status_alone", faulty_tables.HasOneThread),
    ("a_state_says_when_it_changed", faulty_tables.StopsClocks),
    ("an_append_that_is_cancelled_is_written_whole_or_not_at_all", faulty_logs.WritesInParts),
    ("a_large_batch_is_one_append", faulty_logs.StripsTexts),
]


@pytest.mark.parametrize(("name", "fault"), FOUND)
def test_a_planted_fault_is_found(
    name: str, fault: type[MemoryStore], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: a check that cannot fail is worse than none, for it is believed."""
    assert is_found(BY_NAME[name], harness_of(fault, tmp_path), monkeypatch)


def test_every_check_finds_a_fault() -> None:
    """Ours: whoever adds a check plants what it is to find."""
    assert {check.name for check in vars(appending).values() if isinstance(check, Check)} == {name for name, _ in FOUND}
