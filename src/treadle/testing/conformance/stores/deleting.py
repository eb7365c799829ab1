"""Checks of `delete`: only what is final, and then all of it."""

from __future__ import annotations

import pytest

from treadle.errors import RunLiveError, RunNotFoundError
from treadle.testing.conformance.stores.bench import SCOPE, Bench
from treadle.testing.conformance.stores.check import check
from treadle.testing.conformance.stores.logs import records_of
from treadle.values.ids import RunId, ThreadId
from treadle.values.model import THINKING
from treadle.values.runs import FINAL_STATUSES, RunStatus

RUN = RunId("r1")


@check()
async def a_live_run_is_not_deleted(bench: Bench) -> None:
    """Ready, owned or waiting, whole or its facts: refused, and nothing has changed."""
    await bench.create()
    lease = None
    for status in (RunStatus.READY, RunStatus.OWNED, RunStatus.WAITING):
        if status is RunStatus.OWNED:
            lease = await bench.claimed("r1")
        if status is RunStatus.WAITING and lease is not None:
            await bench.append(lease, status=status)
        before = await bench.state()
        for facts_only in (False, True):
            with pytest.raises(RunLiveError):
                await bench.store.delete(SCOPE, RUN, facts_only=facts_only)
        assert (before.status, await bench.state()) == (status, before)


@check()
async def there_may_be_nothing_to_delete(bench: Bench) -> None:
    """A run that never was, and one that was deleted."""
    assert await bench.store.delete(SCOPE, RUN) is False
    assert await bench.store.delete(SCOPE, RUN, facts_only=True) is False
    lease, script = await bench.own()
    await bench.finish(lease, script)
    assert await bench.store.delete(SCOPE, RUN) is True
    assert await bench.store.delete(SCOPE, RUN) is False


@check()
async def a_deleted_run_is_gone(bench: Bench) -> None:
    """Its log, its state, its inbox and its place in lists, however it ended; its neighbour stays."""
    await bench.create("r8")
    kept = await bench.claimed("r8")
    for status in sorted(FINAL_STATUSES):
        lease, script = await bench.own()
        await bench.send("k1")
        await bench.append(lease, script.speech("a"), script.facts(1), status=status)
        assert await bench.store.delete(SCOPE, RUN) is True
        for ask in (bench.read, bench.state, bench.keys, bench.send):
            with pytest.raises(RunNotFoundError):
                await ask()
        assert [run.run_id for run in await bench.store.find(SCOPE)] == ["r8"]
    await bench.append(kept, status=RunStatus.READY)


@check()
async def what_a_deleted_run_was_called_can_be_used_again(bench: Bench) -> None:
    """Its id, its key, its thread and the keys of its messages: nothing of the old run comes back."""
    thread = ThreadId("t1")
    lease, script = await bench.own(key="k1", thread_id=thread)
    await bench.send("m1")
    await bench.append(lease, script.speech("old"), status=RunStatus.DONE)
    await bench.store.delete(SCOPE, RUN)
    created = await bench.create(key="k1", digest="d2", thread_id=thread)
    assert (created.status, created.epoch, created.next_seq, created.next_index) == (RunStatus.READY, 0, 0, 0)
    assert await bench.log() == []
    assert await bench.send("m1") is True
    assert (await bench.claimed("r1")).epoch == 1


@check()
async def facts_can_be_deleted_alone(bench: Bench) -> None:
    """Every event stays, under its index, from wherever it is read; no fact is left."""
    lease, script = await bench.own()
    await bench.append(lease, script.facts(1), script.started(), script.speech("a", "b", kind=THINKING))
    await bench.append(lease, script.mixed("s", "t"), script.facts(2, 3))
    await bench.append(lease, script.speech("c"), script.facts(4), script.done(), status=RunStatus.DONE)
    events = [told for told in await bench.log() if told.index is not None]
    assert await bench.store.delete(SCOPE, RUN, facts_only=True) is True
    for after in range(-1, script.index):
        told = records_of(await bench.read(after))
        assert [(one.index, one.epoch, one.content) for one in told if one.index is None or one.index > after] == [
            (one.index, one.epoch, one.content) for one in events if one.index is not None and one.index > after
        ]
    state = await bench.state()
    assert (state.status, state.next_index) == (RunStatus.DONE, script.index)
