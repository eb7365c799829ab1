"""Where runs stand, and which is due."""

from __future__ import annotations

import sqlite3

import pytest

from tests.adapters.stores.sqlite.files import PLAN, RUN, SCOPE, append, new_run, owned, tables_in_memory
from treadle.adapters.stores.sqlite import creating, run_table
from treadle.errors import RunNotFoundError
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import OnBusyThread, RunStatus


def _claimed(connection: sqlite3.Connection, now_s: float) -> str | None:
    state = run_table.claim(connection, "w", plans=[PLAN, "other"], now_s=now_s, ttl_s=10.0)
    return None if state is None else state.run_id


def test_a_state_says_where_the_log_ends() -> None:
    """Ours: while a run is live its rows say it; it is written down when the run rests."""
    with tables_in_memory() as connection:
        lease, script = owned(connection)
        append(connection, lease, script.facts(1), script.speech("a", "b"))
        live = run_table.state(connection, SCOPE, RUN)
        assert (live.status, live.epoch, live.next_seq, live.next_index) == (RunStatus.OWNED, 1, 3, 2)
        append(connection, lease, script.stage("end"), status=RunStatus.DONE, now_s=7.0)
        state = run_table.state(connection, SCOPE, RUN)
        assert (state.status, state.next_seq, state.next_index, state.changed_s) == (RunStatus.DONE, 4, 3, 7.0)
        assert state.is_final


def test_the_run_that_is_due_for_longest_is_claimed() -> None:
    """Ours: ready runs, leases that are over and pauses whose time has come stand in one line."""
    with tables_in_memory() as connection:
        waits, _ = owned(connection, "r1")
        append(connection, waits, status=RunStatus.WAITING, wake_at_s=30.0)
        owned(connection, "r2")  # until 11
        creating.create(connection, new_run("r3"), 20.0)
        assert [_claimed(connection, now_s) for now_s in (10.0, 31.0, 31.0, 31.0, 31.0)] == [
            None,
            "r2",
            "r3",
            "r1",
            None,
        ]
        assert run_table.next_due_s(connection, 31.0) == 41.0
        assert run_table.next_due_s(connection, 41.0) is None


def test_a_plan_is_a_right_to_claim() -> None:
    """Ours: a worker gets nothing that it cannot run."""
    with tables_in_memory() as connection:
        creating.create(connection, new_run(plan="theirs"), 1.0)
        assert _claimed(connection, 5.0) is None
        assert run_table.claim(connection, "w", plans=[], now_s=5.0, ttl_s=1.0) is None


def test_a_dead_owners_runs_are_ready_again() -> None:
    """Ours: the file lock says that nobody owns a run; a clock that went back makes none wait."""
    with tables_in_memory() as connection:
        owned(connection, "r1")
        creating.create(connection, new_run("r2"), 5000.0)
        run_table.recover(connection, 100.0)
        assert [_claimed(connection, 100.0) for _ in range(3)] == ["r1", "r2", None]
        assert run_table.state(connection, SCOPE, RUN).epoch == 2


def test_the_next_of_a_thread_is_freed_by_the_end_of_the_one_before() -> None:
    """Ours: in the order of creation, one at a time."""
    with tables_in_memory() as connection:
        thread = ThreadId("t1")
        lease, script = owned(connection, thread_id=thread)
        for name in ("r2", "r3"):
            creating.create(connection, new_run(name, thread_id=thread, on_busy=OnBusyThread.QUEUE), 2.0)
        assert [run_id for _, run_id, _ in run_table.live_in_thread(connection, SCOPE, thread)] == ["r1", "r2", "r3"]
        assert _claimed(connection, 5.0) is None
        append(connection, lease, script.stage("end"), status=RunStatus.DONE)
        assert [_claimed(connection, 5.0) for _ in range(2)] == ["r2", None]


def test_runs_are_found_newest_first() -> None:
    """Ours: filters and pages; a page after a run that is not there is refused."""
    with tables_in_memory() as connection:
        for number in range(4):
            creating.create(connection, new_run(f"r{number}"), 1.0)
        asked = {"thread_id": None, "statuses": None, "before": None, "limit": 10}

        def found(**words: object) -> list[str]:
            return [run.run_id for run in run_table.find(connection, SCOPE, **{**asked, **words})]  # type: ignore[arg-type]  # drawn together

        assert found() == ["r3", "r2", "r1", "r0"]
        assert found(limit=2, before=RunId("r3")) == ["r2", "r1"]
        assert found(thread_id=ThreadId("thread of r1")) == ["r1"]
        assert found(statuses=[RunStatus.DONE]) == []
        with pytest.raises(RunNotFoundError):
            found(before=RunId("r9"))


def test_final_runs_are_found_by_their_age() -> None:
    """Ours: retention takes the oldest, and never a live one."""
    with tables_in_memory() as connection:
        owned(connection, "live")
        for name, now_s in (("old", 3.0), ("new", 9.0)):
            creating.create(connection, new_run(name, plan=name), 1.0)
            state = run_table.claim(connection, "w", plans=[name], now_s=1.0, ttl_s=1.0)
            assert state is not None
            run_table.rest(
                connection,
                run_table.standing(connection, SCOPE, state.run_id),
                RunStatus.DONE,
                now_s=now_s,
                wake_at_s=None,
            )
        assert run_table.final_before(connection, 9.0, limit=10) == [(SCOPE, "old")]
        assert len(run_table.final_before(connection, 99.0, limit=1)) == 1
