"""Readers that leave, and runners that are left."""

from __future__ import annotations

import asyncio

import pytest

from tests.runtime.agents import add, kinds, model_of, scripted
from tests.runtime.stores import GATED, ROUNDS, World, everywhere, pass_time, paying, seen, virtually, watched
from treadle.app.runner import Runner
from treadle.plan.tools import tool
from treadle.values.runs import RunStatus


@pytest.mark.requirement("RUNNER-leaving", "BR-007")
@everywhere
async def test_a_run_goes_on_when_its_readers_leave(world: World) -> None:
    """Promise 6, BR-007: a closed tab cancels nothing, and what follows is stored."""
    agent = scripted(GATED)
    async with world.runner(agent) as runner:
        run = await runner.start("a", "1+2?")
        await seen(runner, run.run_id, "text_delta")
        model_of(agent).open_gate("go")
        assert (await runner.wait(run.run_id)).text == "It is 3."


@pytest.mark.requirement("RUNNER-leaving")
@virtually
async def test_the_last_reader_takes_the_run_along_where_the_rule_says_so() -> None:
    """Design §8: leaving means the last reader's."""
    async with Runner([scripted(GATED)]) as runner:
        run = await runner.start("a", "1+2?", on_disconnect="cancel")
        other = asyncio.create_task(watched(runner, run.run_id))
        await seen(runner, run.run_id, "text_delta")
        await pass_time(60)
        assert not other.done()
        other.cancel()
        state = await runner.wait(run.run_id)
        assert state.state is RunStatus.CANCELLED
        assert (await watched(runner, run.run_id))[-1].reason == "readers_left"


@pytest.mark.requirement("RUNNER-leaving")
@virtually
async def test_a_reader_that_comes_back_in_time_keeps_the_run_alive() -> None:
    """Ours: the time is counted anew from each last leaving."""
    loop = asyncio.get_running_loop()
    async with Runner([scripted(GATED)]) as runner:
        run = await runner.start("a", "1+2?", on_disconnect="continue 10 s")
        for _ in range(3):
            await seen(runner, run.run_id, "text_delta")
            await pass_time(8)
        assert (await runner.get(run.run_id)).state is RunStatus.OWNED
        left_s = loop.time() - 8
        assert (await runner.wait(run.run_id)).state is RunStatus.CANCELLED
        assert 10 <= loop.time() - left_s < 11


@pytest.mark.requirement("RUNNER-leaving")
@virtually
async def test_a_run_that_nobody_ever_read_is_not_cancelled_for_it() -> None:
    """Ours: leaving is what readers do; a run that is started and fetched later has none."""
    agent = scripted(GATED)
    async with Runner([agent]) as runner:
        run = await runner.start("a", "1+2?", on_disconnect="cancel")
        await pass_time(60)
        model_of(agent).open_gate("go")
        assert (await runner.wait(run.run_id)).state is RunStatus.DONE


@pytest.mark.requirement("RUNNER-leaving")
@virtually
async def test_a_stream_that_ended_with_a_pause_is_no_reader_that_left() -> None:
    """Ours: a person is asked, and whoever read so far has nothing more to read."""
    async with Runner([paying()]) as runner:
        run = await runner.start("a", "pay", on_disconnect="cancel")
        await watched(runner, run.run_id, to_end_of="segment")
        await pass_time(60)
        assert (await runner.get(run.run_id)).state is RunStatus.WAITING


@pytest.mark.requirement("RUNNER-drain", "BR-005")
@virtually
async def test_leaving_a_runner_waits_for_its_runs() -> None:
    """Design §9, BR-005: a run under way is stored to its end first."""
    world = World()
    agent = scripted(GATED)
    async with world.runner(agent, drain_s=30) as runner:
        run = await runner.start("a", "1+2?")
        await seen(runner, run.run_id, "text_delta")
        asyncio.get_running_loop().call_later(20, model_of(agent).open_gate, "go")
    async with world.runner(agent) as runner:
        assert (await runner.get(run.run_id)).state is RunStatus.DONE
        assert "retracted" not in kinds(await watched(runner, run.run_id))


@pytest.mark.requirement("RUNNER-drain", "RUNNER-recovers")
@everywhere
async def test_a_run_that_is_not_over_in_time_goes_on_at_the_next_runner(world: World) -> None:
    """Design §9: it is given back, ready; the unfinished turn is taken back openly and asked again."""
    agent = scripted(GATED)
    async with world.runner(agent, drain_s=0) as runner:
        run = await runner.start("a", "1+2?")
        cursor = await seen(runner, run.run_id, "text_delta")
    model_of(agent).open_gate("go")
    async with world.runner(agent) as runner:
        rest = await watched(runner, run.run_id, after=cursor)
        state = await runner.get(run.run_id)
    assert kinds(rest) == ["retracted", "round_started", "text_delta", "text_delta", "round_ended", "done"]
    assert (state.text, state.usage.unmeasured_rounds) == ("It is 3.", 2)


@pytest.mark.requirement("RUNNER-drain")
@everywhere
async def test_what_was_started_and_never_claimed_goes_on_at_the_next_runner(world: World) -> None:
    """Ours: a runner may be left in the very moment in which a run was started, or claimed."""
    agent = scripted(ROUNDS)
    for turns in range(6):
        async with world.runner(agent, drain_s=0) as runner:
            run = await runner.start("a", "1+2?")
            for _ in range(turns):
                await asyncio.sleep(0)
        async with world.runner(agent) as runner:
            assert (await runner.wait(run.run_id)).text == "Let me see. It is 3."


@pytest.mark.requirement("RUNNER-drain")
@virtually
async def test_nothing_is_left_running_when_a_runner_was_left() -> None:
    """Ours: no task of a run, a reader's rule, a claim, a lease, or a tool."""
    before = asyncio.all_tasks()

    @tool
    async def slow() -> str:
        """Never end."""
        await asyncio.Event().wait()
        return "never"

    async with Runner([scripted("text: a\ncall: slow {}", tools=[slow, add])], drain_s=0) as runner:
        run = await runner.start("a", "hi", on_disconnect="continue 100 s")
        await seen(runner, run.run_id, "tool_call")
    assert asyncio.all_tasks() == before
