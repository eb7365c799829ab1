"""Checks of the inbox: once per key, in order, taken with the append that records it, and never lost to a pause."""

from __future__ import annotations

import asyncio

import pytest

from treadle.errors import RunFinalError, RunNotFoundError
from treadle.testing.conformance.stores.bench import SCOPE, Bench
from treadle.testing.conformance.stores.check import check
from treadle.values.ids import RunId
from treadle.values.runs import FINAL_STATUSES, RunStatus


@check()
async def a_message_is_kept_as_it_came(bench: Bench) -> None:
    """Key, kind and body, whatever state the run is in."""
    await bench.create()
    assert await bench.store.send(SCOPE, RunId("r1"), key="i1", kind="answer", body=b"\x00\xff") is True
    (message,) = await bench.store.inbox(SCOPE, RunId("r1"))
    assert (message.key, message.kind, message.body) == ("i1", "answer", b"\x00\xff")


@check()
async def messages_keep_their_order(bench: Bench) -> None:
    """Numbers rise in the order of sending, also past messages that were taken."""
    lease, _ = await bench.own()
    for key in ("c", "a", "b"):
        await bench.send(key)
    first = await bench.store.inbox(SCOPE, lease.run_id)
    assert [message.key for message in first] == ["c", "a", "b"]
    await bench.append(lease, take=[message.number for message in first])
    await bench.send("d")
    (last,) = await bench.store.inbox(SCOPE, lease.run_id)
    assert [*(message.number for message in first), last.number] == sorted(
        {*(message.number for message in first), last.number}
    )


@check()
async def a_message_is_sent_once_for_each_key(bench: Bench) -> None:
    """The first one counts, also when it was taken long ago: this is what makes one of two answers win."""
    lease, _ = await bench.own()
    assert await bench.send("k1") is True
    assert await bench.store.send(SCOPE, lease.run_id, key="k1", kind="other", body=b"other") is False
    (message,) = await bench.store.inbox(SCOPE, lease.run_id)
    assert (message.kind, message.body) == ("message", b"k1")
    await bench.append(lease, take=[message.number])
    assert await bench.send("k1") is False
    assert await bench.keys() == []


@check()
async def of_many_messages_under_one_key_one_is_sent(bench: Bench) -> None:
    """At the same moment too."""
    await bench.create()
    sent = await asyncio.gather(*(bench.send("k1") for _ in range(50)))
    assert sum(sent) == 1
    assert await bench.keys() == ["k1"]


@check()
async def a_message_that_comes_after_another_kind_is_not_sent(bench: Bench) -> None:
    """An answer after a stop: which of them came first is decided once, though the stop was taken by now."""
    lease, _ = await bench.own()
    assert await bench.send("before", kind="answer", unless="stop") is True
    assert await bench.send("stop", kind="stop") is True
    assert await bench.send("after", kind="answer", unless="stop") is False
    assert await bench.send("beside", kind="answer", unless="other") is True
    assert await bench.send("whatever", kind="answer") is True
    assert await bench.keys() == ["before", "stop", "beside", "whatever"]
    await bench.append(lease, take=[message.number for message in await bench.store.inbox(SCOPE, lease.run_id)])
    assert await bench.send("late", kind="answer", unless="stop") is False
    assert await bench.send("late", kind="answer") is True


@check()
async def what_comes_too_late_wakes_nobody_and_is_of_its_run(bench: Bench) -> None:
    """A run that waits waits on, and a stop of one run is none of another."""
    lease, _ = await bench.own("r1")
    await bench.create("r2")
    assert await bench.send("stop", kind="stop") is True
    (message,) = await bench.store.inbox(SCOPE, lease.run_id)
    await bench.append(lease, status=RunStatus.WAITING, take=[message.number])
    assert await bench.send("late", unless="stop") is False
    assert await bench.status() is RunStatus.WAITING
    assert await bench.send("late", "r2", unless="stop") is True


@check()
async def of_a_stop_and_what_may_not_follow_it_the_first_counts(bench: Bench) -> None:
    """At the same moment too: what came in lies before the stop, and nothing lies behind it."""
    await bench.create()
    sends = [bench.send(f"a{number}", kind="answer", unless="stop") for number in range(20)]
    sent = await asyncio.gather(*sends[:10], bench.send("stop", kind="stop"), *sends[10:])
    assert sent[10] is True
    taken = [f"a{number}" for number, is_taken in enumerate([*sent[:10], *sent[11:]]) if is_taken]
    keys = await bench.keys()
    assert keys[-1] == "stop"
    assert sorted(keys[:-1]) == sorted(taken)


@check()
async def a_key_is_of_its_run(bench: Bench) -> None:
    """The same key to another run is another message."""
    await bench.create("r1")
    await bench.create("r2")
    assert await bench.send("k1", "r1") is True
    assert await bench.send("k1", "r2") is True


@check()
async def an_append_takes_the_messages_it_records(bench: Bench) -> None:
    """In the same transaction; the others stay."""
    lease, script = await bench.own()
    for key in ("a", "b", "c"):
        await bench.send(key)
    numbers = [message.number for message in await bench.store.inbox(SCOPE, lease.run_id)]
    await bench.append(lease, script.facts(1, 2), take=[numbers[0], numbers[2]])
    assert await bench.keys() == ["b"]


@check()
async def a_message_to_a_waiting_run_makes_it_ready(bench: Bench) -> None:
    """Whoever claims it finds the message."""
    lease, script = await bench.own()
    await bench.append(lease, script.stage("pause"), status=RunStatus.WAITING)
    await bench.send()
    state = await bench.state()
    assert (state.status, state.wake_at_s) == (RunStatus.READY, None)
    await bench.claimed("r1")
    assert await bench.keys() == ["k1"]


@check()
async def a_message_that_was_sent_before_wakes_nobody_again(bench: Bench) -> None:
    """A key that was used is no new message: the run waits on."""
    lease, _ = await bench.own()
    await bench.send()
    (message,) = await bench.store.inbox(SCOPE, lease.run_id)
    await bench.append(lease, status=RunStatus.WAITING, take=[message.number])
    assert await bench.send() is False
    assert await bench.status() is RunStatus.WAITING


@check()
async def an_answer_that_beats_its_pause_is_not_lost(bench: Bench) -> None:
    """A run that was to wait while an untaken message is in its inbox is ready instead, and its owner hears so."""
    lease, script = await bench.own()
    await bench.send("k1")
    pause = script.stage("pause")
    wake_at_s = bench.clock.now_s() + 3600
    given = await bench.append(lease, pause, status=RunStatus.WAITING, wake_at_s=wake_at_s)
    assert given is RunStatus.READY
    assert await bench.status() is RunStatus.READY
    assert (await bench.claimed("r1")).next_seq == script.seq
    assert await bench.keys() == ["k1"]


@check()
async def a_pause_that_takes_what_was_sent_waits(bench: Bench) -> None:
    """A message that this append records is no reason to go on."""
    lease, script = await bench.own()
    await bench.send("k1")
    (message,) = await bench.store.inbox(SCOPE, lease.run_id)
    given = await bench.append(lease, script.stage("pause"), status=RunStatus.WAITING, take=[message.number])
    assert given is RunStatus.WAITING


@check()
async def a_final_run_hears_nothing_more(bench: Bench) -> None:
    """However it ended; what it never took can still be seen."""
    for number, status in enumerate(sorted(FINAL_STATUSES)):
        lease, _ = await bench.own(f"r{number}")
        await bench.send("k1", lease.run_id)
        await bench.append(lease, status=status)
        with pytest.raises(RunFinalError):
            await bench.send("k2", lease.run_id)
        assert await bench.keys(lease.run_id) == ["k1"]


@check()
async def nobody_speaks_to_a_run_that_is_not_there(bench: Bench) -> None:
    """No run, no inbox."""
    with pytest.raises(RunNotFoundError):
        await bench.send()
    with pytest.raises(RunNotFoundError):
        await bench.keys()
