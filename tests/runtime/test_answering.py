"""Answers, taken in: the order of what is looked at, and what each refusal leaves behind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.behaviour.answers import Till, asked, said
from tests.runtime.agents import scripted
from tests.runtime.stores import SCOPE, StoreInHand, World, virtually
from treadle.adapters.system import SystemClock
from treadle.codec.pause_tokens import TokenKeys
from treadle.errors import (
    AlreadyAnsweredError,
    BadAnswerError,
    CancelAskedError,
    RunNotFoundError,
    TokenExpiredError,
    TokenInvalidError,
    TreadleError,
)
from treadle.runtime.answer_check import CheckArguments
from treadle.runtime.answering import MOST_ANSWERS, Answering
from treadle.runtime.hearing import CANCEL, EXPIRY
from treadle.runtime.open_pauses import OpenPause, pauses_of
from treadle.testing.fake_clock import FakeClock
from treadle.values.ids import RunId
from treadle.values.pauses import Answer

KEYS = TokenKeys(b"k" * 32)
PAY = 'call: pay {"cents": 5}\ncall: pay {"cents": 6}\n---\ntext: ok'


def _any(_: str) -> CheckArguments:
    def check(_: str, __: Mapping[str, Any]) -> str | None:
        return None

    return check


class Counted(StoreInHand):
    """A store that counts how often it was looked at, and what was sent."""

    def __init__(self, inner: Any) -> None:  # noqa: ANN401 (any store)
        super().__init__(inner)
        self.looks = 0
        self.sent: list[str] = []

    async def state(self, *args: Any) -> Any:  # noqa: ANN401 (as the port's)
        """Look."""
        self.looks += 1
        return await self.inner.state(*args)

    async def send(self, *args: Any, **more: Any) -> bool:  # noqa: ANN401 (as the port's)
        """Send."""
        taken: bool = await self.inner.send(*args, **more)
        self.sent.append(more["key"])
        return taken


async def waiting(world: World) -> tuple[RunId, Counted, tuple[OpenPause, ...]]:
    """A run that waits for leave to make two calls, with nobody at work on it."""
    async with world.runner(scripted(PAY, tools=[Till().pay])) as runner:
        run_id, _ = await asked(runner)
    store = Counted(world.store)
    return RunId(run_id), store, (await pauses_of(store, SCOPE, RunId(run_id))).as_shown(keys=KEYS)


def desk(store: Counted, *, scope: str = SCOPE, keys: TokenKeys = KEYS, clock: Any = None) -> Answering:  # noqa: ANN401 (a clock)
    """Where answers are taken in."""
    return Answering(store=store, scope=scope, keys=keys, clock=clock or SystemClock(), checks=_any)


async def refused(taking: Answering, run_id: RunId, *answers: Answer) -> type[TreadleError]:
    """How these answers were refused."""
    with pytest.raises(TreadleError) as error:
        await taking.answer(run_id, answers, principal="ann")
    return error.type


@pytest.mark.requirement("PAUSE-order")
@virtually
async def test_a_token_is_looked_at_before_the_store_is() -> None:
    """Design §7: verify, scope, load, in this order: whoever forges learns nothing and costs nothing."""
    run_id, store, (five, _) = await waiting(World())
    before = store.looks
    other = TokenKeys(b"o" * 32)
    assert await refused(desk(store, keys=other), run_id, said(five, "approve")) is TokenInvalidError
    assert await refused(desk(store, scope="bob"), run_id, said(five, "approve")) is RunNotFoundError
    assert await refused(desk(store), run_id) is BadAnswerError
    assert await refused(desk(store), run_id, *[said(five, "approve")] * (MOST_ANSWERS + 1)) is BadAnswerError
    assert (store.looks, store.sent) == (before, [])


@pytest.mark.requirement("PAUSE-order")
@virtually
async def test_an_answer_is_held_against_what_was_asked_before_anything_is_consumed() -> None:
    """Design §7: validate, then consume: a bad answer does not burn a token, of its own or of another pause."""
    run_id, store, (five, six) = await waiting(World())
    assert await refused(desk(store), run_id, said(five, "approve"), said(six, "answer", value=1)) is BadAnswerError
    assert store.sent == []
    taken = await desk(store).answer(run_id, [said(six, "approve"), said(five, "approve")], principal="ann")
    assert store.sent == [five.interrupt_id, six.interrupt_id]
    assert (taken.run_id, taken.taken, taken.open) == (run_id, (five.interrupt_id, six.interrupt_id), ())


@pytest.mark.requirement("PAUSE-refusals")
@virtually
async def test_a_pause_is_over_by_the_clock_though_nobody_has_swept_it() -> None:
    """Design §7: expiry is real."""
    run_id, store, (five, _) = await waiting(World())
    late = FakeClock(now_s=(five.expires_at or 0.0) + 1)
    assert await refused(desk(store, clock=late), run_id, said(five, "approve")) is TokenExpiredError
    assert store.sent == []


@pytest.mark.requirement("PAUSE-once")
@virtually
async def test_what_another_body_took_meanwhile_is_said_with_what_this_one_took() -> None:
    """Ours: the store decides, and nobody is left to guess how far it came."""
    run_id, store, (five, six) = await waiting(World())

    class Slow(Counted):
        async def send(self, *args: Any, **more: Any) -> bool:  # noqa: ANN401 (as the port's)
            if more["key"] == six.interrupt_id:
                await store.send(SCOPE, run_id, key=six.interrupt_id, kind="answer", body=b"")
            return await super().send(*args, **more)

    with pytest.raises(AlreadyAnsweredError) as error:
        await desk(Slow(store.inner)).answer(run_id, [said(five, "approve"), said(six, "approve")], principal="ann")
    assert error.value.taken == (five.interrupt_id,)


@pytest.mark.requirement("PAUSE-cancel-first")
@virtually
async def test_a_cancel_between_two_answers_of_a_body_bars_the_second() -> None:
    """Ours: the store decides; what lies before the cancel was taken, and is named."""
    run_id, store, (five, six) = await waiting(World())

    class Stopped(Counted):
        async def send(self, *args: Any, **more: Any) -> bool:  # noqa: ANN401 (as the port's)
            if more["key"] == six.interrupt_id:
                await store.send(SCOPE, run_id, key=CANCEL, kind=CANCEL)
            return await super().send(*args, **more)

    with pytest.raises(CancelAskedError) as error:
        await desk(Stopped(store.inner)).answer(run_id, [said(five, "approve"), said(six, "approve")], principal="ann")
    assert error.value.taken == (five.interrupt_id,)
    assert [message.key for message in await store.inbox(SCOPE, run_id)] == [five.interrupt_id, CANCEL]


@pytest.mark.requirement("PAUSE-refusals", "PAUSE-expiry")
@virtually
async def test_an_expiry_that_its_run_has_not_heard_is_told_as_one() -> None:
    """Ours: 410 and not 409: nobody else has answered."""
    run_id, store, (five, six) = await waiting(World())
    await store.send(SCOPE, run_id, key=five.interrupt_id, kind=EXPIRY)
    assert await refused(desk(store), run_id, said(five, "approve")) is TokenExpiredError

    class Swept(Counted):
        async def send(self, *args: Any, **more: Any) -> bool:  # noqa: ANN401 (as the port's)
            await store.send(SCOPE, run_id, key=six.interrupt_id, kind=EXPIRY)
            return await super().send(*args, **more)

    assert await refused(desk(Swept(store.inner)), run_id, said(six, "approve")) is TokenExpiredError


@pytest.mark.requirement("PAUSE-once")
@virtually
async def test_a_run_that_ended_meanwhile_has_settled_its_pauses() -> None:
    """Ours: a run that is final hears nothing more."""
    world = World()
    run_id, store, (five, _) = await waiting(world)

    class Ending(Counted):
        async def send(self, *args: Any, **more: Any) -> bool:  # noqa: ANN401 (as the port's)
            async with world.runner(scripted(PAY, tools=[Till().pay])) as runner:
                await runner.cancel(run_id)
                await runner.wait(run_id)
                while not (await runner.state(run_id)).is_final:
                    await runner.wait(run_id)
            return await super().send(*args, **more)

    assert await refused(desk(Ending(store.inner)), run_id, said(five, "approve")) is AlreadyAnsweredError
