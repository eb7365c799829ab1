"""Checks of `append`: all or nothing, once, at the end, by the owner alone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

import pytest

from treadle.errors import FencedError, SequenceConflictError
from treadle.testing.conformance.stores.bench import TTL_S, Bench, settle
from treadle.testing.conformance.stores.check import check
from treadle.testing.conformance.stores.logs import Script, with_epoch
from treadle.values.ids import CallId
from treadle.values.model import ARGUMENTS, THINKING
from treadle.values.runs import FINAL_STATUSES, Lease, RunStatus
from treadle.values.stretches import Stretch

GIVEN_UP: Final = (RunStatus.READY, RunStatus.WAITING, *sorted(FINAL_STATUSES))


def _batch(script: Script) -> list[Stretch]:
    """Facts before, between and after events; every kind of speech; one passage in two stretches."""
    return [
        script.facts(1),
        script.started(),
        script.speech("Let me", " see", kind=THINKING),
        script.speech("It"),
        script.speech(" is", " 3"),
        script.mixed("s", "t"),
        script.speech('{"a":', "1}", kind=ARGUMENTS, key=CallId("r1.c1")),
        script.facts(2, 3),
    ]


@check()
async def what_is_appended_is_stored_as_it_came(bench: Bench) -> None:
    """Every record in its place: events with their indexes, facts between them without one."""
    lease, script = await bench.own()
    batch = _batch(script)
    assert await bench.append(lease, *batch) is RunStatus.OWNED
    assert await bench.log() == with_epoch(batch, lease.epoch)
    state = await bench.state()
    assert (state.next_seq, state.next_index) == (script.seq, script.index)


@check()
async def appends_follow_each_other(bench: Bench) -> None:
    """The log is the concatenation of all batches, however they were cut."""
    lease, script = await bench.own()
    batch = _batch(script)
    for stretch in batch:
        await bench.append(lease, stretch)
    assert await bench.log() == with_epoch(batch, lease.epoch)


@check()
async def a_record_keeps_the_epoch_that_wrote_it(bench: Bench) -> None:
    """The lease says it, not the stretch; a passage that two owners wrote keeps both."""
    lease, script = await bench.own()
    first, second = script.speech("a", "b"), script.speech("c")
    await bench.append(lease, first, status=RunStatus.READY)
    lease = await bench.claimed("r1")
    await bench.append(lease, second)
    assert [told.epoch for told in await bench.log()] == [1, 1, 2]


@check()
async def an_append_that_is_repeated_changes_nothing(bench: Bench) -> None:
    """Whoever did not hear the answer asks again: no error, no second copy."""
    lease, script = await bench.own()
    batch = _batch(script)
    await bench.append(lease, *batch)
    assert await bench.append(lease, *batch) is RunStatus.OWNED
    assert await bench.log() == with_epoch(batch, lease.epoch)


@check()
async def an_append_in_the_middle_of_a_longer_log_may_be_repeated(bench: Bench) -> None:
    """What is written there is the same, so nothing changes, whatever came after and however rows were joined."""
    lease, script = await bench.own()
    parts: list[Stretch] = [script.speech("a", "b"), script.speech("c"), script.speech("d"), script.stage("s", "t")]
    for part in parts:
        await bench.append(lease, part)
    for part in parts:
        await bench.append(lease, part)
    await bench.append(lease, *parts[1:3])
    assert await bench.log() == with_epoch(parts, lease.epoch)


@check()
async def the_append_that_gave_a_run_up_may_be_repeated(bench: Bench) -> None:
    """Its owner did not hear that the run is waiting or final, and asks again."""
    for number, status in enumerate(GIVEN_UP):
        lease, script = await _own_another(bench, number)
        end = script.stage("end")
        await bench.append(lease, end, status=status)
        assert await bench.append(lease, end, status=status) is status
        assert await bench.log(lease.run_id) == with_epoch([end], lease.epoch)
        assert await bench.status(lease.run_id) is status


@check()
async def other_content_at_a_written_place_is_a_conflict(bench: Bench) -> None:
    """Another text, passage, kind, index, event or fact, at any place of the batch; nothing is written."""
    lease, script = await bench.own()
    speech, stage, facts = script.speech("a", "b"), script.stage("s"), script.facts(1)
    batch: list[Stretch] = [speech, stage, facts]
    await bench.append(lease, *batch)
    others: list[Sequence[Stretch]] = [
        [Script(lease.run_id).speech("a", "x"), stage, facts],
        [Script(lease.run_id).speech("a", "b", key=2), stage, facts],
        [Script(lease.run_id).speech("a", "b", kind=THINKING), stage, facts],
        [speech, Script(lease.run_id, 2, 2).stage("x"), facts],
        [speech, stage, Script(lease.run_id, 3, 3).facts(2)],
        [Script(lease.run_id, 0, 1).speech("a", "b")],
        [Script(lease.run_id, 1, 1).speech("x")],
        [Script(lease.run_id, 2, 2).speech("s")],
    ]
    for other in others:
        await _refused(bench, lease, other)
    assert await bench.log() == with_epoch(batch, lease.epoch)


@check()
async def a_batch_that_begins_as_the_log_ends_and_goes_on_is_a_conflict(bench: Bench) -> None:
    """Part of it is written and part is not, so it is no repetition; the writer knows where it stands."""
    lease, script = await bench.own()
    first, second = script.speech("a"), script.speech("b")
    await bench.append(lease, first)
    await _refused(bench, lease, [first, second])
    await bench.append(lease, second)


@check()
async def a_gap_is_refused(bench: Bench) -> None:
    """In seq or in index, before a batch or within it; nothing is written."""
    lease, script = await bench.own()
    await bench.append(lease, script.speech("a"), script.facts(1))
    seq, index = script.seq, script.index
    whole = script.speech("b")
    gaps: list[Sequence[Stretch]] = [
        [script.at(seq + 1, index).speech("b")],
        [script.at(seq, index + 1).speech("b")],
        [script.at(seq, index - 1).speech("b")],
        [whole, script.at(seq + 2, index + 1).speech("c")],
        [whole, script.at(seq + 1, index + 2).speech("c")],
        [whole, script.at(seq, index).speech("c")],
        [script.at(seq, index + 1).facts(2)],
    ]
    for gap in gaps:
        await _refused(bench, lease, gap)
    await bench.append(lease, whole)


@check()
async def a_refused_append_changes_nothing_at_all(bench: Bench) -> None:
    """Its status, its wake-up and the messages it would take stay as they were, and the owner goes on."""
    lease, script = await bench.own()
    await bench.append(lease, script.speech("a"))
    await bench.send("k1")
    (message,) = await bench.store.inbox(lease.scope, lease.run_id)
    before = await bench.state()
    wrong = script.at(9, 9).stage("end")
    with pytest.raises(SequenceConflictError):
        await bench.append(lease, wrong, status=RunStatus.DONE, take=[message.number])
    assert await bench.state() == before
    assert await bench.keys() == ["k1"]
    await bench.append(lease, script.speech("b"), take=[message.number])
    assert await bench.keys() == []


@check()
async def a_stale_owner_writes_nothing(bench: Bench) -> None:
    """A newer epoch fences it: at the end, at a written place, with the same content, and with nothing to write."""
    stale, script = await bench.own()
    first = script.speech("a")
    await bench.append(stale, first)
    bench.clock.advance(TTL_S + 1)
    lease = await bench.claimed("r1")
    before = await bench.state()
    for stretches in ([script.at(1, 1).speech("b")], [first], [script.at(0, 0).speech("x")], []):
        for status in RunStatus:
            with pytest.raises(FencedError):
                await bench.append(stale, *stretches, status=status)
    assert await bench.state() == before
    assert await bench.log() == with_epoch([first], stale.epoch)
    await bench.append(lease, script.speech("b"))


@check()
async def whoever_gave_a_run_up_writes_no_more(bench: Bench) -> None:
    """A lease ends with the append that gives the run back, makes it wait or ends it; nothing follows a final one."""
    for number, status in enumerate(GIVEN_UP):
        lease, script = await _own_another(bench, number)
        await bench.append(lease, script.stage("end"), status=status)
        for stretches in ([script.at(script.seq, script.index).stage("more")], []):
            for later in RunStatus:
                with pytest.raises(FencedError):
                    await bench.append(lease, *stretches, status=later)
        assert await bench.status(lease.run_id) is status
        assert len(await bench.log(lease.run_id)) == 1


@check()
async def an_empty_append_changes_the_status_alone(bench: Bench) -> None:
    """A run is given back, made to wait or ended without a record."""
    for number, status in enumerate((RunStatus.OWNED, *GIVEN_UP)):
        lease, _ = await _own_another(bench, number)
        assert await bench.append(lease, status=status) is status
        state = await bench.state(lease.run_id)
        assert (state.status, state.next_seq, state.next_index) == (status, 0, 0)


@check()
async def a_state_says_when_it_changed(bench: Bench) -> None:
    """By the store's clock; the time of creation stays."""
    lease, script = await bench.own()
    created_s = (await bench.state()).created_s
    bench.clock.advance(7)
    await bench.append(lease, script.stage("end"), status=RunStatus.DONE)
    state = await bench.state()
    assert (state.created_s, state.changed_s) == (created_s, bench.clock.now_s())


@check()
async def an_append_that_is_cancelled_is_written_whole_or_not_at_all(bench: Bench) -> None:
    """Wherever the cancel meets it; the same append again ends with one copy."""
    lease, script = await bench.own()
    expected: list[object] = []
    for steps in range(6):
        batch: list[Stretch] = [script.speech("a", "b"), script.stage("s")]
        task = asyncio.create_task(bench.append(lease, *batch))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await settle()
        whole = [*expected, *with_epoch(batch, lease.epoch)]
        assert await bench.log() in (expected, whole)
        await bench.append(lease, *batch)
        expected = whole
        assert await bench.log() == expected


@check()
async def a_large_batch_is_one_append(bench: Bench) -> None:
    """Thousands of records, and texts of every script, line break and size."""
    lease, script = await bench.own()
    odd = ["\x00", "é\u0301", "𝄞", "\u2028", "\r\n", '"\\', "x" * 100_000, "文"]
    batch = [script.speech(*odd), script.speech(*(str(number) for number in range(5000)), key=2)]
    await bench.append(lease, *batch)
    assert await bench.log() == with_epoch(batch, lease.epoch)


async def _refused(bench: Bench, lease: Lease, stretches: Sequence[Stretch]) -> None:
    before = await bench.state(), await bench.log()
    with pytest.raises(SequenceConflictError):
        await bench.append(lease, *stretches)
    assert (await bench.state(), await bench.log()) == before


async def _own_another(bench: Bench, number: int) -> tuple[Lease, Script]:
    """A run with a plan of its own, so that no other run can be claimed in its place."""
    await bench.create(f"r{number}", plan=f"plan {number}")
    lease = await bench.claimed(f"r{number}", f"plan {number}")
    return lease, Script(lease.run_id)
