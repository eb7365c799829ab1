"""Faults that the checks of `claiming` find, each in a store that has no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.testing.conformance.stores import faulty_inboxes, faulty_logs, faulty_tables
from tests.testing.conformance.stores.planted import BY_NAME, harness_of, is_found
from treadle.adapters.stores.memory import MemoryStore
from treadle.testing.conformance.stores import claiming
from treadle.testing.conformance.stores.check import Check

FOUND = [
    ("a_claim_gives_a_run_to_one_owner", faulty_tables.HoldsNothing),
    ("there_may_be_nothing_to_claim", faulty_tables.ClaimsTheDead),
    ("the_oldest_run_is_claimed_first", faulty_tables.HasOneThread),
    ("a_worker_claims_what_it_has_the_plan_for", faulty_tables.ClaimsAnyPlan),
    ("a_worker_claims_what_it_has_the_plan_for", faulty_tables.ClaimsSlowly),
    ("the_epoch_rises_with_every_claim", faulty_tables.NeverRaisesEpochs),
    ("a_lease_holds_until_it_is_over", faulty_tables.HoldsForEver),
    ("a_renewed_lease_holds_from_then_on", faulty_tables.NeverRenews),
    ("a_stale_owner_cannot_renew", faulty_tables.NeverRenews),
    ("a_stale_owner_cannot_renew", faulty_logs.FencesNobody),
    ("a_run_that_was_given_up_cannot_be_renewed", faulty_tables.NeverRenews),
    ("a_run_that_was_given_up_cannot_be_renewed", faulty_logs.FencesNobody),
    ("an_owner_whose_lease_is_over_goes_on_until_somebody_claims", faulty_logs.FencesLateOwners),
    ("a_run_that_was_given_back_can_be_claimed", faulty_tables.NeverRaisesEpochs),
    ("a_waiting_run_is_claimed_when_its_time_has_come", faulty_tables.NeverRaisesEpochs),
    ("a_moment_to_wake_is_forgotten_once_the_run_is_awake", faulty_inboxes.WakesNobody),
    ("of_many_who_claim_at_once_one_owns", faulty_tables.HoldsForEver),
    ("of_many_who_claim_at_once_one_owns", faulty_tables.ClaimsSlowly),
    ("of_an_old_owner_and_a_new_one_the_new_one_writes", faulty_logs.StampsEpochOne),
    ("of_an_old_owner_and_a_new_one_the_new_one_writes", faulty_logs.FencesNobody),
    ("many_runs_find_an_owner_each", faulty_tables.HasOneThread),
    ("a_worker_is_woken_by_a_new_run", faulty_logs.Sleeps),
    ("a_worker_is_woken_by_a_run_that_was_given_back", faulty_tables.HoldsNothing),
    ("a_worker_is_woken_by_a_message_to_a_waiting_run", faulty_inboxes.WaitsRegardless),
    ("a_worker_is_woken_by_a_message_to_a_waiting_run", faulty_inboxes.WakesNobody),
    ("a_worker_is_woken_by_the_end_of_the_run_before", faulty_tables.ClaimsSlowly),
    ("a_worker_is_woken_by_the_end_of_the_run_before", faulty_tables.AlwaysRejects),
    ("a_worker_does_not_sleep_past_a_run_that_came_before", faulty_logs.Sleeps),
    ("a_worker_that_nothing_wakes_comes_back", faulty_tables.HoldsNothing),
]


@pytest.mark.parametrize(("name", "fault"), FOUND)
def test_a_planted_fault_is_found(
    name: str, fault: type[MemoryStore], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: a check that cannot fail is worse than none, for it is believed."""
    assert is_found(BY_NAME[name], harness_of(fault, tmp_path), monkeypatch)


def test_every_check_finds_a_fault() -> None:
    """Ours: whoever adds a check plants what it is to find."""
    assert {check.name for check in vars(claiming).values() if isinstance(check, Check)} == {name for name, _ in FOUND}
