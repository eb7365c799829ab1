"""The naive store: it is small enough to be read, and each of its rules can be seen here."""

from __future__ import annotations

import pytest

from treadle.errors import (
    FencedError,
    KeyReusedError,
    RunFinalError,
    RunLiveError,
    RunNotFoundError,
    SequenceConflictError,
    ThreadBusyError,
)
from treadle.testing.conformance.stores.logs import Script
from treadle.testing.conformance.stores.naive import NaiveRun, NaiveStore
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import Lease, NewRun, OnBusyThread, RunStatus

R1, R2 = RunId("r1"), RunId("r2")


def new(run_id: str, rule: OnBusyThread = OnBusyThread.REJECT, **fields: str) -> NewRun:
    """A run of alice's, in one thread."""
    given = {"scope": "alice", "digest": "d1", **fields}
    thread = ThreadId("t1")
    return NewRun(run_id=RunId(run_id), thread_id=thread, agent="a", request=b"", plan="p", on_busy=rule, **given)


def owned(store: NaiveStore, run: NaiveRun, until_s: float = 10.0) -> Lease:
    """Claim a run."""
    store.claim(run, until_s)
    return Lease(
        run_id=run.new.run_id,
        scope=run.new.scope,
        epoch=run.epoch,
        next_seq=len(run.log),
        next_index=run.next_index,
    )


def test_a_key_is_one_run() -> None:
    """Port: create."""
    store = NaiveStore()
    first = store.create(new("r1", key="k"))
    assert store.create(new("r2", key="k")) is first
    with pytest.raises(KeyReusedError):
        store.create(new("r2", key="k", digest="d2"))
    with pytest.raises(ThreadBusyError):
        store.create(new("r2"))


def test_a_thread_goes_in_order() -> None:
    """Port: create and claim."""
    store = NaiveStore()
    first = store.create(new("r1"))
    second = store.create(new("r2", OnBusyThread.CANCEL_PREVIOUS))
    assert [len(run.open) for run in store.runs] == [1, 0]
    assert store.claimable(["p"], 0.0) == [first]
    assert store.claimable(["q"], 0.0) == []
    lease = owned(store, first)
    assert store.claimable(["p"], 9.0) == []
    assert store.claimable(["p"], 10.0) == [first]
    store.append(lease, [], status=RunStatus.DONE, wake_at_s=None, take=())
    assert store.claimable(["p"], 0.0) == [second]


def test_an_append_is_at_the_end_or_a_repetition() -> None:
    """Port: append."""
    store = NaiveStore()
    run = store.create(new("r1"))
    lease = owned(store, run)
    script = Script(R1)
    batch = [script.speech("a"), script.facts(1)]
    for _ in range(2):
        store.append(lease, batch, status=RunStatus.OWNED, wake_at_s=None, take=())
        assert (len(run.log), run.next_index) == (2, 1)
    for wrong in (Script(R1).speech("b"), Script(R1, 3, 1).speech("b"), Script(R1, 2, 0).speech("b")):
        with pytest.raises(SequenceConflictError):
            store.append(lease, [wrong], status=RunStatus.OWNED, wake_at_s=None, take=())
    owned(store, run)
    for stretches in ([], batch):
        with pytest.raises(FencedError):
            store.append(lease, stretches, status=RunStatus.OWNED, wake_at_s=None, take=())
    with pytest.raises(FencedError):
        store.renew(lease, 99.0)


def test_a_message_wakes_once() -> None:
    """Port: send, and the pause that comes too late."""
    store = NaiveStore()
    run = store.create(new("r1"))
    lease = owned(store, run)
    assert store.append(lease, [], status=RunStatus.WAITING, wake_at_s=5.0, take=()) is RunStatus.WAITING
    assert store.claimable(["p"], 5.0) == [run]
    assert store.send("alice", R1, "k") is True
    assert store.send("alice", R1, "k") is False
    assert (run.status, run.wake_at_s) == (RunStatus.READY, None)
    lease = owned(store, run)
    assert store.append(lease, [], status=RunStatus.WAITING, wake_at_s=5.0, take=()) is RunStatus.READY
    lease = owned(store, run)
    assert store.append(lease, [], status=RunStatus.WAITING, wake_at_s=5.0, take=["k"]) is RunStatus.WAITING


def test_only_what_is_final_is_deleted() -> None:
    """Port: delete, and what a run says after its end."""
    store = NaiveStore()
    run = store.create(new("r1"))
    with pytest.raises(RunLiveError):
        store.delete("alice", R1, facts_only=False)
    script = Script(R1)
    batch = [script.facts(1), script.done()]
    store.append(owned(store, run), batch, status=RunStatus.DONE, wake_at_s=None, take=())
    with pytest.raises(RunFinalError):
        store.send("alice", R1, "k")
    assert store.delete("bob", R1, facts_only=False) is False
    assert store.delete("alice", R1, facts_only=True) is True
    assert [told.index for told in run.log] == [0]
    assert store.delete("alice", R1, facts_only=False) is True
    with pytest.raises(RunNotFoundError):
        store.send("alice", R1, "k")
    with pytest.raises(FencedError):
        store.renew(Lease(run_id=R2, scope="alice", epoch=1, next_seq=0, next_index=0), 1.0)
