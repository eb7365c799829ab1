"""Faults that the checks of `threads` find, each in a store that has no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.testing.conformance.stores import faulty_inboxes, faulty_tables
from tests.testing.conformance.stores.planted import BY_NAME, harness_of, is_found
from treadle.adapters.stores.memory import MemoryStore
from treadle.testing.conformance.stores import threads
from treadle.testing.conformance.stores.check import Check

FOUND = [
    ("a_thread_with_a_live_run_refuses_another", faulty_tables.AlwaysQueues),
    ("a_thread_with_a_live_run_refuses_another", faulty_tables.HasNoThreads),
    ("a_refused_run_does_not_take_its_key", faulty_tables.AlwaysQueues),
    ("a_thread_takes_the_next_run_when_the_last_is_final", faulty_tables.JoinsTwins),
    ("a_queued_run_is_claimed_when_the_one_before_is_final", faulty_inboxes.WakesNobody),
    ("a_queued_run_is_claimed_when_the_one_before_is_final", faulty_inboxes.HearsAfterTheEnd),
    ("queued_runs_keep_their_order", faulty_tables.ClaimsTheDead),
    ("queued_runs_keep_their_order", faulty_tables.ClaimsSlowly),
    ("a_thread_with_queued_runs_is_busy", faulty_tables.AlwaysQueues),
    ("a_thread_with_queued_runs_is_busy", faulty_tables.AlwaysRejects),
    ("a_queued_run_holds_up_nobody_else", faulty_tables.ClaimsSlowly),
    ("a_queued_run_holds_up_nobody_else", faulty_tables.AlwaysRejects),
    ("a_run_that_replaces_another_sends_it_a_cancel", faulty_tables.AlwaysQueues),
    ("a_run_that_replaces_another_sends_it_a_cancel", faulty_tables.ClaimsSlowly),
    ("a_run_that_replaces_a_waiting_one_wakes_it", faulty_tables.AlwaysQueues),
    ("a_run_that_replaces_a_waiting_one_wakes_it", faulty_tables.AlwaysRejects),
    ("a_run_that_replaces_others_cancels_the_queued_ones_too", faulty_tables.AlwaysQueues),
    ("a_run_that_replaces_others_cancels_the_queued_ones_too", faulty_tables.AlwaysRejects),
    ("a_free_thread_needs_no_rule", faulty_tables.JoinsTwins),
    ("threads_are_named_in_their_scope", faulty_inboxes.KnowsNoScope),
    ("runs_without_a_thread_do_not_know_of_each_other", faulty_tables.HasOneThread),
]


@pytest.mark.parametrize(("name", "fault"), FOUND)
def test_a_planted_fault_is_found(
    name: str, fault: type[MemoryStore], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: a check that cannot fail is worse than none, for it is believed."""
    assert is_found(BY_NAME[name], harness_of(fault, tmp_path), monkeypatch)


def test_every_check_finds_a_fault() -> None:
    """Ours: whoever adds a check plants what it is to find."""
    assert {check.name for check in vars(threads).values() if isinstance(check, Check)} == {name for name, _ in FOUND}
