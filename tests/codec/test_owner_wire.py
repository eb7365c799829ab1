"""The ports of a store as JSON between two processes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.codec.stored_values import stretches
from treadle.codec import owner_wire
from treadle.codec.owner_wire import Asked
from treadle.errors import RecordFormatError, RunFinalError, RunLogError, RunNotFoundError
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import Message, RunState, RunStatus
from treadle.values.stretches import Stretch

STATE = RunState(
    run_id=RunId("r1"),
    scope="s",
    thread_id=ThreadId("t"),
    agent="a",
    status=RunStatus.WAITING,
    epoch=2,
    next_seq=9,
    next_index=7,
    created_s=1.5,
    changed_s=2.5,
    wake_at_s=9.0,
    request=b"\x00\xff",
    plan="p",
    properties={"on_disconnect": "cancel", "cancel_after_s": 0.0},
)


def test_what_is_told_is_what_was_meant() -> None:
    """Ours: `load(dump(x)) == x`."""
    message = Message(number=3, key="k", kind="cancel", body=b"\xff")
    question = Asked(run_id="r1", statuses=(RunStatus.READY,), body=b"\x00", run_ids=("r1",), with_facts=True)
    assert owner_wire.load_state(owner_wire.dump(STATE)) == STATE
    assert owner_wire.load_states(owner_wire.dump([STATE, STATE])) == [STATE, STATE]
    assert owner_wire.load_messages(owner_wire.dump([message])) == [message]
    assert owner_wire.load(owner_wire.dump(question), Asked) == question


@given(st.lists(stretches, max_size=3))
def test_a_page_of_a_log_is_told_whole_facts_included(page: list[Stretch]) -> None:
    """Ours: a command sees what it would see in the file."""
    page = [replace(stretch, at_s=1.5) for stretch in page]  # JSON has no infinite time, and no clock has one
    assert owner_wire.load_stretches(owner_wire.dump_stretches(page)) == page


@pytest.mark.parametrize(
    "error", [RunNotFoundError("there is no run 'r1'"), RunFinalError("over"), RunLogError("lost")]
)
def test_an_exception_is_told_with_its_class_and_its_words(error: RunLogError) -> None:
    """Ours: a command says what it would say over the file."""
    told = owner_wire.error_of(owner_wire.refused(error))
    assert (type(told), str(told)) == (type(error), str(error))


def test_an_exception_that_this_version_does_not_know_is_one_of_the_log() -> None:
    """Ours: the other process may be newer."""
    told = owner_wire.error_of(b'{"code":"store_on_fire","message":"hot"}')
    assert (type(told), str(told)) == (RunLogError, "hot")


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"run_id": 5}', b"\xff"])
def test_what_cannot_be_read_is_another_version(body: bytes) -> None:
    """Ours: never an exception that nobody meant."""
    with pytest.raises(RecordFormatError):
        owner_wire.load_state(body)
