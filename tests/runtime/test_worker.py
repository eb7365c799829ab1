"""A claimed run, worked on until it rests."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import pytest

from tests.runtime.agents import add, kinds, model_of, scripted
from tests.runtime.stores import (
    GATED,
    ROUNDS,
    SCOPE,
    LoopClock,
    StoreInHand,
    World,
    log_of,
    pass_time,
    paying,
    seen,
    virtually,
    watched,
)
from treadle.adapters.stores.memory import MemoryStore
from treadle.app.runner import Runner
from treadle.runtime.supervisor import LEASE_S, PATIENCE_S
from treadle.testing.stream_check import check_stream
from treadle.values.events import KernelEvent
from treadle.values.ids import RunId
from treadle.values.runs import RunStatus
from treadle.values.stretches import Stretch, events_of


class Looker:
    """An observer that remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[KernelEvent] = []
        self.records = 0
        self.released_runs: list[RunId] = []

    def stored(self, run_id: RunId, stretches: Sequence[Stretch], /) -> None:
        """Take it down."""
        assert stretches[0].seq == self.records
        self.records += sum(stretch.records for stretch in stretches)
        self.told += [event for stretch in stretches for event in events_of(stretch, run_id)]

    def released(self, run_id: RunId, /) -> None:
        """Take it down."""
        self.released_runs.append(run_id)


class Learner(Looker):
    """An observer that wants to know what was before."""

    def __init__(self) -> None:
        super().__init__()
        self.learnt: list[list[KernelEvent]] = []

    def learn(self, run_id: RunId, stretches: Sequence[Stretch], /) -> None:
        """Take it down."""
        assert self.records == 0
        self.records = sum(stretch.records for stretch in stretches)
        self.learnt.append([event for stretch in stretches for event in events_of(stretch, run_id)])


class Clumsy:
    """An observer that fails at everything."""

    def stored(self, *_: object) -> None:
        """Fail."""
        raise RuntimeError("clumsy")

    learn = released = stored


@pytest.mark.requirement("STORED-observers")
@virtually
async def test_who_wants_to_know_is_told_what_was_stored_before_the_worker_came() -> None:
    """Ours: at every claim, from the first record, and then what comes right after it."""
    store, learners = MemoryStore(LoopClock()), [Learner(), Learner()]
    told: list[list[KernelEvent]] = []
    run_id = ""
    for learner in learners:
        async with Runner([scripted("text: a\nhang")], store=store, observers=[Looker(), learner], drain_s=0) as runner:
            run_id = run_id or (await runner.start("a", "hi")).run_id
            await seen(runner, run_id, "text_delta", 1 + len(told))
        told.append(await log_of(store, run_id))
    assert [learner.learnt for learner in learners] == [[[]], [told[0]]]
    assert told[0] + learners[1].told == told[1]


@pytest.mark.requirement("STORED-observers", "BR-004")
@virtually
async def test_those_who_look_on_are_told_what_was_stored_and_harm_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """BR-004, design law 8: every record once, in order; what an observer raises is for the operator."""
    store, looker = MemoryStore(LoopClock()), Looker()
    async with Runner([scripted(ROUNDS)], store=store, observers=[Clumsy(), looker]) as runner:
        run = await runner.start("a", "1+2?")
        events = await watched(runner, run.run_id)
        state = await runner.wait(run.run_id)
    assert looker.told == events == await log_of(store, run.run_id)
    assert looker.records == (await store.state(SCOPE, run.run_id)).next_seq
    assert looker.released_runs == [run.run_id]
    assert state.state is RunStatus.DONE
    assert "an observer failed" in caplog.text


@pytest.mark.requirement("STORED-observers")
@virtually
async def test_those_who_look_on_are_told_nothing_that_was_not_stored() -> None:
    """Ours: a batch that a dead store did not take is told to nobody."""
    store, looker = MemoryStore(LoopClock()), Looker()
    hand = StoreInHand(store, die_at=(1, False))
    async with Runner([scripted("text: a\ngate: go\ntext: b")], store=hand, observers=[looker], drain_s=0) as runner:
        run = await runner.start("a", "hi")
        await seen(runner, run.run_id, "text_delta")
        await runner.cancel(run.run_id)
        await hand.dead.wait()
        await pass_time(2)
    assert looker.told == await log_of(store, run.run_id)
    assert kinds(looker.told) == ["run_started", "round_started", "text_delta"]
    assert looker.released_runs == [run.run_id]


@pytest.mark.requirement("RUNNER-recovers")
@virtually
async def test_a_waiting_run_that_is_woken_for_nothing_waits_on(caplog: pytest.LogCaptureFixture) -> None:
    """Ours: a message that nobody knows is put away, once; the pause stands, nothing is written and nothing spins."""
    hand = StoreInHand(MemoryStore(LoopClock()))
    async with Runner([paying()], store=hand) as runner:
        run = await runner.start("a", "pay")
        before = await runner.wait(run.run_id)
        count = len(hand.appends)
        await hand.send(SCOPE, run.run_id, key="k", kind="poem")
        await pass_time(60)
        assert len(hand.appends) <= count + 2
        assert not any(batch for batch, _ in hand.appends[count:])
        after = await runner.get(run.run_id)
        assert (after.state, after.pending, after.events) == (RunStatus.WAITING, before.pending, before.events)
        assert caplog.text.count("'poem'") == 1
        assert await runner.cancel(run.run_id)
        assert (await runner.wait(run.run_id)).state is RunStatus.CANCELLED


@pytest.mark.requirement("RUNNER-recovers")
@virtually
async def test_a_plan_that_nobody_has_waits_for_whoever_has_it() -> None:
    """Design §6: a run is claimed by fingerprint; another agent under the same name is not the same plan."""
    world = World()
    other = scripted(GATED, instructions="Say it otherwise.")
    agent = scripted(GATED)
    async with world.runner(agent, drain_s=0) as first:
        run = await first.start("a", "hi")
        await seen(first, run.run_id, "text_delta")
    async with world.runner(other) as second:
        await pass_time(LEASE_S + PATIENCE_S)
        assert (await second.get(run.run_id)).state is RunStatus.READY
        assert model_of(other).asks == []
    model_of(agent).open_gate("go")
    async with world.runner(agent) as third:
        assert (await third.wait(run.run_id)).text == "It is 3."


@pytest.mark.requirement("RUNNER-recovers")
@virtually
async def test_work_that_breaks_inside_is_told_to_the_operator_and_tried_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Ours: a row that cannot be read today; the run is claimed again when its lease is over."""
    store = MemoryStore(LoopClock())

    class Breaking(StoreInHand):
        broken = True

        async def find(self, *args: object, **more: object) -> object:
            if self.broken:
                raise ValueError("broken")
            return await self.inner.find(*args, **more)

    hand = Breaking(store)
    async with Runner([scripted("text: ok")], store=hand) as runner:
        run = await runner.start("a", "hi", thread_id="t1")
        await pass_time(1)
        assert f"work on run {run.run_id} broke off" in caplog.text
        hand.broken = False
        assert (await runner.wait(run.run_id)).text == "ok"
    assert asyncio.get_running_loop().time() >= LEASE_S


@pytest.mark.requirement("RUNNER-cancel")
@virtually
async def test_an_inbox_that_cannot_be_read_is_looked_at_again(caplog: pytest.LogCaptureFixture) -> None:
    """Ours: the stop was accepted, so it is heard; a second later."""
    agent, hand = scripted(GATED), StoreInHand(MemoryStore(LoopClock()))
    async with Runner([agent], store=hand) as runner:
        run = await runner.start("a", "hi")
        await seen(runner, run.run_id, "text_delta")
        hand.mute = True
        assert await runner.cancel(run.run_id)
        assert "could not be read" in caplog.text
        hand.mute = False
        assert kinds(await watched(runner, run.run_id))[-1] == "cancelled"


@pytest.mark.requirement("RUNNER-drain")
@virtually
async def test_a_store_that_takes_nothing_back_does_not_hold_up_the_end(caplog: pytest.LogCaptureFixture) -> None:
    """Ours: giving back has a deadline; the lease runs out by itself."""
    caplog.set_level(logging.INFO)
    agent, hand = scripted(GATED, tools=[add]), StoreInHand(MemoryStore(LoopClock()))
    async with Runner([agent], store=hand, drain_s=0) as runner:
        run = await runner.start("a", "hi")
        await seen(runner, run.run_id, "text_delta")
        hand.gate.clear()
    assert "could not be given back" in caplog.text
    model_of(agent).open_gate("go")
    async with Runner([agent], store=hand.inner) as runner:
        events = await watched(runner, run.run_id)
    assert check_stream(events) == []
    assert kinds(events)[-1] == "done"


@virtually
async def test_what_is_made_ahead_for_a_run_is_one_runs_alone() -> None:
    """Ours: filters that were made while nobody waited have seen nothing, and no two runs share them."""
    agent = scripted("text: <thi\ntext: nk>aside</think>shown")
    async with Runner([agent], store=MemoryStore(LoopClock())) as runner:
        for wave in range(3):
            runs = [await runner.start("a", "hi", thread_id=f"t{wave}.{number}") for number in range(3)]
            views = [await runner.wait(run.run_id) for run in runs]
            assert [view.text for view in views] == ["shown"] * 3


class Counted:
    """A filter that tells of each of its copies."""

    def __init__(self, copies: list[None]) -> None:
        self.copies = copies

    def __deepcopy__(self, memo: object) -> Counted:
        self.copies.append(None)
        return Counted(self.copies)

    def feed(self, text: str) -> str:
        return text

    def flush(self) -> str:
        return ""


@virtually
async def test_a_filter_of_ones_own_is_made_when_its_run_begins() -> None:
    """Ours: what it holds then is what holds for that run; nothing of it is made ahead."""
    copies: list[None] = []
    agent = scripted("text: ok", text_filters=["think", Counted(copies)])
    counts = []
    async with Runner([agent], store=MemoryStore(LoopClock())) as runner:
        for _ in range(3):
            copies.clear()
            assert (await runner.wait((await runner.start("a", "hi")).run_id)).text == "ok"
            counts.append(len(copies))
    assert counts[0] == counts[1] == counts[2] > 0
