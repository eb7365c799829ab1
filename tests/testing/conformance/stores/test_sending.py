"""Faults that the checks of `sending` find, each in a store that has no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.testing.conformance.stores import faulty_inboxes, faulty_tables
from tests.testing.conformance.stores.planted import BY_NAME, harness_of, is_found
from treadle.adapters.stores.memory import MemoryStore
from treadle.testing.conformance.stores import sending
from treadle.testing.conformance.stores.check import Check

FOUND = [
    ("a_message_is_kept_as_it_came", faulty_inboxes.DropsBodies),
    ("messages_keep_their_order", faulty_inboxes.SortsInbox),
    ("a_message_is_sent_once_for_each_key", faulty_inboxes.DropsBodies),
    ("of_many_messages_under_one_key_one_is_sent", faulty_inboxes.SendsTwice),
    ("a_message_that_comes_after_another_kind_is_not_sent", faulty_inboxes.SendsAnyway),
    ("a_message_that_comes_after_another_kind_is_not_sent", faulty_inboxes.ForgetsKinds),
    ("what_comes_too_late_wakes_nobody_and_is_of_its_run", faulty_inboxes.ForgetsKinds),
    ("of_a_stop_and_what_may_not_follow_it_the_first_counts", faulty_inboxes.LooksThenSends),
    ("a_key_is_of_its_run", faulty_tables.JoinsTwins),
    ("an_append_takes_the_messages_it_records", faulty_inboxes.TakesNothing),
    ("a_message_to_a_waiting_run_makes_it_ready", faulty_inboxes.WakesNobody),
    ("a_message_that_was_sent_before_wakes_nobody_again", faulty_inboxes.ForgetsSent),
    ("an_answer_that_beats_its_pause_is_not_lost", faulty_inboxes.WaitsRegardless),
    ("a_pause_that_takes_what_was_sent_waits", faulty_inboxes.TakesNothing),
    ("a_final_run_hears_nothing_more", faulty_inboxes.HearsAfterTheEnd),
    ("nobody_speaks_to_a_run_that_is_not_there", faulty_inboxes.HidesMissing),
]


@pytest.mark.parametrize(("name", "fault"), FOUND)
def test_a_planted_fault_is_found(
    name: str, fault: type[MemoryStore], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours: a check that cannot fail is worse than none, for it is believed."""
    assert is_found(BY_NAME[name], harness_of(fault, tmp_path), monkeypatch)


def test_every_check_finds_a_fault() -> None:
    """Ours: whoever adds a check plants what it is to find."""
    assert {check.name for check in vars(sending).values() if isinstance(check, Check)} == {name for name, _ in FOUND}
