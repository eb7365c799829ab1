"""A run as a store knows it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.values.events import FINAL_TYPES
from treadle.values.ids import RunId, ThreadId
from treadle.values.mappings import EMPTY, FrozenDict
from treadle.values.runs import FINAL_STATUSES, LIVE_STATUSES, Cursor, NewRun, OnBusyThread, RunState, RunStatus


def state(status: RunStatus) -> RunState:
    """Where a run with this status stands."""
    return RunState(
        run_id=RunId("r1"),
        scope="u1",
        thread_id=ThreadId("t1"),
        agent="calc",
        status=status,
        epoch=1,
        next_seq=0,
        next_index=0,
        created_s=1.0,
        changed_s=1.0,
    )


@pytest.mark.requirement("REC-run")
def test_a_run_is_live_or_final_and_never_both() -> None:
    """Design: `ready → owned → (waiting → ready)* → done | error | cancelled`; a waiting run is live."""
    assert set(RunStatus) == FINAL_STATUSES | LIVE_STATUSES
    assert not FINAL_STATUSES & LIVE_STATUSES
    assert RunStatus.WAITING in LIVE_STATUSES


@pytest.mark.requirement("REC-run")
def test_a_final_status_is_the_kind_of_the_event_that_closed_the_run() -> None:
    """Ours: where a run stands and how its log ends are one word."""
    assert {status.value for status in FINAL_STATUSES} == {kind.kind for kind in FINAL_TYPES}


@pytest.mark.parametrize("status", RunStatus)
@pytest.mark.requirement("REC-run")
def test_a_state_says_whether_more_will_be_written(status: RunStatus) -> None:
    """EV-4: nothing after a final event."""
    assert state(status).is_final == (status in FINAL_STATUSES)


@pytest.mark.requirement("REC-run")
def test_a_new_run_refuses_a_busy_thread_unless_told_otherwise() -> None:
    """Design: `reject | queue | cancel_previous`; to do nothing to what runs is the default."""
    run = NewRun(
        run_id=RunId("r1"), scope="u1", thread_id=ThreadId("t1"), agent="calc", digest="d", request=b"{}", key=None
    )
    assert run.on_busy is OnBusyThread.REJECT
    assert run.properties == EMPTY


@pytest.mark.requirement("REC-run")
def test_what_a_new_run_is_given_cannot_change_behind_it() -> None:
    """Ours: a value holds no mapping that somebody else can write."""
    given = {"locale": ["de"]}
    run = NewRun(
        run_id=RunId("r1"),
        scope="u1",
        thread_id=ThreadId("t1"),
        agent="calc",
        digest="d",
        request=b"{}",
        properties=given,
    )
    given["locale"].append("en")
    assert run.properties == {"locale": ("de",)}
    assert type(run.properties) is FrozenDict


@pytest.mark.requirement("REC-run")
def test_a_cursor_is_written_as_epoch_and_index() -> None:
    """Design: `epoch:index` of the event it stands on."""
    assert str(Cursor(epoch=2, index=17)) == "2:17"


@given(st.integers(0, 2**60), st.integers(0, 2**60))
@pytest.mark.requirement("REC-run")
def test_a_cursor_is_read_as_it_was_written(epoch, index):
    """Ours: a client gives back the text that it was given."""
    cursor = Cursor(epoch=epoch, index=index)
    assert Cursor.read(str(cursor)) == cursor


@pytest.mark.parametrize(
    "text", ["", ":", "1", "1:", ":1", "-1:2", "1:-2", "1:2:3", " 1:2", "1:2 ", "a:b", "1:²", "١:١"]
)
@pytest.mark.requirement("REC-run")
def test_no_other_text_is_a_cursor(text: str) -> None:
    """Ours: what a client sends is not trusted to be one of ours."""
    with pytest.raises(ValueError, match="EPOCH:INDEX"):
        Cursor.read(text)
