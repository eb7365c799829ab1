"""The scripted agents, as runs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.runtime.agents import all_events, closes_well, kinds
from tests.runtime.stores import LoopClock, StoreInHand, log_of, virtually, watched
from treadle.adapters.stores.memory import MemoryStore
from treadle.app.agent import Agent
from treadle.app.runner import Runner
from treadle.errors import RunFailedError
from treadle.runtime.open_pauses import OpenPause
from treadle.runtime.result import RunOutcome, RunResult
from treadle.testing import scenarios
from treadle.testing.faults.steps import LEAK_MARK
from treadle.testing.scenarios import SCRIPTED_AGENTS, ScriptedAgent, catalogue, scenario_agents
from treadle.testing.stream_check import check_stream
from treadle.testing.virtual_time import run_virtually
from treadle.values import events as ev
from treadle.values.events import CLOSING_TYPES
from treadle.values.pauses import Answer, Decision
from treadle.values.runs import RunStatus

AGENTS = {one.name: one for one in SCRIPTED_AGENTS}


async def _ran(agent: Agent, prompt: str) -> RunResult:
    try:
        return await agent.run(prompt)
    except RunFailedError as failed:
        return failed.result


def test_every_name_that_clients_ask_for_is_there() -> None:
    """docs/testing.md: the names are fixed."""
    assert list(AGENTS) == [
        "text", "thinking", "tool", "parallel_tools", "failing_tool", "ask_user", "approval", "cancel", "error",
        "provider_cut", "silence_8s", "long", "retraction", "structured",
    ]  # fmt: skip
    assert [agent.name for agent in scenarios.agents] == list(AGENTS)


@pytest.mark.requirement("CONF-scenarios")
@pytest.mark.parametrize("name", AGENTS)
@virtually
async def test_each_ends_as_it_says_twice_over_and_for_many_at_once(name: str) -> None:
    """docs/testing.md: any number of times, at once, told apart by the prompt."""
    agent = AGENTS[name].agent()
    prompts = ["hi", "hi", *(f"number {number}" for number in range(5))]
    results = await asyncio.gather(*(_ran(agent, prompt) for prompt in prompts))
    assert [result.outcome for result in results] == [AGENTS[name].ends] * len(prompts)
    shown = [(result.text, [dict(one.request) for one in result.pending]) for result in results]
    assert shown[0] == shown[1]
    told = [repr(one) for one in shown[1:]]
    assert len(set(told)) == len(told)
    assert LEAK_MARK not in repr(shown)


@pytest.mark.requirement("CONF-scenarios")
@pytest.mark.parametrize("name", AGENTS)
@virtually
async def test_each_is_a_sound_stream_that_leaks_nothing(name: str) -> None:
    """Design: the rules with names."""
    events = await all_events(AGENTS[name].agent(), "one two")
    assert check_stream(events) == []
    assert name == "retraction" or closes_well(events)
    told = [event for event in events if not isinstance(event, ev.Error)]
    assert LEAK_MARK not in repr(told)


@virtually
async def test_each_shows_what_it_is_there_for() -> None:
    """docs/testing.md: what is to be seen of each."""
    shown = {name: kinds(await all_events(AGENTS[name].agent(), "one two")) for name in AGENTS}
    assert shown["text"].count("text_delta") > 3
    assert shown["thinking"].count("thinking") > 3
    assert (shown["tool"].count("tool_call"), shown["tool"].count("tool_result")) == (1, 1)
    assert shown["parallel_tools"].count("tool_result") == 3
    assert shown["parallel_tools"].count("tool_progress") == 2
    assert (shown["ask_user"][-1], shown["approval"][-1]) == ("ask_user", "interrupt")
    assert shown["retraction"].count("retracted") == 1
    assert shown["long"].count("text_delta") >= 2_000


@virtually
async def test_the_silence_is_eight_seconds_and_the_slow_one_a_minute_of_the_clock_it_is_given() -> None:
    """Ours: a test that waits for a silence waits for nothing."""
    loop = asyncio.get_running_loop()
    lasted = {}
    for name in ("silence_8s", "cancel"):
        began_s = loop.time()
        await AGENTS[name].agent().run("hi")
        lasted[name] = loop.time() - began_s
    assert 8 <= lasted["silence_8s"] < 9
    assert 55 <= lasted["cancel"] < 65


async def test_another_sense_of_time_may_be_given() -> None:
    """docs/testing.md: `wait` lets the seconds pass."""
    waited: list[float] = []

    async def wait(seconds: float) -> None:
        waited.append(seconds)

    agents = {agent.name: agent for agent in scenario_agents(wait=wait)}
    await agents["silence_8s"].run("hi")
    assert waited.count(catalogue.SILENCE_S) == 1


async def _answered(name: str, **said: Any) -> tuple[str, list[str]]:  # noqa: ANN401 (fields of an answer)
    """The text of a run that was answered so, and its kinds of events."""
    async with Runner([AGENTS[name].agent()], drain_s=0) as runner:
        run = await runner.start(name, "this")
        await runner.wait(run.run_id)
        (pause,) = await runner.pauses(run.run_id)
        await runner.answer(run.run_id, [_answer(pause, **said)], principal="ann")
        events = await watched(runner, run.run_id)
        view = await runner.get(run.run_id)
        assert view.state is RunStatus.DONE
        return view.text, kinds(events)


def _answer(pause: OpenPause, **said: Any) -> Answer:  # noqa: ANN401 (fields of an answer)
    return Answer(interrupt_id=pause.interrupt_id, token=pause.token, **said)


@pytest.mark.requirement("CONF-scenarios")
@virtually
async def test_what_a_person_says_is_in_the_answer() -> None:
    """docs/testing.md: approve runs the call once; deny lets the model say why; an answer is said again."""
    approved, events = await _answered("approval", decision=Decision.APPROVE)
    assert approved.endswith("It is published 'this'.")
    assert (events.count("tool_call"), events.count("tool_result")) == (1, 1)
    denied, events = await _answered("approval", decision=Decision.DENY, reason="not today")
    assert denied.endswith("It is not published, denied by a person: not today.")
    assert (events.count("tool_call"), events.count("tool_result")) == (0, 1)
    asked, _ = await _answered("ask_user", decision=Decision.ANSWER, value={"q1": "green"})
    assert asked.endswith("It is green for 'this'.")
    own, _ = await _answered("ask_user", decision=Decision.ANSWER, value={"q1": {"chosen": [], "other": "mauve"}})
    assert own.endswith("It is mauve for 'this'.")


async def _lived(one: ScriptedAgent, number: int) -> tuple[RunStatus, str, object, bool]:
    """How a run ends whose first worker dies at this append, its text and output, and whether that worker died."""
    store = MemoryStore(LoopClock())
    hand = StoreInHand(store, die_at=(number, True))
    async with Runner([one.agent()], store=hand, drain_s=0) as first:
        run = await first.start(one.name, "this one")
        resting = asyncio.create_task(first.wait(run.run_id))
        dead = asyncio.create_task(hand.dead.wait())
        await asyncio.wait([resting, dead], return_when=asyncio.FIRST_COMPLETED)
        for task in (resting, dead):
            task.cancel()
        await asyncio.wait([resting, dead])
    async with Runner([one.agent()], store=store, drain_s=0) as second:
        view = await second.wait(run.run_id)
        closing = (await log_of(store, run.run_id))[-1]
        assert isinstance(closing, CLOSING_TYPES)
        return view.state, view.text, closing.outcome.output, hand.dead.is_set()


@pytest.mark.slow
@pytest.mark.requirement("CONF-takeover")
@pytest.mark.parametrize("name", [name for name in AGENTS if name not in {"cancel", "long"}])
def test_a_run_that_is_taken_over_says_the_same(name: str) -> None:
    """docs/testing.md: another process goes on with it."""
    whole = run_virtually(_lived(AGENTS[name], 10_000))
    assert not whole[3]
    assert (whole[2] is not None) == (name == "structured")
    for number in range(200):
        *found, died = run_virtually(_lived(AGENTS[name], number))
        if not died:
            return
        assert tuple(found) == whole[:3], number
    raise AssertionError("more appends than a scenario makes")


def test_a_scripted_agent_says_how_it_ends_in_the_words_of_results() -> None:
    """Ours: the table of what clients are expected to see is made of it."""
    assert {one.ends for one in SCRIPTED_AGENTS} == {RunOutcome.DONE, RunOutcome.PAUSED, RunOutcome.ERROR}
