"""Decisions, for people and for scripts."""

from __future__ import annotations

import json

from tests.behaviour.answers import Till, asked, said
from tests.runtime.agents import scripted
from tests.runtime.stores import World, virtually, watched
from treadle.cli.run_audit import audited, for_people, for_scripts
from treadle.values.ids import RunId

TWO = 'call: pay {"cents": 5}\ncall: pay {"cents": 6}\n---\ntext: ok'


@virtually
async def test_a_decision_is_a_line_with_all_that_it_was_about() -> None:
    """Ours: who, when, what was asked, what was changed, why, and what came of it."""
    world = World()
    async with world.runner(scripted(TWO, tools=[Till().pay])) as runner:
        run_id, (five, six) = await asked(runner)
        body = [said(five, "edit", arguments={"cents": 4}), said(six, "deny", reason="no\x1b")]
        await runner.answer(run_id, body, principal="ann\n")
        await watched(runner, run_id)
    found = await audited(world.store, "default", RunId(run_id))
    edited, denied = for_people(found).splitlines()
    assert "ann\\n  edit" in edited
    assert 'changed {"cents":[5,4]}' in edited
    assert edited.endswith("result ok")
    assert "because no\\x1b" in denied
    first, second = map(json.loads, for_scripts(found).splitlines())
    assert (first["by"], first["decision"], first["changed"]) == ("ann\n", "edit", {"cents": [5, 4]})
    assert (second["settlement"], second["reason"], second["result"]) == ("declined", "no\x1b", "denied")
    assert for_people(()) == for_scripts(()) == ""
