"""One run as the memory store keeps it."""

from __future__ import annotations

from tests.adapters.stores.memory.test_claim_queue import stored
from treadle.values.runs import Lease, RunStatus


def test_a_lease_says_where_the_log_ends() -> None:
    """Port: who claims goes on from there."""
    run = stored(1)
    run.epoch = 3
    assert run.lease == Lease(run_id=run.new.run_id, scope="alice", epoch=3, next_seq=0, next_index=0)


def test_a_change_is_in_the_state() -> None:
    """Port: status, moment of the change, moment to wake."""
    run = stored(1)
    run.change(RunStatus.WAITING, 7.0, wake_at_s=9.0)
    state = run.state
    assert (state.status, state.created_s, state.changed_s, state.wake_at_s) == (RunStatus.WAITING, 0.0, 7.0, 9.0)
    assert not run.is_final
    run.change(RunStatus.DONE, 8.0)
    assert run.is_final
    assert run.state.wake_at_s is None


def test_a_number_is_not_used_again_when_its_message_was_taken() -> None:
    """Ours: an append that is repeated must not take a later message."""
    run = stored(1)
    assert run.take_in("a", "message", b"")
    run.inbox.clear()
    assert not run.take_in("a", "message", b"")
    assert run.take_in("b", "message", b"")
    assert [*run.inbox] == [1]
