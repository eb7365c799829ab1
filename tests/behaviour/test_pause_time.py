"""Pauses whose time is up, and time that is waited."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.behaviour.answers import PAY, Till, asked, outcomes, problems_of, said
from tests.runtime.agents import scripted
from tests.runtime.stores import LoopClock, StoreInHand, World, watched
from treadle.adapters.stores.memory import MemoryStore
from treadle.app import runner as runner_module
from treadle.app.runner import Runner
from treadle.codec.pause_tokens import TokenKeys
from treadle.errors import (
    TokenExpiredError,
    TokenInvalidError,
)
from treadle.runtime.answering import Answering
from treadle.runtime.hearing import EXPIRY
from treadle.runtime.open_pauses import pauses_of
from treadle.testing.fake_clock import FakeClock
from treadle.testing.virtual_time import run_virtually
from treadle.values import events as ev
from treadle.values.ids import RunId
from treadle.values.pauses import Answer, OnExpiry, PauseRules
from treadle.values.runs import RunStatus

HOUR_S = 3600.0


@pytest.fixture
def loop_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runners by the clock of the event loop, which is virtual."""
    monkeypatch.setattr(runner_module, "SystemClock", LoopClock)


@pytest.mark.requirement("PAUSE-expiry", "BR-082")
@pytest.mark.usefixtures("loop_time")
@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("on_expiry", ["decline", "fail", "keep"])
def test_a_pause_that_nobody_answers_is_over_in_time(on_expiry: str, restarts: bool) -> None:  # noqa: FBT001 (a case)
    """BR-082: with a restart in between and without; what comes of it is what the agent says, and all see it."""

    async def main() -> None:
        till = Till()
        world = World()
        rules = PauseRules(expires_s=HOUR_S, on_expiry=OnExpiry(on_expiry))
        agent = scripted(PAY, tools=[till.pay]).with_pauses(rules)
        async with world.runner(agent) as runner:
            run_id, (pause,) = await asked(runner)
            assert pause.expires_at == pytest.approx(LoopClock().now_s() + HOUR_S, abs=1)
            if not restarts:
                await _pass(run_id, runner)
                await _late(run_id, runner, pause, on_expiry, till)
        if restarts:
            await asyncio.sleep(HOUR_S + 5)
            async with world.runner(agent) as runner:
                await _late(run_id, runner, pause, on_expiry, till)

    run_virtually(main())


async def _pass(run_id: str, runner: Runner) -> None:
    await asyncio.sleep(HOUR_S - 60)
    assert (await runner.get(run_id)).state is RunStatus.WAITING
    await asyncio.sleep(120)


async def _late(run_id: str, runner: Runner, pause: Any, on_expiry: str, till: Till) -> None:  # noqa: ANN401 (a pause)
    await asyncio.sleep(30)
    resumed = [event async for event in _segment_openings(runner, run_id)]
    assert [one.settlement.value for one in resumed[0].resolutions] == ["expired"]
    with pytest.raises((TokenExpiredError, TokenInvalidError)):
        await runner.answer(run_id, [said(pause, "approve")], principal="late")
    view = await runner.get(run_id)
    if on_expiry == "keep":
        (again,) = await runner.pauses(run_id)
        assert again.interrupt_id != pause.interrupt_id
        assert view.state is RunStatus.WAITING
        assert again.expires_at is not None
        assert again.expires_at > pause.expires_at + HOUR_S - 60
        await runner.answer(run_id, [said(again, "approve")], principal="ann")
        events = await watched(runner, run_id)
        assert (events[-1].kind, till.paid) == ("done", [5])
    else:
        events = await watched(runner, run_id)
        assert (events[-1].kind, till.paid) == ("done" if on_expiry == "decline" else "error", [])
        assert outcomes(events)["c1"][0] == "denied"
        assert view.error_code == (None if on_expiry == "decline" else "pause_expired")
    assert problems_of(events) == []


async def _segment_openings(runner: Runner, run_id: str) -> Any:  # noqa: ANN401 (an async generator)
    state = await runner.state(run_id)
    count = 0
    records = runner.watch(run_id)
    try:
        async for record in records:
            count += 1
            if isinstance(record.event, ev.Resumed):
                yield record.event
            if count == state.next_index:
                return
    finally:
        await records.aclose()


@pytest.mark.requirement("PAUSE-expiry")
@pytest.mark.usefixtures("loop_time")
def test_an_answer_that_was_sent_in_time_beats_the_end_of_its_time() -> None:
    """Design: an answer already sent wins, be it that its run hears of it too late."""

    async def main() -> None:
        till = Till()
        store = MemoryStore(LoopClock())
        agent = scripted(PAY, tools=[till.pay]).with_pauses(PauseRules(expires_s=HOUR_S))
        async with Runner([agent], store=store) as runner:
            run_id, (pause,) = await asked(runner)
        idle = scripted("text: b")
        async with Runner([idle], store=store) as other:
            taken = await other.answer(run_id, [said((await other.pauses(run_id))[0], "approve")], principal="ann")
            assert taken.open == ()
            await asyncio.sleep(HOUR_S + 60)
        async with Runner([agent], store=store) as runner:
            events = await watched(runner, run_id)
        assert (events[-1].kind, till.paid) == ("done", [5])
        resumed = [event.resolutions for event in events if isinstance(event, ev.Resumed)]
        assert [[one.settlement.value for one in group] for group in resumed] == [["answered"]]
        assert resumed[0][0].interrupt_id == pause.interrupt_id

    run_virtually(main())


class InTheVeryMoment(StoreInHand):
    """A store in which somebody answers when the owner is about to say that nobody has."""

    answer: Answer | None = None

    async def send(self, scope: str, run_id: RunId, /, *, key: str, kind: str, **more: Any) -> bool:  # noqa: ANN401 (as the port's)
        """Send; the end of a pause comes second."""
        if kind == EXPIRY and self.answer is not None:
            in_time = FakeClock()
            taking = Answering(
                store=self.inner, scope=scope, keys=KEYS, clock=in_time, checks=lambda _: lambda *_: None
            )
            await taking.answer(run_id, [self.answer], principal="ann")
        sent: bool = await self.inner.send(scope, run_id, key=key, kind=kind, **more)
        return sent


KEYS = TokenKeys(b"k" * 32)


@pytest.mark.requirement("PAUSE-expiry", "PAUSE-once")
@pytest.mark.usefixtures("loop_time")
def test_an_answer_in_the_very_moment_in_which_time_is_up_is_the_one_that_counts() -> None:
    """Design: the owner consumes under the same key, so exactly one of both is heard."""

    async def main() -> None:
        till = Till()
        store = InTheVeryMoment(MemoryStore(LoopClock()))
        agent = scripted(PAY, tools=[till.pay]).with_pauses(PauseRules(expires_s=HOUR_S))
        async with Runner([agent], store=store) as runner:
            run_id, _ = await asked(runner)
            (pause,) = (await pauses_of(store, "default", RunId(run_id))).as_shown(keys=KEYS)
            store.answer = said(pause, "approve")
            await asyncio.sleep(HOUR_S + 60)
            events = await watched(runner, run_id)
        assert (events[-1].kind, till.paid) == ("done", [5])
        assert [
            [one.settlement.value for one in event.resolutions] for event in events if isinstance(event, ev.Resumed)
        ] == [["answered"]]

    run_virtually(main())


@pytest.mark.requirement("PAUSE-no-time")
@pytest.mark.usefixtures("loop_time")
def test_time_waited_is_in_the_events_and_not_in_the_duration() -> None:
    """Design: waiting is not duration; the events say when."""

    async def main() -> None:
        till = Till()
        async with Runner([scripted(PAY, tools=[till.pay])], store=MemoryStore(LoopClock())) as runner:
            run_id, (pause,) = await asked(runner)
            await asyncio.sleep(3600)
            await runner.answer(run_id, [said(pause, "approve")], principal="ann")
            events = await watched(runner, run_id)
            stretches = await runner.store.read("default", RunId(run_id), -1, limit=1000)
        assert events[-1].outcome.duration_ms < 60_000
        times = [stretch.at_s for stretch in stretches]
        assert times[-1] - times[0] >= 3600

    run_virtually(main())
