"""Tails answer as rows do, or say that rows must be asked; and they are bounded."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.adapters.stores.sqlite.files import CODEC, RUN, SCOPE, append, owned, tables_in_memory
from treadle.adapters.stores.sqlite import live_tails, rows, run_table
from treadle.adapters.stores.sqlite.appending import sealed
from treadle.adapters.stores.sqlite.live_tails import RESTING_BYTES, RESTING_TAILS, ROW_COST_BYTES, LiveTails, Tail
from treadle.testing.conformance.stores.logs import Script, records_of
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import Lease, RunState, RunStatus
from treadle.values.stretches import Stretch

PLACE = (SCOPE, RUN)


def _state(run_id: str = "r1", *, epoch: int = 1, at: int = 0) -> RunState:
    return RunState(
        run_id=RunId(run_id),
        scope=SCOPE,
        thread_id=ThreadId("t1"),
        agent="calc",
        status=RunStatus.OWNED,
        epoch=epoch,
        next_seq=at,
        next_index=at,
        created_s=1.0,
        changed_s=1.0,
    )


def _lease(state: RunState) -> Lease:
    return Lease(run_id=state.run_id, scope=state.scope, epoch=state.epoch, next_seq=0, next_index=0)


_parts = st.lists(st.tuples(st.sampled_from(["speech", "stage", "facts", "mixed"]), st.integers(1, 3)), max_size=12)


@given(parts=_parts, limit=st.integers(1, 6), max_bytes=st.sampled_from([0, 2000, 10_000]), before=st.integers(0, 3))
def test_a_tail_says_what_the_rows_say(parts: list[tuple[str, int]], limit: int, max_bytes: int, before: int) -> None:
    """Ours: one read path: whoever answers, a reader is given the same records after the same event."""
    with tables_in_memory() as connection:
        lease, script = owned(connection)
        tail: Tail | None = None
        for number, (kind, count) in enumerate(parts):
            if number == before:
                tail = Tail(run_table.state(connection, SCOPE, RUN), max_bytes=max_bytes)
            made: Stretch
            if kind == "mixed":
                made = script.mixed("s", "t")
            elif kind == "facts":
                made = script.facts(*range(1, count + 1))
            else:
                words = [str(word) for word in range(count)]
                made = script.speech(*words) if kind == "speech" else script.stage(*words)
            append(connection, lease, made)
            if tail is not None:
                tail.add(sealed(CODEC, lease, [made]))
        if tail is None:
            return
        assert tail.state() == run_table.state(connection, SCOPE, RUN)
        for after in range(-1, script.index + 1):
            page = tail.page(after, limit)
            stored = rows.loaded(CODEC, RUN, rows.page(connection, SCOPE, RUN, after=after, limit=limit), after=after)
            assert page is None or records_of(page) == records_of(stored)
            assert tail.has_after(after) == (after + 1 < script.index)


@pytest.mark.parametrize("text", ["x", "x" * 3000])
def test_a_tail_is_bounded(text: str) -> None:
    """Ours: a run of any length costs a live run's memory, and the last append is always there."""
    state = _state()
    tail, script = Tail(state, max_bytes=10_000), Script(RUN)
    for _ in range(100):
        tail.add(sealed(CODEC, _lease(state), [script.speech(text)]))
        assert len(tail) <= max(1, 10_000 // (ROW_COST_BYTES + len(text)))
        assert tail.page(script.index - 1, 10) == []
    assert tail.page(-1, 10) is None
    tail.add(sealed(CODEC, _lease(state), [script.speech("y" * 50_000), script.stage("s")]))
    assert len(tail) == 2


def test_tails_of_runs_at_rest_go() -> None:
    """Ours: a run that waits for a person for days holds no memory; a few of the latest stay for their readers."""
    tails = LiveTails()
    for number in range(3 * RESTING_TAILS):
        state = _state(f"r{number}")
        tails.claimed(state)
        tails.rested((SCOPE, state.run_id), RunStatus.WAITING, changed_s=2.0, wake_at_s=9.0)
    assert len(tails) == RESTING_TAILS
    last = tails.find((SCOPE, RunId(f"r{3 * RESTING_TAILS - 1}")))
    assert last is not None
    assert (last.state().status, last.state().changed_s, last.state().wake_at_s) == (RunStatus.WAITING, 2.0, 9.0)
    tails.rested((SCOPE, RunId("never")), RunStatus.READY, changed_s=3.0, wake_at_s=None)
    assert len(tails) == live_tails.RESTING_TAILS


def test_tails_of_runs_at_rest_are_bounded_in_bytes_together() -> None:
    """Ours: the end of a run holds all that it said, so a few long ones would fill the memory of a server."""
    tails, kept = LiveTails(), []
    for number in range(RESTING_TAILS):
        state = _state(f"r{number}")
        said = Script(state.run_id).speech("a" * (RESTING_BYTES // 8))
        tails.claimed(state)
        tails.appended(_lease(state), sealed(CODEC, _lease(state), [said]))
        tails.rested((SCOPE, state.run_id), RunStatus.DONE, changed_s=2.0, wake_at_s=None)
        kept.append(len(tails))
    assert (max(kept), kept[-1]) == (7, 7)
    huge = _state("huge")
    tails.claimed(huge)
    tails.appended(_lease(huge), sealed(CODEC, _lease(huge), [Script(huge.run_id).speech("a" * RESTING_BYTES)]))
    tails.rested((SCOPE, huge.run_id), RunStatus.DONE, changed_s=2.0, wake_at_s=None)
    assert len(tails) == 0
    tails.claimed(huge)
    tails.rested((SCOPE, huge.run_id), RunStatus.READY, changed_s=2.0, wake_at_s=None)
    tails.rested((SCOPE, huge.run_id), RunStatus.READY, changed_s=3.0, wake_at_s=None)
    assert len(tails) == 1


def test_an_old_owner_adds_nothing_to_a_tail() -> None:
    """Ours: a tail is of one epoch."""
    tails, script = LiveTails(), Script(RUN)
    tails.claimed(_state(epoch=2))
    tails.appended(_lease(_state(epoch=1)), sealed(CODEC, _lease(_state()), [script.speech("a")]))
    tail = tails.find(PLACE)
    assert tail is not None
    assert (len(tail), tail.epoch) == (0, 2)
    tails.forget(PLACE)
    assert tails.find(PLACE) is None


async def test_whoever_waits_is_woken_by_every_change() -> None:
    """Ours: a claim, an append, a rest, a deletion and the end of the store."""
    tails, lease = LiveTails(), _lease(_state())
    for change in (
        lambda: tails.claimed(_state()),
        lambda: tails.appended(lease, []),
        lambda: tails.rested(PLACE, RunStatus.READY, changed_s=1.0, wake_at_s=None),
        lambda: tails.forget(PLACE),
        tails.wake_all,
    ):
        first, second = tails.enter(PLACE, 60.0), tails.enter(PLACE, 60.0)
        change()
        async with asyncio.timeout(5):
            await asyncio.gather(first, second)
        for waiter in (first, second, first):
            tails.leave(PLACE, waiter)
