"""The suite for stores over the memory store, and which requirements its checks hold."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from treadle.adapters.stores.memory import MemoryStore
from treadle.ports.clock import Clock
from treadle.ports.store import Store
from treadle.testing.conformance.stores import CHECKS, StoreConformance, StoreHarness

HOLDS = {
    "a_refused_append_changes_nothing_at_all": [pytest.mark.requirement("ST-01")],
    "an_append_that_is_cancelled_is_written_whole_or_not_at_all": [pytest.mark.requirement("ST-01")],
    "a_gap_is_refused": [pytest.mark.requirement("ST-02")],
    "an_append_that_is_repeated_changes_nothing": [pytest.mark.requirement("ST-03")],
    "an_append_in_the_middle_of_a_longer_log_may_be_repeated": [pytest.mark.requirement("ST-03")],
    "the_append_that_gave_a_run_up_may_be_repeated": [pytest.mark.requirement("ST-03")],
    "an_append_whose_word_got_lost_is_repeated_without_harm": [pytest.mark.requirement("ST-03")],
    "other_content_at_a_written_place_is_a_conflict": [pytest.mark.requirement("ST-04")],
    "a_batch_that_begins_as_the_log_ends_and_goes_on_is_a_conflict": [pytest.mark.requirement("ST-04")],
    "a_stale_owner_writes_nothing": [pytest.mark.requirement("ST-05")],
    "a_stale_owner_cannot_renew": [pytest.mark.requirement("ST-05")],
    "of_an_old_owner_and_a_new_one_the_new_one_writes": [pytest.mark.requirement("ST-05")],
    "whoever_gave_a_run_up_writes_no_more": [pytest.mark.requirement("ST-06")],
    "a_record_keeps_the_epoch_that_wrote_it": [pytest.mark.requirement("ST-07")],
    "a_reader_begins_after_any_event": [pytest.mark.requirement("ST-08", "BR-020")],
    "facts_are_read_in_their_places": [pytest.mark.requirement("ST-08")],
    "pages_join_to_the_whole": [pytest.mark.requirement("ST-08")],
    "a_reader_without_wake_ups_still_sees_everything": [pytest.mark.requirement("ST-09")],
    "a_reader_that_is_behind_does_not_wait": [pytest.mark.requirement("ST-10")],
    "nobody_waits_for_a_run_that_is_final": [pytest.mark.requirement("ST-10", "BR-023")],
    "readers_see_everything_once_however_they_come": [pytest.mark.requirement("BR-020", "BR-021", "BR-024")],
    "a_log_can_be_read_after_the_end_of_its_run": [pytest.mark.requirement("BR-021")],
    "a_run_may_end_at_any_moment_of_a_readers_way": [pytest.mark.requirement("BR-023", "BR-024")],
    "of_many_who_claim_at_once_one_owns": [pytest.mark.requirement("ST-20")],
    "the_epoch_rises_with_every_claim": [pytest.mark.requirement("ST-20")],
    "a_lease_holds_until_it_is_over": [pytest.mark.requirement("ST-21", "BR-029")],
    "a_renewed_lease_holds_from_then_on": [pytest.mark.requirement("ST-21", "BR-029")],
    "a_worker_claims_what_it_has_the_plan_for": [pytest.mark.requirement("ST-21")],
    "a_thread_with_a_live_run_refuses_another": [pytest.mark.requirement("ST-22", "ST-23")],
    "queued_runs_keep_their_order": [pytest.mark.requirement("ST-22")],
    "a_run_that_replaces_another_sends_it_a_cancel": [pytest.mark.requirement("ST-22")],
    "a_queued_run_is_claimed_when_the_one_before_is_final": [pytest.mark.requirement("ST-23")],
    "a_waiting_run_is_claimed_when_its_time_has_come": [pytest.mark.requirement("ST-24")],
    "one_key_is_one_run": [pytest.mark.requirement("ST-25", "BR-027")],
    "one_key_at_the_same_moment_is_one_run": [pytest.mark.requirement("ST-25")],
    "another_request_under_a_used_key_is_refused": [pytest.mark.requirement("ST-25")],
    "a_key_joins_its_run_after_the_end": [pytest.mark.requirement("BR-027")],
    "a_live_run_is_not_deleted": [pytest.mark.requirement("ST-26")],
    "a_deleted_run_is_gone": [pytest.mark.requirement("ST-26")],
    "facts_can_be_deleted_alone": [pytest.mark.requirement("ST-26")],
    "pages_of_runs_join_to_the_whole": [pytest.mark.requirement("ST-27")],
    "a_message_is_sent_once_for_each_key": [pytest.mark.requirement("ST-40")],
    "of_many_messages_under_one_key_one_is_sent": [pytest.mark.requirement("ST-40")],
    "a_message_that_comes_after_another_kind_is_not_sent": [pytest.mark.requirement("ST-45")],
    "what_comes_too_late_wakes_nobody_and_is_of_its_run": [pytest.mark.requirement("ST-45")],
    "of_a_stop_and_what_may_not_follow_it_the_first_counts": [pytest.mark.requirement("ST-45")],
    "an_append_takes_the_messages_it_records": [pytest.mark.requirement("ST-41")],
    "an_answer_that_beats_its_pause_is_not_lost": [pytest.mark.requirement("ST-42")],
    "a_message_to_a_waiting_run_makes_it_ready": [pytest.mark.requirement("ST-43")],
    "a_final_run_hears_nothing_more": [pytest.mark.requirement("ST-43")],
    "a_run_is_not_there_for_another_scope": [pytest.mark.requirement("ST-44")],
    "names_are_the_scopes_own": [pytest.mark.requirement("ST-44")],
    "a_damaged_row_is_told_with_its_place_and_the_rest_is_read": [pytest.mark.requirement("ST-60")],
    "a_full_store_says_so_and_goes_on_when_there_is_room": [pytest.mark.requirement("ST-61")],
    "compaction_is_not_noticed": [pytest.mark.requirement("ST-62")],
    "random": [pytest.mark.requirement("ST-63"), pytest.mark.slow, pytest.mark.untraced, pytest.mark.hypothesis],
}


class MemoryHarness(StoreHarness):
    """Makes memory stores. There is nothing to reopen, to damage or to fill."""

    @asynccontextmanager
    async def make(self, clock: Clock, /) -> AsyncIterator[Store]:
        """A memory store."""
        yield MemoryStore(clock)


class TestMemoryStore(StoreConformance):
    """The memory store keeps what the ports promise."""

    harness = MemoryHarness
    marks = HOLDS


def test_every_name_that_is_marked_is_that_of_a_check() -> None:
    """Ours: a mark on a check that is not there would hold a requirement by nothing."""
    assert {*HOLDS} - {check.name for check in CHECKS} == {"random"}
