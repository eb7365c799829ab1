"""Runs of one thread: one at a time, and each told what the ones before said and showed."""

from __future__ import annotations

import asyncio

import pytest

from tests.runtime.agents import kinds, model_of, scripted
from tests.runtime.stores import GATED, ROUNDS, World, everywhere, paying, seen, watched
from treadle.adapters.models.openai_chat.request import chat_messages
from treadle.adapters.models.scripted import ScriptedModel
from treadle.app.agent import Agent
from treadle.errors import KeyReusedError, RunNotFoundError, ThreadBusyError
from treadle.plan.tools import tool
from treadle.testing.transcript_check import check_transcript
from treadle.values.model import ModelTurn
from treadle.values.requests import TurnMessage, UserMessage
from treadle.values.runs import RunStatus


@pytest.mark.requirement("RUNNER-thread")
@everywhere
async def test_a_thread_has_one_live_run(world: World) -> None:
    """Design §6: `reject` refuses another message while one is answered, or waits for a person (BR-084)."""
    agent = scripted(GATED)
    async with world.runner(agent) as runner:
        first = await runner.start("a", "one", thread_id="t")
        with pytest.raises(ThreadBusyError):
            await runner.start("a", "two", thread_id="t")
        model_of(agent).open_gate("go")
        await watched(runner, first.run_id)
        second = await runner.start("a", "two", thread_id="t")
        await watched(runner, second.run_id)


@pytest.mark.requirement("RUNNER-thread", "BR-084", "BR-089")
@everywhere
async def test_a_pause_keeps_its_own_thread_busy_and_no_other(world: World) -> None:
    """BR-084: a message to a waiting thread is refused and the pause stands; BR-089: other threads go on."""
    async with world.runner(paying()) as runner:
        run = await runner.start("a", "pay", thread_id="t")
        await runner.wait(run.run_id)
        with pytest.raises(ThreadBusyError):
            await runner.start("a", "use the other one", thread_id="t")
        other = await runner.start("a", "pay", thread_id="u")
        await runner.wait(other.run_id)
        assert (await runner.get(run.run_id)).state is RunStatus.WAITING


@pytest.mark.requirement("RUNNER-thread")
@everywhere
async def test_a_queued_run_begins_when_the_one_before_is_final_and_knows_what_was_said(world: World) -> None:
    """Ours: it is created at once, waits its turn, and is told the thread."""
    agent = scripted(GATED)
    async with world.runner(agent) as runner:
        first = await runner.start("a", "one", thread_id="t")
        await seen(runner, first.run_id, "text_delta")
        second = await runner.start("a", "two", thread_id="t", on_busy="queue")
        assert (await runner.get(second.run_id)).state is RunStatus.READY
        assert len(model_of(agent).asks) == 1
        model_of(agent).open_gate("go")
        await watched(runner, second.run_id)
        assert (await runner.get(first.run_id)).state is RunStatus.DONE
    told = model_of(agent).asks[-1].prompt
    assert [message.text if isinstance(message, UserMessage) else message.turn.text for message in told.history] == [
        "one",
        "It is 3.",
    ]


@pytest.mark.requirement("RUNNER-thread", "RUNNER-cancel")
@everywhere
async def test_a_queued_run_that_is_stopped_ends_in_its_turn_and_asks_no_model(world: World) -> None:
    """Ours: accepted at once, `cancelled` when the run before it is final."""
    agent = scripted(GATED)
    async with world.runner(agent) as runner:
        first = await runner.start("a", "one", thread_id="t")
        await seen(runner, first.run_id, "text_delta")
        second = await runner.start("a", "two", thread_id="t", on_busy="queue")
        assert await runner.cancel(second.run_id)
        model_of(agent).open_gate("go")
        assert kinds(await watched(runner, second.run_id)) == ["run_started", "cancelled"]
    assert len(model_of(agent).asks) == 1


@pytest.mark.requirement("RUNNER-thread", "BR-001")
@everywhere
async def test_a_new_message_may_stop_the_run_before(world: World) -> None:
    """BR-001: what was shown until then is kept and told to the new run, marked cut."""
    agent = scripted("text: Par|tial\ngate: go\ntext: never")
    async with world.runner(agent) as runner:
        first = await runner.start("a", "one", thread_id="t")
        await seen(runner, first.run_id, "text_delta", 2)
        second = await runner.start("a", "two", thread_id="t", on_busy="cancel_previous")
        assert kinds(await watched(runner, first.run_id))[-1] == "cancelled"
        await seen(runner, second.run_id, "text_delta", 2)
        await runner.cancel(second.run_id)
    cut = TurnMessage(turn=ModelTurn(text="Partial"), cut=True)
    assert model_of(agent).asks[-1].prompt.history == (UserMessage(text="one"), cut)


@pytest.mark.requirement("RUNNER-history", "BR-001")
@everywhere
async def test_a_thread_remembers_what_a_stopped_run_had_shown(world: World) -> None:
    """BR-001: user message, first answer with its call, its result, and the second answer marked cut."""
    agent = scripted('text: Par\ncall: add {"a": 1, "b": 2}\n---\ntext: tial\ngate: go')
    async with world.runner(agent) as runner:
        run = await runner.start("a", "one", thread_id="t")
        await seen(runner, run.run_id, "text_delta", 2)
        await runner.cancel(run.run_id)
        events = await watched(runner, run.run_id)
        assert kinds(events).count("cancelled") == 1
        following = await runner.start("a", "two", thread_id="t")
        await seen(runner, following.run_id, "tool_result")
        await runner.cancel(following.run_id)
    asked, first, second = model_of(agent).asks[-1].prompt.history[:3]
    assert asked == UserMessage(text="one")
    assert [request.name for request in first.turn.tool_requests] == ["add"]
    assert [outcome.content for outcome in first.outcomes] == [3]
    assert (second.turn.text, second.cut, second.turn.tool_requests) == ("tial", True, ())


@pytest.mark.requirement("RUNNER-history")
@everywhere
async def test_a_thread_remembers_what_a_failed_run_had_shown_and_nothing_that_was_taken_back(world: World) -> None:
    """Design law 5: a failed turn as its shown text; a silent attempt, and one that was retracted, not at all."""
    agent = scripted("text: It |is\neof")
    async with world.runner(agent) as runner:
        run = await runner.start("a", "one", thread_id="t")
        assert kinds(await watched(runner, run.run_id))[-1] == "error"
        assert (await runner.get(run.run_id)).error_code == "upstream_truncated"
        following = await runner.start("a", "two", thread_id="t")
        await watched(runner, following.run_id)
    cut = TurnMessage(turn=ModelTurn(text="It is"), cut=True)
    assert model_of(agent).asks[-1].prompt.history == (UserMessage(text="one"), cut)


@pytest.mark.requirement("RUNNER-history")
@everywhere
async def test_a_round_that_showed_nothing_is_not_told_as_the_round_before_it(world: World) -> None:
    """Ours: stopped after a tool's result and before the next word, the first turn is told once."""
    agent = scripted('text: Let me see.\ncall: add {"a": 1, "b": 2}\n---\ngate: go')
    async with world.runner(agent) as runner:
        run = await runner.start("a", "one", thread_id="t")
        await seen(runner, run.run_id, "tool_result")
        await runner.cancel(run.run_id)
        await watched(runner, run.run_id)
        assert (await runner.get(run.run_id)).answer == ""
        following = await runner.start("a", "two", thread_id="t")
        await seen(runner, following.run_id, "tool_result")
        await runner.cancel(following.run_id)
    told = model_of(agent).asks[-1].prompt.history
    assert [type(message) for message in told] == [UserMessage, TurnMessage]
    assert not told[1].cut


@pytest.mark.requirement("RUNNER-history")
@everywhere
async def test_a_run_whose_facts_were_deleted_is_told_as_it_was_shown(world: World) -> None:
    """Design law 5: the transcript falls back to shown text."""
    agent = scripted(ROUNDS)
    async with world.runner(agent) as runner:
        run = await runner.start("a", "one", thread_id="t")
        events = await watched(runner, run.run_id)
        assert await runner.delete(run.run_id, facts_only=True)
        assert await watched(runner, run.run_id) == events
        assert (await runner.get(run.run_id)).text == "Let me see. It is 3."
        following = await runner.start("a", "two", thread_id="t")
        await watched(runner, following.run_id)
        assert await runner.delete(run.run_id)
        with pytest.raises(RunNotFoundError):
            await runner.get(run.run_id)
    shown = TurnMessage(turn=ModelTurn(text="Let me see. It is 3."))
    assert model_of(agent).asks[-1].prompt.history == (UserMessage(text="one"), shown)


@pytest.mark.requirement("RUNNER-history", "BR-002")
@everywhere
async def test_whatever_became_of_a_thread_s_runs_a_strict_provider_takes_what_is_told_of_them(world: World) -> None:
    """BR-002: done, stopped in a call, stopped in a word, stopped before its turn, failed, and given back in a call."""

    @tool
    async def pay(euros: int) -> str:
        """Pay somebody; nobody takes more than ten euros."""
        await (asyncio.Event().wait() if euros > 10 else asyncio.sleep(0))
        return "paid"

    def agent(script: str) -> Agent:
        return scripted(script, tools=[pay])

    async def stopped(script: str, kind: str) -> None:
        async with world.runner(agent(script)) as runner:
            run = await runner.start("a", "and?", thread_id="t")
            await seen(runner, run.run_id, kind)
            await runner.cancel(run.run_id)
            await watched(runner, run.run_id)

    async def ended(script: str) -> ScriptedModel:
        there = agent(script)
        async with world.runner(there) as runner:
            run = await runner.start("a", "and?", thread_id="t")
            await watched(runner, run.run_id)
        return model_of(there)

    few, many = 'call: pay {"euros": 3}\ncall: pay {"euros": 4}', 'call: pay {"euros": 3}\ncall: pay {"euros": 40}'
    await ended(f"text: So.\n{few}\n---\ntext: Done.")
    await stopped(f"text: So.\n{many}", "tool_call")
    await stopped("text: Wo|rd\nhang", "text_delta")
    await ended("text: It |is\neof")
    lost = agent(f"text: So.\n{many}\n---\ntext: Well.")
    async with world.runner(lost, drain_s=0) as runner:
        run = await runner.start("a", "and?", thread_id="t")
        await seen(runner, run.run_id, "tool_result")
    async with world.runner(lost) as runner:
        await watched(runner, run.run_id)
    (ask,) = (await ended("text: Fine.")).asks
    assert len(ask.prompt.history) == 5 + 7
    assert check_transcript(chat_messages(ask), "openai") == []


@pytest.mark.requirement("RUNNER-brought")
@everywhere
async def test_a_history_that_a_caller_brings_is_told_as_said_before_and_goes_on_in_its_thread(world: World) -> None:
    """ADR 0041: kept with the run and told as user and assistant; the next run of the thread is told it once."""
    before = [UserMessage(text="I am Ann."), TurnMessage(turn=ModelTurn(text="Hello Ann."))]
    agent = scripted("text: ok\n---\ntext: ok")
    async with world.runner(agent) as runner:
        run = await runner.start("a", [*before, UserMessage(text="who?")])
        await watched(runner, run.run_id)
        following = await runner.start("a", "and now?", thread_id=run.thread_id)
        await watched(runner, following.run_id)
        first, second = (asked.prompt for asked in model_of(agent).asks)
        assert (first.prompt, first.history) == ("who?", tuple(before))
        assert second.history[:3] == (*before, UserMessage(text="who?"))
        assert [message.turn.text for message in second.history[3:] if isinstance(message, TurnMessage)] == ["ok"]
        assert first.instructions == second.instructions is None
        assert await runner.delete(run.run_id, facts_only=True)
        third = await runner.start("a", "and then?", thread_id=run.thread_id)
        await watched(runner, third.run_id)
    assert model_of(agent).asks[-1].prompt.history[0] == UserMessage(text="who?")


@pytest.mark.requirement("RUNNER-brought")
@everywhere
async def test_another_history_under_the_same_key_is_another_request(world: World) -> None:
    """ADR 0041: it is part of what was asked; what was asked with comes back with the state."""
    said = UserMessage(text="I am Ann."), UserMessage(text="who?")
    async with world.runner(scripted("text: ok")) as runner:
        run = await runner.start("a", said, key="k", properties={"colour": "red"})
        again = await runner.start("a", said, key="k", properties={"colour": "red"})
        assert (again.run_id, again.is_new) == (run.run_id, False)
        with pytest.raises(KeyReusedError):
            await runner.start("a", (UserMessage(text="I am Bob."), said[1]), key="k", properties={"colour": "red"})
        assert (await runner.state(run.run_id)).properties["asked"] == {"colour": "red"}
        await watched(runner, run.run_id)
