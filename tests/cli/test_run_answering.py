"""The pauses of a stored run, answered from this machine."""

from __future__ import annotations

import json

import pytest

from tests.behaviour.answers import PAY, Till, asked
from tests.runtime.agents import scripted
from tests.runtime.stores import World, virtually, watched
from treadle.cli.exits import CommandMisuseError
from treadle.cli.run_answering import GOES_ON, WAITS, Desk, for_scripts, nothing_open, said_by_options, told
from treadle.cli.run_cancelling import wish
from treadle.errors import BadAnswerError, PauseNotFoundError, ResumeError, RunNotFoundError
from treadle.values.ids import RunId
from treadle.values.pauses import Decision

TWO = 'call: pay {"cents": 5}\ncall: pay {"cents": 6}\n---\ntext: ok'


@virtually
async def test_an_answer_lies_in_the_inbox_until_somebody_has_the_agent() -> None:
    """docs/cli.md: the command needs no agent, and runs none."""
    till, world = Till(), World()
    agent = scripted(PAY, tools=[till.pay])
    async with world.runner(agent) as runner:
        run_id, _ = await asked(runner)
    desk = Desk("default", RunId(run_id))
    pauses = desk.meant(await desk.look(world.store), pause=None)
    said = said_by_options(pauses, options={Decision.APPROVE: None})
    assert said is not None
    taken = await desk.answer(world.store, [said], principal="ann")
    assert told(taken) == f"answer accepted: {run_id}; {GOES_ON}\n"
    assert json.loads(for_scripts(taken)) == {"run_id": run_id, "taken": [pauses[0].interrupt_id], "open": []}
    assert (till.paid, desk.meant(await desk.look(world.store), pause=None)) == ([], ())
    async with world.runner(agent) as runner:
        assert (await watched(runner, run_id))[-1].kind == "done"
    assert till.paid == [5]


@virtually
async def test_edited_arguments_are_held_against_what_the_pause_says_of_its_tool() -> None:
    """Promise 8: what does not fit is refused here already, where no agent is."""
    world = World()
    async with world.runner(scripted(TWO, tools=[Till().pay])) as runner:
        run_id, _ = await asked(runner)
    desk = Desk("default", RunId(run_id))
    found = await desk.look(world.store)
    (six,) = desk.meant(found, pause=list(found.open)[1])
    said = said_by_options([six], options={Decision.EDIT: '{"cents": "many"}'})
    assert said is not None
    with pytest.raises(BadAnswerError):
        await desk.answer(world.store, [said], principal="ann")
    fit = said_by_options([six], options={Decision.EDIT: '{"cents": 4}'})
    assert fit is not None
    assert "1 more to answer" in told(await desk.answer(world.store, [fit], principal="ann"))
    with pytest.raises(RunNotFoundError):
        await Desk("other", RunId(run_id)).look(world.store)


@pytest.mark.parametrize(
    ("pause", "options", "word"),
    [
        (None, {Decision.APPROVE: None}, "--pause"),
        (None, {Decision.APPROVE: None, Decision.ANSWER: "1"}, "one decision"),
        ("first", {Decision.EDIT: "[1]"}, "--edit"),
        ("first", {Decision.EDIT: "{"}, "--edit"),
        ("first", {Decision.ANSWER: "{"}, "--value"),
        ("first", {Decision.ANSWER: "[" * 100_000}, "--value"),
    ],
)
@virtually
async def test_options_that_say_nothing_clear_are_a_misuse(
    pause: str | None, options: dict[Decision, str | None], word: str
) -> None:
    """docs/cli.md: one decision, of one pause, in JSON where it is JSON."""
    world = World()
    async with world.runner(scripted(TWO, tools=[Till().pay])) as runner:
        run_id, pauses = await asked(runner)
    named = pauses[0].interrupt_id if pause == "first" else pause
    desk = Desk("default", RunId(run_id))
    meant = desk.meant(await desk.look(world.store), pause=named)
    with pytest.raises(CommandMisuseError, match=word):
        said_by_options(meant, options=options)
    assert said_by_options(pauses, options={}) is None


@pytest.mark.requirement("CLI-answer-late")
@virtually
async def test_what_cannot_be_answered_says_why() -> None:
    """docs/cli.md: who has settled it, as far as that is known, or that there never was such a pause."""
    world = World()
    agent = scripted(TWO, tools=[Till().pay])
    async with world.runner(agent) as runner:
        run_id, (five, six) = await asked(runner)
    desk = Desk("default", RunId(run_id))

    async def refused(pause: str) -> ResumeError:
        with pytest.raises(ResumeError) as error:
            desk.meant(await desk.look(world.store), pause=pause)
        return error.value

    unknown = await refused("r.i9\x1b")
    assert isinstance(unknown, PauseNotFoundError)
    assert "r.i9\\x1b" in str(unknown)
    assert str(unknown).endswith(f"open are {five.interrupt_id}, {six.interrupt_id}")
    (meant,) = desk.meant(await desk.look(world.store), pause=five.interrupt_id)
    denied = said_by_options([meant], options={Decision.DENY: "no"})
    assert denied is not None
    await desk.answer(world.store, [denied], principal="ann")
    assert f"was answered by ann (deny) and {WAITS}" in str(await refused(five.interrupt_id))
    await wish(world.store, "default", RunId(run_id), principal="bob")
    assert (await refused(six.interrupt_id)).code == "cancel_asked"
    assert nothing_open(await desk.look(world.store)).code == "cancel_asked"
    async with world.runner(agent) as runner:
        await watched(runner, run_id)
    assert str(await refused(five.interrupt_id)) == f"pause {five.interrupt_id!r} was answered by ann (deny)"
    settled = await refused(six.interrupt_id)
    assert (settled.code, str(settled)) == (
        "already_answered",
        f"pause {six.interrupt_id!r} is settled: cancelled",
    )


@virtually
async def test_a_run_that_never_asked_waits_for_nothing() -> None:
    """docs/cli.md: that is said, and not that a pause is to be named."""
    world = World()
    async with world.runner(scripted("text: ok")) as runner:
        run = await runner.start("a", "hi")
        await watched(runner, run.run_id)
    desk = Desk("default", run.run_id)
    refusal = nothing_open(await desk.look(world.store))
    assert (refusal.code, str(refusal)) == ("pause_not_found", f"run {run.run_id!r} waits for nothing")
