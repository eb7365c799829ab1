"""What people decided about a run."""

from __future__ import annotations

import asyncio

import pytest

from tests.behaviour.answers import Till, asked, said
from tests.runtime.agents import scripted
from tests.runtime.stores import LoopClock, World, everywhere, watched
from treadle.adapters.stores.memory import MemoryStore
from treadle.app import runner as runner_module
from treadle.app.runner import Runner
from treadle.runtime.audit import audit_of
from treadle.testing.virtual_time import run_virtually
from treadle.values.calls import ToolStatus
from treadle.values.ids import RunId
from treadle.values.pauses import Decision, PauseKind, PauseRules, Settlement

THREE = 'call: pay {"cents": 5}\ncall: pay {"cents": 6}\ncall: pay {"cents": 7}\n---\ntext: ok'


@pytest.mark.requirement("PAUSE-audit")
@everywhere
async def test_who_when_what_and_what_came_of_it(world: World) -> None:
    """Ours: an edit says what it changed; a no says why; each has its person, its time and the end of its call."""
    async with world.runner(scripted(THREE, tools=[Till().pay])) as runner:
        run_id, (five, six, seven) = await asked(runner)
        await runner.answer(run_id, [said(six, "edit", arguments={"cents": 4})], principal="ann")
        body = [said(five, "approve"), said(seven, "deny", reason="too dear")]
        await runner.answer(run_id, body, principal="bob")
        await watched(runner, run_id)
        stretches = await runner.store.read("default", RunId(run_id), -1, limit=10_000)
    first, second, third = audit_of(stretches, RunId(run_id))
    assert (first.interrupt_id, first.by, first.decision) == (six.interrupt_id, "ann", Decision.EDIT)
    assert (first.changed, first.said, first.result) == ({"cents": (6, 4)}, {"cents": 4}, ToolStatus.OK)
    assert (second.by, second.decision, second.changed) == ("bob", Decision.APPROVE, {})
    assert (third.decision, third.reason, third.result) == (Decision.DENY, "too dear", ToolStatus.DENIED)
    for one in (first, second, third):
        assert (one.kind, one.asked["name"], one.run_id) == (PauseKind.APPROVAL, "pay", run_id)
        assert one.asked_s <= one.said_s


@pytest.mark.requirement("PAUSE-audit")
def test_what_nobody_decided_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: an expiry is settled by the clock, and nobody's name stands beside it."""
    monkeypatch.setattr(runner_module, "SystemClock", LoopClock)

    async def main() -> None:
        agent = scripted(THREE, tools=[Till().pay]).with_pauses(PauseRules(expires_s=60.0))
        async with Runner([agent], store=MemoryStore(LoopClock())) as runner:
            run_id, _ = await asked(runner)
            await asyncio.sleep(90)
            await watched(runner, run_id)
            stretches = await runner.store.read("default", RunId(run_id), -1, limit=10_000)
        found = audit_of(stretches, RunId(run_id))
        assert [(one.by, one.decision, one.settlement) for one in found] == [(None, None, Settlement.EXPIRED)] * 3
        assert all(one.said_s - one.asked_s >= 60 for one in found)

    run_virtually(main())


@pytest.mark.requirement("PAUSE-audit")
@everywhere
async def test_a_run_that_asked_nobody_has_nothing_to_tell(world: World) -> None:
    """Ours: no decision, no line."""
    async with world.runner(scripted("text: ok")) as runner:
        run = await runner.start("a", "hi")
        await watched(runner, run.run_id)
        assert audit_of(await runner.store.read("default", run.run_id, -1, limit=100), run.run_id) == ()
