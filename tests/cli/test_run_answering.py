"""The pauses of a stored run, answered from this machine."""

from __future__ import annotations

import json

import pytest

from tests.behaviour.answers import PAY, Till, asked
from tests.runtime.agents import scripted
from tests.runtime.stores import World, virtually, watched
from treadle.cli.exits import CommandMisuseError
from treadle.cli.run_answering import GOES_ON, Desk, for_scripts, said_by_options, told, user_name
from treadle.errors import BadAnswerError, RunNotFoundError
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
    pauses = await desk.pauses(world.store)
    said = said_by_options(pauses, pause=None, options={Decision.APPROVE: None})
    assert said is not None
    taken = await desk.answer(world.store, [said], principal="ann")
    assert told(taken) == f"answer accepted: {run_id}; {GOES_ON}\n"
    assert json.loads(for_scripts(taken)) == {"run_id": run_id, "taken": [pauses[0].interrupt_id], "open": []}
    assert (till.paid, await desk.pauses(world.store)) == ([], ())
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
    five, six = await desk.pauses(world.store)
    said = said_by_options((five, six), pause=six.interrupt_id, options={Decision.EDIT: '{"cents": "many"}'})
    assert said is not None
    with pytest.raises(BadAnswerError):
        await desk.answer(world.store, [said], principal="ann")
    fit = said_by_options((five, six), pause=six.interrupt_id, options={Decision.EDIT: '{"cents": 4}'})
    assert fit is not None
    assert "1 more to answer" in told(await desk.answer(world.store, [fit], principal="ann"))
    with pytest.raises(RunNotFoundError):
        await Desk("other", RunId(run_id)).pauses(world.store)


@pytest.mark.parametrize(
    ("pause", "options", "word"),
    [
        (None, {Decision.APPROVE: None}, "--pause"),
        ("r.i9", {Decision.APPROVE: None}, "--pause"),
        (None, {Decision.APPROVE: None, Decision.ANSWER: "1"}, "one decision"),
        ("first", {Decision.EDIT: "[1]"}, "--edit"),
        ("first", {Decision.EDIT: "{"}, "--edit"),
        ("first", {Decision.ANSWER: "{"}, "--value"),
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
    with pytest.raises(CommandMisuseError, match=word):
        said_by_options(await Desk("default", RunId(run_id)).pauses(world.store), pause=named, options=options)
    assert said_by_options(pauses, pause=None, options={}) is None


def test_whoever_sits_here_has_a_name() -> None:
    """Ours: a decision is remembered with somebody."""
    assert user_name()
