"""The order in which runs are claimed, against a list that is searched."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from treadle.adapters.stores.memory.claim_queue import ClaimQueue
from treadle.adapters.stores.memory.stored_run import StoredRun
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import NewRun

_runs = st.integers(0, 5)
_moments = st.integers(0, 20).map(float)
_steps = st.lists(
    st.one_of(
        st.tuples(st.just("put"), _runs, _moments),
        st.tuples(st.just("put off"), _runs, _moments),
        st.tuples(st.just("drop"), _runs, _moments),
        st.tuples(st.just("take"), st.sets(st.sampled_from(["p0", "p1"])), _moments),
    ),
    max_size=40,
)


def stored(number: int) -> StoredRun:
    """A run of one of two plans."""
    run = NewRun(
        run_id=RunId(f"r{number}"),
        scope="alice",
        thread_id=ThreadId("t1"),
        agent="calc",
        digest="d1",
        request=b"",
        plan=f"p{number % 2}",
    )
    return StoredRun(run, number=number, now_s=0.0)


@given(_steps)
def test_the_run_that_waits_longest_is_taken(steps: list[Any]) -> None:
    """Ours: whatever was put, put off and dropped before, as a search through a list would find it."""
    queue, runs, due = ClaimQueue(), [stored(number) for number in range(6)], dict[int, float]()
    for step, what, moment in steps:
        if step == "take":
            taken = queue.take(what, moment)
            free = [due_s for number, due_s in due.items() if due_s <= moment and runs[number].new.plan in what]
            assert (taken is None) == (not free)
            if taken is not None:
                assert due.pop(taken.number) == min(free)
                assert (taken.due_s, taken.turn) == (None, None)
        elif step == "drop":
            queue.drop(runs[what])
            due.pop(what, None)
        else:
            (queue.put if step == "put" else queue.put_off)(runs[what], moment)
            due[what] = moment


def test_of_runs_that_came_at_one_moment_the_first_is_taken() -> None:
    """Ours: the order of coming decides."""
    queue, runs = ClaimQueue(), [stored(number) for number in (4, 2, 0)]
    for run in runs:
        queue.put(run, 1.0)
    assert [queue.take(["p0"], 1.0) for _ in runs] == runs
    assert queue.take(["p0"], 1.0) is None
