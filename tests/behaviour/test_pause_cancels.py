"""A run that waits is stopped, and somebody answers it at the same time: either counts, and nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from tests.behaviour.answers import Till, asked, said
from tests.runtime.agents import scripted
from tests.runtime.stores import World, everywhere, watched
from treadle.app.agent import Agent
from treadle.app.runner import Runner
from treadle.errors import AlreadyAnsweredError, CancelAskedError
from treadle.runtime.audit import Audited, Heard, audit_of
from treadle.runtime.thread_history import stored_run
from treadle.runtime.unheard import unheard_of
from treadle.values import events as ev
from treadle.values.facts import CancelKept
from treadle.values.ids import RunId
from treadle.values.pauses import Decision, Settlement
from treadle.values.stretches import Stretch, entries_of

TWO = 'call: pay {"cents": 5}\ncall: pay {"cents": 6}\n---\ntext: ok'
ROUNDS = 25


def agent_of(till: Till) -> Agent:
    """An agent that asks for leave to pay twice."""
    return scripted(TWO, tools=[till.pay])


def idler() -> Agent:
    """An agent of which there is no run: whoever serves it alone works on nothing."""
    return scripted("text: nothing to do")


async def stretches_of(runner: Runner, run_id: str) -> Sequence[Stretch]:
    """All that the store holds of a run."""
    return (await stored_run(runner.store, "default", RunId(run_id)))[1]


async def audited(runner: Runner, run_id: str) -> tuple[Audited, ...]:
    """What the store tells of the decisions about a run."""
    inbox = await runner.store.inbox("default", RunId(run_id))
    return audit_of(await stretches_of(runner, run_id), RunId(run_id), unheard=unheard_of(inbox))


@pytest.mark.requirement("PAUSE-cancel-first", "PAUSE-cancel")
@everywhere
async def test_an_answer_after_a_cancel_is_refused_as_one(world: World) -> None:
    """Ours: while nobody has taken the cancel up too; a taken answer that comes to nothing is worse than a refusal."""
    till = Till()
    async with world.runner(agent_of(till)) as runner:
        run_id, _ = await asked(runner)
    async with world.runner(idler()) as runner:
        pauses = await runner.pauses(run_id)
        assert await runner.cancel(run_id, reason="wrong customer", principal="bob") is True
        assert await runner.pauses(run_id) == ()
        with pytest.raises(CancelAskedError) as refused:
            await runner.answer(run_id, [said(one, "approve") for one in pauses], principal="ann")
        assert (refused.value.code, refused.value.taken) == ("cancel_asked", ())
        waits = await audited(runner, run_id)
    async with world.runner(agent_of(till)) as runner:
        events = await watched(runner, run_id)
        found = await audited(runner, run_id)
    assert isinstance(events[-1], ev.Cancelled)
    assert till.paid == []
    for told, heard in ((waits, Heard.NOT_YET), (found, Heard.YES)):
        assert [(one.by, one.decision, one.settlement, one.reason, one.heard) for one in told] == [
            ("bob", None, Settlement.CANCELLED, "wrong customer", heard)
        ] * 2


@pytest.mark.requirement("PAUSE-cancel-first", "PAUSE-audit")
@everywhere
async def test_an_answer_before_a_cancel_is_kept_as_a_decision(world: World) -> None:
    """Ours: it was taken, so the log says who decided what, and then that the run was stopped, and by whom."""
    till = Till()
    async with world.runner(agent_of(till)) as runner:
        run_id, _ = await asked(runner)
    async with world.runner(idler()) as runner:
        five, six = await runner.pauses(run_id)
        await runner.answer(run_id, [said(five, "approve")], principal="ann")
        await runner.cancel(run_id, principal="bob")
        assert await runner.cancel(run_id, principal="carl") is False
        with pytest.raises(AlreadyAnsweredError) as settled:
            await runner.answer(run_id, [said(five, "deny")], principal="carl")
        assert settled.value.code == "already_answered"
        with pytest.raises(CancelAskedError):
            await runner.answer(run_id, [said(six, "deny")], principal="carl")
    async with world.runner(agent_of(till)) as runner:
        await watched(runner, run_id)
        first, second = await audited(runner, run_id)
        entries = entries_of(await stretches_of(runner, run_id), RunId(run_id))
        cancels = [entry for entry in entries if isinstance(entry, CancelKept)]
    assert (first.by, first.decision, first.settlement) == ("ann", Decision.APPROVE, Settlement.ANSWERED)
    assert (second.by, second.decision, second.settlement) == ("bob", None, Settlement.CANCELLED)
    assert [one.by for one in cancels] == ["bob"]
    assert till.paid == []


@pytest.mark.requirement("PAUSE-cancel-first")
@everywhere
async def test_all_answers_and_then_a_cancel_run_nothing(world: World) -> None:
    """Ours: both calls were granted, and the stop was there before either had begun."""
    till = Till()
    async with world.runner(agent_of(till)) as runner:
        run_id, _ = await asked(runner)
    async with world.runner(idler()) as runner:
        pauses = await runner.pauses(run_id)
        await runner.answer(run_id, [said(one, "approve") for one in pauses], principal="ann")
        await runner.cancel(run_id, principal="bob")
    async with world.runner(agent_of(till)) as runner:
        events = await watched(runner, run_id)
        found = await audited(runner, run_id)
    assert isinstance(events[-1], ev.Cancelled)
    assert [(one.by, one.decision) for one in found] == [("ann", Decision.APPROVE)] * 2
    assert till.paid == []


@pytest.mark.requirement("PAUSE-cancel-first", "PAUSE-message")
@everywhere
async def test_a_message_that_takes_the_place_of_a_run_bars_its_answers_too(world: World) -> None:
    """docs/pauses.md: `cancel_previous` stops the run; who wrote on in the thread is not known to have cancelled it."""
    till = Till()
    async with world.runner(agent_of(till)) as runner:
        run_id, _ = await asked(runner, thread_id="t1")
    async with world.runner(idler()) as runner:
        pauses = await runner.pauses(run_id)
        await runner.start("a", "something else", thread_id="t1", on_busy="cancel_previous")
        with pytest.raises(CancelAskedError):
            await runner.answer(run_id, [said(pauses[0], "approve")], principal="ann")
    async with world.runner(agent_of(till)) as runner:
        assert isinstance((await watched(runner, run_id))[-1], ev.Cancelled)
        assert [one.by for one in await audited(runner, run_id)] == [None, None]
    assert till.paid == []


@pytest.mark.slow
@pytest.mark.requirement("PAUSE-cancel-first", "PAUSE-once")
@everywhere
async def test_at_the_same_moment_what_was_taken_is_in_the_log_and_nothing_else(world: World) -> None:
    """Ours: whoever is told 200 finds the decision in the audit, and whoever is told 409 does not."""
    till = Till()
    async with world.runner(agent_of(till)) as runner:
        for number in range(ROUNDS):
            run_id, pauses = await asked(runner)
            body = [said(one, "deny") for one in pauses]
            acts = [runner.answer(run_id, body, principal="ann"), runner.cancel(run_id, principal="bob")]
            order = acts if number % 2 else acts[::-1]
            done = await asyncio.gather(*order, return_exceptions=True)
            answered = done[0 if number % 2 else 1]
            await watched(runner, run_id)
            by_ann = [one.interrupt_id for one in await audited(runner, run_id) if one.by == "ann"]
            if isinstance(answered, AlreadyAnsweredError):
                assert by_ann == list(answered.taken)
            else:
                assert not isinstance(answered, BaseException)
                assert by_ann == list(answered.taken) == [one.interrupt_id for one in pauses]
