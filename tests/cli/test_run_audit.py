"""Decisions, for people and for scripts."""

from __future__ import annotations

import json

import pytest

from tests.behaviour.answers import Till, asked, said
from tests.runtime.agents import scripted
from tests.runtime.stores import World, virtually, watched
from treadle.cli.run_audit import audited, for_people, for_scripts
from treadle.errors import RunNotFoundError
from treadle.runtime.audit import Heard, audit_of
from treadle.runtime.thread_history import stored_run
from treadle.runtime.unheard import unheard_of
from treadle.values.events import Error
from treadle.values.ids import RunId
from treadle.values.outcome import InvocationOutcome
from treadle.values.stretches import EntryStretch

TWO = 'call: pay {"cents": 5}\ncall: pay {"cents": 6}\n---\ntext: ok'


@pytest.mark.requirement("CLI-answer-taken", "PAUSE-audit")
@virtually
async def test_what_was_taken_and_not_heard_is_told_and_who_stopped_the_run_too() -> None:
    """docs/cli.md: a decision waits for a process that has the agent; a pause that ends with its run names who."""
    world = World()
    agent = scripted(TWO, tools=[Till().pay])
    async with world.runner(agent) as runner:
        run_id, (five, _) = await asked(runner)
        other_id, _ = await asked(runner)
        nobody_id, _ = await asked(runner)
    async with world.runner(scripted("text: nothing to do")) as runner:
        five, _ = await runner.pauses(run_id)
        await runner.answer(run_id, [said(five, "approve")], principal="ann")
        await runner.cancel(run_id, reason="too late", principal="bob\n")
        await runner.cancel(nobody_id)
    one, two = await audited(world.store, "default", [RunId(run_id)])
    assert for_people([one]).endswith("result none yet: no process has taken it up\n")
    assert "ann  approve" in for_people([one])
    assert "bob\\n  cancelled with its run" in for_people([two])
    assert [json.loads(line)["heard"] for line in for_scripts([one, two]).splitlines()] == ["not_yet", "not_yet"]
    assert await audited(world.store, "default", [RunId(other_id)]) == ()
    assert await audited(world.store, "default", [RunId(nobody_id)]) == ()
    async with world.runner(agent) as runner:
        await watched(runner, run_id)
        await watched(runner, nobody_id)
    one, two = await audited(world.store, "default", [RunId(run_id)])
    assert for_people([one]).endswith("result cancelled\n")
    assert "bob\\n  cancelled with its run" in for_people([two])
    assert "because too late" in for_people([two])
    (line, _) = for_people(await audited(world.store, "default", [RunId(nobody_id)])).splitlines()
    assert "nobody  cancelled with its run" in line


@virtually
async def test_what_the_end_of_a_run_came_before_is_told_as_such() -> None:
    """Ours: whoever was told that an answer was taken finds what became of it."""
    world = World()
    async with world.runner(scripted(TWO, tools=[Till().pay])) as runner:
        run_id, _ = await asked(runner)
    async with world.runner(scripted("text: nothing to do")) as runner:
        five, _ = await runner.pauses(run_id)
        await runner.answer(run_id, [said(five, "deny")], principal="ann")
    _, stretches = await stored_run(world.store, "default", RunId(run_id))
    inbox = await world.store.inbox("default", RunId(run_id))
    ends = Error(
        index=99, run_id=RunId(run_id), outcome=InvocationOutcome(text=""), code="internal", error_class="internal",
        retryable=False, termination="internal",
    )  # fmt: skip
    broke = EntryStretch(seq=99, index=99, entries=(ends,), at_s=1.0, epoch=9)
    (one,) = audit_of([*stretches, broke], RunId(run_id), unheard=unheard_of(inbox))
    assert one.heard is Heard.NEVER
    assert for_people([one]).endswith("came to nothing: the run ended before it heard of it\n")


@virtually
async def test_a_decision_is_a_line_with_all_that_it_was_about() -> None:
    """Ours: who, when, what was asked, what was changed, why, and what came of it."""
    world = World()
    async with world.runner(scripted(TWO, tools=[Till().pay])) as runner:
        run_id, (five, six) = await asked(runner)
        body = [said(five, "edit", arguments={"cents": 4}), said(six, "deny", reason="no\x1b")]
        await runner.answer(run_id, body, principal="ann\n")
        await watched(runner, run_id)
    found = await audited(world.store, "default", [RunId(run_id)])
    assert await audited(world.store, "default", None) == found
    assert await audited(world.store, "other", None) == ()
    with pytest.raises(RunNotFoundError):
        await audited(world.store, "other", [RunId(run_id)])
    edited, denied = for_people(found).splitlines()
    assert "ann\\n  edit" in edited
    assert 'changed {"cents":[5,4]}' in edited
    assert edited.endswith("result ok")
    assert "because no\\x1b" in denied
    first, second = map(json.loads, for_scripts(found).splitlines())
    assert (first["by"], first["decision"], first["changed"]) == ("ann\n", "edit", {"cents": [5, 4]})
    assert (second["settlement"], second["reason"], second["result"]) == ("declined", "no\x1b", "denied")
    assert for_people(()) == for_scripts(()) == ""
