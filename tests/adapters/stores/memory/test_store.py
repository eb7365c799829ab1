"""What the memory store does beyond the ports. What they promise is held by tests/conformance/test_stores.py."""

from __future__ import annotations

import pytest

from treadle.adapters.stores.memory import MemoryStore
from treadle.errors import RunNotFoundError
from treadle.testing.conformance.stores.clock import SettableClock
from treadle.testing.conformance.stores.logs import Script
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import NewRun, RunStatus


async def finished(store: MemoryStore, name: str) -> None:
    """Create a run and bring it to its end."""
    new = NewRun(
        run_id=RunId(name), scope="alice", thread_id=ThreadId(name), agent="calc", digest="d1", request=b"1+2?"
    )
    await store.create(new)
    lease = await store.claim("w1", plans={""}, ttl_s=10.0)
    assert lease is not None
    script = Script(lease.run_id)
    await store.append(lease, [script.facts(1), script.done("3")], status=RunStatus.DONE)


async def test_final_runs_past_the_bound_are_forgotten() -> None:
    """Ours: the run that ended first goes first, as if it had been deleted."""
    store = MemoryStore(SettableClock(), keep_final=2)
    for name in ("r1", "r2", "r3"):
        await finished(store, name)
    assert [run.run_id for run in await store.find("alice")] == ["r3", "r2"]
    await store.delete("alice", RunId("r2"))
    await finished(store, "r4")
    assert [run.run_id for run in await store.find("alice")] == ["r4", "r3"]


async def test_a_live_run_is_never_forgotten() -> None:
    """Ours: the bound counts final runs alone."""
    store = MemoryStore(SettableClock(), keep_final=0)
    new = NewRun(
        run_id=RunId("r9"), scope="alice", thread_id=ThreadId("t"), agent="a", digest="d", request=b"", plan="p"
    )
    await store.create(new)
    await finished(store, "r1")
    assert [run.run_id for run in await store.find("alice")] == ["r9"]


def test_a_bound_below_nothing_is_refused() -> None:
    """Ours: a mistake is told where it is made."""
    with pytest.raises(ValueError, match="keep_final"):
        MemoryStore(SettableClock(), keep_final=-1)


async def test_the_request_goes_with_the_facts() -> None:
    """Ours: it is what the run had to remember of what was asked."""
    store = MemoryStore(SettableClock())
    await finished(store, "r1")
    await store.delete("alice", RunId("r1"), facts_only=True)
    assert (await store.state("alice", RunId("r1"))).request == b""


async def test_a_page_after_a_run_that_is_not_there_is_refused() -> None:
    """Ours: an empty page would be taken for the end of the list."""
    store = MemoryStore(SettableClock())
    with pytest.raises(RunNotFoundError):
        await store.find("alice", before=RunId("r9"))


async def test_a_reader_of_a_run_that_was_forgotten_learns_so() -> None:
    """Ours: it does not wait for what will never come."""
    store = MemoryStore(SettableClock(), keep_final=0)
    await finished(store, "r1")
    with pytest.raises(RunNotFoundError):
        await store.wait("alice", RunId("r1"), 0, timeout_s=60.0)
