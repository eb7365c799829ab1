"""The public face of stored runs; what it promises is held in tests/behaviour."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import pytest

import treadle
from tests.runtime.agents import model_of, scripted
from tests.runtime.stores import GATED, LoopClock, StoreInHand, pass_time, seen, virtually, watched
from treadle.adapters.models.scripted import ScriptedModel
from treadle.adapters.stores.memory import MemoryStore
from treadle.app.agent import Agent
from treadle.app.runner import Runner
from treadle.errors import RunFinalError, RunLiveError, RunLogError, StateError
from treadle.values.ids import RunId
from treadle.values.requests import Attachment
from treadle.values.runs import RunStatus
from treadle.values.stretches import Stretch


def test_it_is_found_where_users_look() -> None:
    """Ours: `from treadle import Runner`."""
    assert treadle.Runner is Runner


@virtually
async def test_runs_of_a_thread_are_listed_newest_first_and_deleted_when_they_are_final() -> None:
    """Ours: a live run is not deleted from under its readers."""
    agent = scripted(GATED)
    async with Runner([agent]) as runner:
        first = await runner.start("a", "one", thread_id="t")
        await seen(runner, first.run_id, "text_delta")
        with pytest.raises(RunLiveError):
            await runner.delete(first.run_id)
        model_of(agent).open_gate("go")
        await runner.wait(first.run_id)
        second = await runner.start("a", "two", thread_id="t")
        third = await runner.start("a", "three")
        await runner.wait(second.run_id)
        await runner.wait(third.run_id)
        assert [run.run_id for run in await runner.runs()] == [third.run_id, second.run_id, first.run_id]
        assert [run.run_id for run in await runner.runs(thread_id="t", limit=1)] == [second.run_id]
        assert await runner.delete(first.run_id)
        assert not await runner.delete(first.run_id)


@virtually
async def test_attachments_and_properties_come_to_the_model_s_prompt() -> None:
    """Ours: what was asked is asked, whoever works on it."""
    agent, picture = scripted("text: ok"), Attachment(media_type="image/png", data=b"x", name="p")
    async with Runner([agent]) as runner:
        run = await runner.start("a", "what is it?", attachments=[picture], properties={"locale": "de"})
        await runner.wait(run.run_id)
    assert model_of(agent).asks[0].prompt.attachments == (picture,)


@virtually
async def test_a_reader_that_outlives_its_runner_leaves_no_rule_behind() -> None:
    """Ours: what closes after the runner is closed cancels nothing."""
    agent, store = scripted(GATED), MemoryStore(LoopClock())
    async with Runner([agent], store=store, drain_s=0) as runner:
        run = await runner.start("a", "hi", on_disconnect="cancel")
        records = runner.watch(run.run_id)
        await anext(records)
    await records.aclose()
    await pass_time(1)
    assert (await store.state("default", run.run_id)).status is RunStatus.READY
    with pytest.raises(StateError):
        await anext(runner.watch(run.run_id))


@pytest.mark.parametrize("failure", [RunFinalError("over"), RunLogError("no store")])
@virtually
async def test_a_rule_that_cannot_be_kept_is_told_to_the_operator(
    failure: RunLogError, caplog: pytest.LogCaptureFixture
) -> None:
    """Ours: a run that ended in that very moment needs no word; a store that fails does."""
    agent = scripted(GATED)

    class Refusing(StoreInHand):
        async def send(self, *_: object, **__: object) -> bool:
            raise failure

    async with Runner([agent], store=Refusing(MemoryStore(LoopClock()))) as runner:
        run = await runner.start("a", "hi", on_disconnect="cancel")
        await seen(runner, run.run_id, "text_delta")
        await pass_time(1)
        model_of(agent).open_gate("go")
        await runner.wait(run.run_id)
    assert ("could not be told to stop" in caplog.text) == (type(failure) is RunLogError)


@virtually
async def test_a_runner_that_is_left_while_a_rule_is_being_kept_waits_for_neither() -> None:
    """Ours: a store that hangs does not keep the rule's task alive."""
    held = asyncio.Event()

    class Hanging(StoreInHand):
        async def send(self, *_: object, **__: object) -> bool:
            held.set()
            await asyncio.Event().wait()
            return True

    before = asyncio.all_tasks()
    async with Runner([scripted(GATED)], store=Hanging(MemoryStore(LoopClock())), drain_s=0) as runner:
        run = await runner.start("a", "hi", on_disconnect="cancel")
        await seen(runner, run.run_id, "text_delta")
        await held.wait()
    assert asyncio.all_tasks() == before


@virtually
async def test_a_runner_may_be_entered_again() -> None:
    """Ours: over its own store each time; one in memory begins anew."""
    runner = Runner([scripted("text: ok")], store=MemoryStore(LoopClock()))
    async with runner:
        run = await runner.start("a", "hi")
        events = await watched(runner, run.run_id)
    async with runner:
        assert await watched(runner, run.run_id) == events


@virtually
async def test_agents_that_differ_in_their_name_alone_run_their_own_runs() -> None:
    """Ours: a run is worked on by the agent it was asked of, whatever else is declared alike."""
    agents = [Agent(name=name, model=ScriptedModel.from_text(f"text: {name}")) for name in ("one", "two")]
    async with Runner(agents) as runner:
        runs = [await runner.start(name, "hi") for name in ("two", "one", "two")]
        views = [await runner.wait(run.run_id) for run in runs]
    assert [view.text for view in views] == ["two", "one", "two"]


class Settles:
    """An observer with work of its own."""

    def __init__(self, *, fails: bool = False) -> None:
        self.told: list[str] = []
        self._fails = fails

    def stored(self, run_id: RunId, stretches: Sequence[Stretch], /) -> None:
        """Something was stored."""

    def released(self, run_id: RunId, /) -> None:
        """A run was let go."""
        self.told.append(run_id)

    async def settle(self) -> None:
        """Come to the end."""
        self.told.append("settled")
        if self._fails:
            raise ZeroDivisionError


@pytest.mark.requirement("RUNNER-settle")
async def test_observers_settle_when_their_runs_are_given_back_however_others_fail(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Ours: what an observer has under way comes to its end; whoever looks on harms no runner."""
    fails, settles = Settles(fails=True), Settles()
    with caplog.at_level(logging.CRITICAL, "treadle.runner"):
        async with Runner([scripted("text: ok")], observers=[fails, settles]) as runner:
            run = await runner.start("a", "hi")
            async for _ in runner.watch(run.run_id):
                pass
            assert "settled" not in settles.told
    assert fails.told == settles.told == [run.run_id, "settled"]
