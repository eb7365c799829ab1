"""Where runs are found."""

from __future__ import annotations

import pytest

from treadle.adapters.stores.memory.catalogue import Catalogue
from treadle.errors import RunNotFoundError
from treadle.values.ids import NO_THREAD, RunId, ThreadId
from treadle.values.runs import NewRun

THREAD = ThreadId("t1")


def new(run_id: str, *, scope: str = "alice", thread: ThreadId = THREAD, key: str | None = None) -> NewRun:
    """A run to enter."""
    return NewRun(run_id=RunId(run_id), scope=scope, thread_id=thread, agent="calc", digest="d1", request=b"", key=key)


def test_a_run_is_found_by_each_of_its_names_in_its_scope() -> None:
    """Port: the scope is part of every key."""
    catalogue = Catalogue()
    run = catalogue.add(new("r1", key="k1"), 1.0)
    assert catalogue.get("alice", RunId("r1")) is run
    assert catalogue.twin(new("r2", key="k1")) is run
    assert catalogue.twin(new("r1")) is run
    assert catalogue.live("alice", THREAD) == [run]
    assert catalogue.twin(new("r1", scope="bob", key="k1")) is None
    assert catalogue.live("bob", THREAD) == []
    with pytest.raises(RunNotFoundError):
        catalogue.get("bob", RunId("r1"))


def test_a_final_run_leaves_its_thread_and_keeps_its_name() -> None:
    """Port: the thread goes on, and the run can be read."""
    catalogue = Catalogue()
    first, second = catalogue.add(new("r1"), 1.0), catalogue.add(new("r2"), 2.0)
    catalogue.retire(first)
    assert catalogue.live("alice", THREAD) == [second]
    assert list(catalogue.newest_first("alice", None)) == [second, first]
    assert list(catalogue.newest_first("alice", THREAD)) == [second, first]


def test_nothing_is_left_of_a_run_that_was_removed() -> None:
    """Ours: not even empty tables, so that a store which lives long does not grow."""
    catalogue, empty = Catalogue(), Catalogue()
    for run in (catalogue.add(new("r1", key="k1"), 1.0), catalogue.add(new("r2", thread=NO_THREAD), 1.0)):
        catalogue.retire(run)
        catalogue.remove(run)
    tables = [name for name in Catalogue.__slots__ if name != "_created"]
    assert [getattr(catalogue, name) for name in tables] == [getattr(empty, name) for name in tables]


def test_runs_without_a_thread_are_live_in_none() -> None:
    """Ours: no thread is not a thread that they share."""
    catalogue = Catalogue()
    catalogue.add(new("r1", thread=NO_THREAD), 1.0)
    assert catalogue.live("alice", NO_THREAD) == []
