"""Which ends may have been missed."""

from __future__ import annotations

import pytest

from treadle.server.wires import vercel_ends
from treadle.server.wires.vercel_ends import MISSED_S, Ends
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import RunState, RunStatus

RUN = RunId("r1")


def final(run_id: RunId = RUN) -> RunState:
    """A run of ten events."""
    return RunState(
        run_id=run_id,
        scope="s",
        thread_id=ThreadId("t"),
        agent="a",
        status=RunStatus.DONE,
        epoch=1,
        next_seq=12,
        next_index=10,
        created_s=0.0,
        changed_s=1.0,
    )


@pytest.mark.requirement("VERCEL-missed-end")
@pytest.mark.parametrize(("ended_s", "owes"), [(MISSED_S - 1, True), (MISSED_S + 1, False)])
def test_an_end_that_nobody_has_read_here_is_owed_for_a_while(ended_s: float, owes: bool) -> None:  # noqa: FBT001 (a case)
    """Ours: who was cut off by a process that is gone comes back soon, or loads its history from elsewhere."""
    assert Ends().owes(final(), ended_s=ended_s) is owes


@pytest.mark.requirement("VERCEL-missed-end")
@pytest.mark.parametrize(("index", "owes"), [(8, True), (9, False)])
def test_an_end_that_was_read_is_not_owed_and_one_that_was_cut_off_is(index: int, owes: bool) -> None:  # noqa: FBT001 (a case)
    """Ours: what counts is how far the last reader has come."""
    ends = Ends()
    ends.note(RUN, index)
    for ended_s in (0.0, 10 * MISSED_S):
        assert ends.owes(final(), ended_s=ended_s) is owes


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Promise 12: bounded memory. The run whose reader went longest ago is forgotten first."""
    monkeypatch.setattr(vercel_ends, "MOST_RUNS", 2)
    ends = Ends()
    for name in ("r1", "r2", "r1", "r3"):
        ends.note(RunId(name), 3)
    assert [ends.owes(final(RunId(name)), ended_s=10 * MISSED_S) for name in ("r1", "r2", "r3")] == [True, False, True]
