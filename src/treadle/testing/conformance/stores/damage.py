"""Checks of what a store does when the world fails it: a restart, a damaged row, a full disk, a lost word, compaction.

Each needs a harness that can bring it about.
"""

from __future__ import annotations

import re

import pytest

from treadle.errors import FencedError, RecordFormatError, StoreFullError
from treadle.testing.conformance.stores.bench import SCOPE, TTL_S, Bench
from treadle.testing.conformance.stores.check import check
from treadle.testing.conformance.stores.harness import (
    Compacts,
    Corrupts,
    FillsDisk,
    LosesAcknowledgement,
    LostAcknowledgementError,
    Reopens,
)
from treadle.testing.conformance.stores.logs import events_in, records_of, with_epoch
from treadle.values.ids import CallId, RunId
from treadle.values.model import ARGUMENTS, THINKING
from treadle.values.runs import RunStatus
from treadle.values.stretches import Stretch

RUN = RunId("r1")


@check(needs=LosesAcknowledgement)
async def an_append_whose_word_got_lost_is_repeated_without_harm(bench: Bench) -> None:
    """It was written; its owner does not know and asks again, also for the append that made the run wait or end."""
    assert isinstance(bench.harness, LosesAcknowledgement)
    lease, script = await bench.own()
    expected: list[object] = []
    for status in (RunStatus.OWNED, RunStatus.OWNED, RunStatus.DONE):
        batch: list[Stretch] = [script.facts(1), script.speech("a", "b"), script.stage("s")]
        expected += with_epoch(batch, lease.epoch)
        bench.harness.lose_acknowledgement()
        with pytest.raises(LostAcknowledgementError):
            await bench.append(lease, *batch, status=status)
        assert await bench.log() == expected
        assert await bench.append(lease, *batch, status=status) is status
        assert await bench.log() == expected


@check(needs=FillsDisk)
async def a_full_store_says_so_and_goes_on_when_there_is_room(bench: Bench) -> None:
    """Nothing of the refused append is written, what was written can be read, and the same owner goes on."""
    assert isinstance(bench.harness, FillsDisk)
    lease, script = await bench.own()
    first = script.speech("a")
    second: list[Stretch] = [script.speech("b" * 1_000_000), script.stage("s")]
    await bench.append(lease, first)
    await bench.send("k1")
    before = await bench.state()
    take = [message.number for message in await bench.store.inbox(SCOPE, RUN)]
    async with bench.harness.fill_disk():
        with pytest.raises(StoreFullError):
            await bench.append(lease, *second, take=take)
        assert await bench.log() == with_epoch([first], lease.epoch)
    assert await bench.state() == before
    assert await bench.keys() == ["k1"]
    await bench.append(lease, *second, take=take)
    assert await bench.log() == with_epoch([first, *second], lease.epoch)


@check(needs=Corrupts)
async def a_damaged_row_is_told_with_its_place_and_the_rest_is_read(bench: Bench) -> None:
    """The error names run and seq; what lies before and after the row comes as it was."""
    assert isinstance(bench.harness, Corrupts)
    lease, script = await bench.own()
    rows = [script.stage(f"s{number}") for number in range(60)]
    for row in rows:
        await bench.append(lease, row)
    whole = with_epoch(rows, lease.epoch)
    await bench.harness.corrupt(RUN, 47)
    for after in (-1, 20, 45):
        before = events_in(await bench.read(after, limit=1), after=after)
        assert before == whole[after + 1 : after + 1 + len(before)]
        assert before or after == 45
    with pytest.raises(RecordFormatError) as damage:
        await bench.read(46, limit=1)
    assert str(RUN) in str(damage.value)
    assert re.search(r"\b47\b", str(damage.value))
    assert events_in(await bench.read(47), after=47) == whole[48:]


@check(needs=Reopens)
async def a_store_that_is_opened_again_has_everything(bench: Bench) -> None:
    """Runs, logs, messages, keys and threads, as they were; a live owner of before is fenced by the next."""
    assert isinstance(bench.harness, Reopens)
    lease, script = await bench.own(key="k1", properties={"tier": 1})
    batch: list[Stretch] = [script.facts(1), script.started(), script.speech("a", "b")]
    await bench.append(lease, *batch)
    await bench.send("m1", kind="cancel")
    before = await bench.state(), await bench.store.inbox(SCOPE, RUN)
    async with bench.harness.reopen(bench.clock) as store:
        again = Bench(store, bench.clock, bench.harness)
        state = await again.state()
        assert (state.next_seq, state.next_index, state.request) == (script.seq, script.index, before[0].request)
        assert await store.inbox(SCOPE, RUN) == before[1]
        assert await again.log() == with_epoch(batch, lease.epoch)
        assert (await again.create("r2", key="k1")).run_id == RUN
        assert await again.send("m1") is False
        bench.clock.advance(TTL_S + 1)
        newer = await again.claimed("r1")
        assert newer.epoch > lease.epoch
        with pytest.raises(FencedError):
            await again.append(lease, script.speech("c"))


@check(needs=Compacts)
async def compaction_is_not_noticed(bench: Bench) -> None:
    """Indexes, epochs, texts and facts stay, from every index; an old append may still be repeated."""
    assert isinstance(bench.harness, Compacts)
    lease, script = await bench.own()
    batch: list[Stretch] = [script.facts(1), script.started()]
    batch += [script.speech(text, kind=THINKING) for text in ("hm", " so", "\u2028")]
    batch += [script.speech(text, key=2) for text in ("It", " is", " 3", "é𝄞")]
    batch += [script.facts(2), script.speech(" ok", key=2)]
    batch += [script.speech(text, kind=ARGUMENTS, key=CallId("r1.c1")) for text in ('{"a":', "1}")]
    batch += [script.mixed("s", "t")]
    for stretch in batch:
        await bench.append(lease, stretch)
    await bench.harness.compact(SCOPE, RUN)
    expected = with_epoch(batch, lease.epoch)
    assert await bench.log() == expected
    for stretch in batch:
        await bench.append(lease, stretch)
    end: list[Stretch] = [script.speech("x", key=3), script.done("x")]
    await bench.append(lease, *end, status=RunStatus.DONE)
    await bench.harness.compact(SCOPE, RUN)
    expected += with_epoch(end, lease.epoch)
    for limit in (1, 3, 1000):
        assert await bench.log(limit=limit) == expected
    for after in range(-1, script.index):
        told = records_of(await bench.read(after))
        assert [one for one in told if (one.index or 0) > after] == [
            one for one in expected if (one.index or 0) > after
        ]
