"""The runs of one scope, of a runner that serves several."""

from __future__ import annotations

import pytest

from tests.runtime.agents import model_of, scripted
from tests.runtime.stores import GATED, World, everywhere, pass_time, paying, seen, virtually
from treadle.app.runner import Runner
from treadle.errors import PlanError, RunNotFoundError, StateError, TokenInvalidError
from treadle.values.runs import RunStatus


@pytest.mark.requirement("SERVE-scopes")
@everywhere
async def test_a_run_of_another_scope_is_not_there(world: World) -> None:
    """Design §6: the scope is part of every key and every query."""
    async with world.runner(scripted("text: ok")) as runner:
        acme, globex = runner.within("acme"), runner.within("globex")
        run = await acme.start("a", "hi", thread_id="t", key="k")
        assert (await acme.wait(run.run_id)).text == "ok"
        for foreign in (globex, runner):
            for asking in (foreign.get, foreign.state, foreign.wait, foreign.cancel, foreign.reading):
                with pytest.raises(RunNotFoundError):
                    await asking(run.run_id)  # type: ignore[operator]  # each takes the id
            with pytest.raises(RunNotFoundError):
                await anext(foreign.watch(run.run_id))
            assert await foreign.runs() == []
            assert not await foreign.delete(run.run_id)
        twin = await globex.start("a", "other", thread_id="t", key="k")
        assert twin.is_new
        assert [state.run_id for state in await acme.runs(thread_id="t")] == [run.run_id]
        await globex.wait(twin.run_id)
        assert await acme.delete(run.run_id)


@virtually
async def test_leaving_a_run_of_another_scope_does_what_its_rule_says() -> None:
    """Design §8: whichever scope it is in."""
    async with Runner([scripted(GATED)]) as runner:
        acme = runner.within("acme")
        run = await acme.start("a", "hi", on_disconnect="cancel")
        records = acme.watch(run.run_id)
        await anext(records)
        await records.aclose()
        assert (await acme.wait(run.run_id)).state is RunStatus.CANCELLED


@virtually
async def test_runs_are_found_by_thread_by_state_and_a_page_at_a_time() -> None:
    """Ours: what a list shows."""
    async with Runner([scripted("text: ok")]) as runner:
        ids = []
        for number in range(4):
            run = await runner.start("a", str(number), thread_id=f"t{number % 2}")
            await runner.wait(run.run_id)
            ids.append(run.run_id)
        assert [state.run_id for state in await runner.runs(before=ids[2])] == [ids[1], ids[0]]
        assert [state.run_id for state in await runner.runs(state=RunStatus.DONE, thread_id="t1")] == [ids[3], ids[1]]
        assert await runner.runs(state=RunStatus.OWNED) == []


@virtually
async def test_it_is_of_use_while_its_runner_is_open() -> None:
    """Ours: it holds nothing of its own."""
    runner = Runner([scripted("text: ok")])
    within = runner.within("acme")
    with pytest.raises(StateError):
        await within.runs()
    async with runner:
        assert await within.runs() == []
        with pytest.raises(PlanError):
            await within.start("nobody", " ", on_disconnect="stay", on_busy="wait")


@virtually
async def test_draining_lets_runs_end_and_takes_no_new_ones_while_readers_read() -> None:
    """Design §9: the first half of leaving, by itself. A second time waits for no longer."""
    agent = scripted(GATED)
    async with Runner([agent], drain_s=5) as runner:
        run = await runner.start("a", "hi")
        await seen(runner, run.run_id, "text_delta")
        model_of(agent).open_gate("go")
        await runner.drain()
        assert (await runner.get(run.run_id)).state is RunStatus.DONE
        late = await runner.start("a", "more")
        await pass_time(20)
        assert (await runner.get(late.run_id)).state is RunStatus.READY
        await runner.drain()


@virtually
async def test_a_run_at_work_can_be_stopped_by_its_id_whatever_its_scope() -> None:
    """Ours: an observer is told an id, and nothing else."""
    async with Runner([scripted(GATED)]) as runner:
        run = await runner.within("acme").start("a", "hi")
        await seen(runner.within("acme"), run.run_id, "text_delta")
        assert runner.at_work == 1
        runner.stop_at_work(run.run_id, "too much")
        assert (await runner.within("acme").wait(run.run_id)).state is RunStatus.CANCELLED
        await pass_time(1)
        runner.stop_at_work(run.run_id, "again")
        assert runner.at_work == 0
    assert runner.at_work == 0


@virtually
async def test_a_token_tells_its_run_within_its_scope_alone() -> None:
    """ADR 0032: of another scope nothing is said but that there is no such run; what is no token of ours is refused."""
    async with World().runner(paying()) as runner:
        mine, theirs = runner.within("alice"), runner.within("bob")
        run = await mine.start("a", "pay")
        await mine.wait(run.run_id)
        (pause,) = await mine.pauses(run.run_id)
        assert list((await mine.all_pauses(run.run_id)).asked) == [pause.interrupt_id]
        claims = mine.claims_of(pause.token)
        assert (claims.run_id, claims.interrupt_id) == (run.run_id, pause.interrupt_id)
        with pytest.raises(RunNotFoundError):
            theirs.claims_of(pause.token)
        with pytest.raises(TokenInvalidError):
            mine.claims_of(pause.token[:-2])
