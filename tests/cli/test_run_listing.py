"""Runs of a store to a list."""

from __future__ import annotations

from typing import Final

from treadle.adapters.stores.memory import MemoryStore
from treadle.cli.run_listing import ListedRun, asked_of, for_people, for_scripts, listed
from treadle.errors import RecordFormatError
from treadle.ports.log import RunLog
from treadle.testing.fake_clock import FakeClock
from treadle.values.events import RunStarted
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import NewRun, RunState, RunStatus
from treadle.values.stretches import EntryStretch, Stretch

SCOPE: Final = "s"


async def created(store: MemoryStore, name: str, *, thread: str = "") -> RunState:
    """A new run that nobody has begun."""
    return await store.create(
        NewRun(run_id=RunId(name), scope=SCOPE, thread_id=ThreadId(thread), agent="calc", digest=name, request=b"")
    )


async def begun(store: MemoryStore, name: str, *, prompt: str) -> None:
    """A run whose first event is stored."""
    await created(store, name, thread=f"t_{name}")
    lease = await store.claim("w", plans=[""], ttl_s=60.0)
    assert lease is not None
    run_id, thread_id = RunId(name), ThreadId(f"t_{name}")
    first = RunStarted(
        index=0, run_id=run_id, agent="calc", thread_id=thread_id, root_run_id=run_id, prompt=prompt,
        tool_call_limit=4,
    )  # fmt: skip
    await store.append(lease, [EntryStretch(seq=0, index=0, entries=(first,), at_s=1.0)], status=RunStatus.OWNED)


async def test_the_newest_runs_are_listed_with_what_was_asked() -> None:
    """docs/cli.md: newest first, and as many as were asked for."""
    store = MemoryStore(FakeClock())
    await begun(store, "r1", prompt="1+2?")
    await created(store, "r2", thread="t2")
    await created(store, "r3")
    found = await listed(store, SCOPE, thread_id=None, status=None, limit=3)
    assert [(run.state.run_id, run.asked) for run in found.runs] == [("r3", ""), ("r2", ""), ("r1", "1+2?")]
    assert not found.is_cut
    cut = await listed(store, SCOPE, thread_id=None, status=None, limit=2)
    assert (cut.runs, cut.is_cut) == (found.runs[:2], True)


async def test_a_list_can_be_of_one_thread_and_one_status() -> None:
    """docs/cli.md: `--thread`, `--state`."""
    store = MemoryStore(FakeClock())
    await begun(store, "r1", prompt="1+2?")
    await created(store, "r2", thread="t2")
    by_status = await listed(store, SCOPE, thread_id=None, status=RunStatus.OWNED, limit=9)
    by_thread = await listed(store, SCOPE, thread_id=ThreadId("t2"), status=None, limit=9)
    other = await listed(store, "other", thread_id=None, status=None, limit=9)
    assert [run.state.run_id for run in by_status.runs] == ["r1"]
    assert [run.state.run_id for run in by_thread.runs] == ["r2"]
    assert other.runs == ()


async def test_a_damaged_log_is_listed_without_its_question() -> None:
    """Ours: one bad row hides no other run; who reads that run is told of it."""

    class Damaged(MemoryStore):
        """A store whose rows cannot be read."""

        async def read(self, scope: str, run_id: RunId, after: int, /, *, limit: int) -> list[Stretch]:
            """Refuse."""
            raise RecordFormatError(f"{scope}, {run_id}, {after}, {limit}")

    store: RunLog = Damaged(FakeClock())
    assert await asked_of(store, await created(store, "r1")) == ""  # type: ignore[arg-type] # it is that store


async def test_a_list_reads_as_a_table_and_as_lines() -> None:
    """docs/cli.md: the two forms."""
    state = await created(MemoryStore(FakeClock(now_s=0.0)), "r1")
    runs = [ListedRun(state=state, asked="1+2?\x9b")]
    assert for_people(runs, terminal=False) == (
        "RUN  STATE  AGENT  THREAD  EVENTS  CHANGED               ASKED\n"
        "r1   ready  calc   -       0       1970-01-01 00:00:00Z  1+2?\\x9b\n"
    )
    assert for_scripts(runs) == (
        '{"run_id":"r1","thread_id":"","agent":"calc","state":"ready","events":0,"created_s":0.0,"changed_s":0.0,'
        '"wake_at_s":null,"prompt":"1+2?\\u009b"}\n'
    )
    assert (for_people([], terminal=False), for_scripts([])) == ("", "")
