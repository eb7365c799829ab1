"""An agent as its user declares it."""

from __future__ import annotations

import asyncio

import pytest

from tests.runtime.agents import add, all_events, model_of, scripted, until
from treadle.app.agent import Agent
from treadle.errors import PlanError, RunFailedError, StateError
from treadle.plan.tools import tool
from treadle.values.limits import Limits
from treadle.values.requests import UserMessage

SUM = 'text: Let me |see.\ncall: add {"a": 1, "b": 2}\nusage: 10 5\n---\ntext: It is 3.\nusage: 20 4'


async def test_run_gives_what_the_run_came_to():
    """The public face: outcome, text, answer, output, usage, run_id, pending."""
    result = await scripted(SUM).run("1+2?")
    assert (result.outcome, result.text, result.answer) == ("done", "Let me see.It is 3.", "It is 3.")
    assert (result.output, result.pending, result.termination) == (None, (), "completed")
    assert (result.usage.input_tokens, result.usage.output_tokens) == (30, 9)
    assert result.run_id.startswith("r_")


@pytest.mark.requirement("OUTPUT-outcome")
async def test_an_agent_with_an_output_gives_the_value_of_its_answer():
    """docs/agents.md: the value, in JSON terms; the agent it was made of is as it was."""
    schema = {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}
    plain = scripted('text: Let me |see. \ncall: add {"a": 1, "b": 2}\n---\ntext:  {"sum"|: 3} ')
    result = await plain.with_output(schema).run("1+2?")
    assert (result.outcome, result.output) == ("done", {"sum": 3})
    assert result.text == 'Let me see.  {"sum": 3} '
    assert (await plain.run("1+2?")).output is None
    assert plain.plan.fingerprint(model="m") != plain.with_output(schema).plan.fingerprint(model="m")
    with pytest.raises(PlanError, match="must be an object"):
        plain.with_output(int)


def test_run_sync_is_run_for_code_without_a_loop():
    """The public face; an agent can be run so again and again."""
    agent = scripted(SUM)
    assert agent.run_sync("1+2?").answer == "It is 3."
    assert agent.run_sync("1+2?").answer == "It is 3."


async def test_run_sync_inside_a_loop_says_what_to_do():
    """Bad use gets a clear error, and no coroutine is left unawaited."""
    with pytest.raises(StateError, match=r"await agent.run"):
        scripted(SUM).run_sync("1+2?")


async def test_run_returns_for_a_pause():
    """The public face: `run()` returns for done, paused and cancelled."""

    @tool(requires_approval=True)
    async def pay(cents: int) -> str:
        """Pay."""
        return f"paid {cents}"

    result = await scripted('call: pay {"cents": 5}', tools=[pay]).run("pay")
    assert result.outcome == "paused"
    assert [pause.request["arguments"] for pause in result.pending] == [{"cents": 5}]


async def test_run_raises_for_an_error_with_the_partial_result():
    """The public face: the partial result, the cause, and no foreign text."""
    with pytest.raises(RunFailedError) as failed:
        await scripted("text: par\nerror: refused").run("hi")
    result = failed.value.result
    assert (result.outcome, result.text, result.error.code) == ("error", "par", "model_refused")
    assert failed.value.__cause__ is not None
    assert result.error.reference in str(failed.value)


async def test_the_typed_stream_ends_with_one_completion_on_every_ending():
    """The public face: exactly one `response_complete`, last, and nothing is raised."""
    for script, outcome in ((SUM, "done"), ("text: par\neof", "error"), ("text: par\nerror: refused", "error")):
        async with scripted(script).stream("hi") as stream:
            events = [event async for event in stream]
        assert [event.type for event in events].count("response_complete") == 1
        assert events[-1].type == "response_complete"
        assert events[-1].outcome == outcome
        assert events[-1].text == "".join(event.text for event in events if event.type == "text_delta")


async def test_cancelling_the_caller_of_run_ends_the_run():
    """Ours: what a run holds is given back before the cancellation is raised."""
    agent = scripted("text: par\nhang")
    task = asyncio.create_task(agent.run("hi"))
    await until(lambda: model_of(agent).open_streams)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model_of(agent).open_streams == 0


async def test_history_goes_into_the_next_run():
    """Ours: `messages` of one run are the `history` of the next."""
    agent = scripted(SUM)
    first = await agent.run("1+2?")
    second = await agent.run("and now?", history=first.messages)
    assert model_of(agent).asks[2].prompt.history == first.messages
    assert second.messages[: len(first.messages)] == first.messages
    assert second.messages[len(first.messages)] == UserMessage(text="and now?")


@pytest.mark.parametrize("prompt", ["", "  \n"])
async def test_an_empty_prompt_is_refused_before_anything_is_spent(prompt):
    """Bad input gets a clear error and loses nothing."""
    agent = scripted(SUM)
    with pytest.raises(PlanError, match="a prompt needs text"):
        await agent.run(prompt)
    assert model_of(agent).asks == []


def test_all_problems_of_a_declaration_are_told_at_once():
    """Plan: one error with every reason."""
    with pytest.raises(PlanError) as refused:
        Agent(name="", model="nope", tools=[add, add], text_filters=["nobody"])
    assert len(refused.value.problems) == 4


def test_what_cannot_be_a_model_is_refused() -> None:
    """Bad input gets a clear error before anything is run."""
    with pytest.raises(PlanError, match="an object with `name` and `ask`"):
        Agent(name="a", model=5)  # type: ignore[arg-type]  # wrong on purpose


async def test_another_model_or_other_limits_make_another_agent():
    """Ours: the agent that was there stays as it was."""
    agent = scripted(SUM)
    other = agent.with_model(model_of(scripted("text: other")))
    short = agent.with_limits(Limits(rounds=1))
    assert (await other.run("hi")).text == "other"
    with pytest.raises(RunFailedError):
        await short.run("hi")
    assert (await agent.run("hi")).answer == "It is 3."


async def test_redaction_covers_calls_and_results_and_the_tool_still_gets_the_truth():
    """Law 5: redaction cuts events, not facts."""
    key = "sk-abcdefghijklmnopqrstuvwxyz012345"
    seen: list[str] = []

    @tool
    async def use(key: str) -> str:
        """Use a key."""
        seen.append(key)
        return f"used {key}"

    agent = scripted(
        f'text: key {key} |end\ncall: use cut=5 {{"key": "{key}"}}\n---\ntext: x', tools=[use], text_filters=["redact"]
    )
    events = await all_events(agent)
    assert seen == [key]
    assert key not in repr(events)
    assert "[redacted]" in repr(events)
    assert model_of(agent).asks[1].turns[0].outcomes[0].content == f"used {key}"


async def test_closing_an_agent_closes_its_model():
    """Ours: what a model holds is given back."""
    closed: list[bool] = []

    class Held:
        name = "held"

        async def ask(self, _):
            yield []

        async def aclose(self):
            closed.append(True)

    agent = Agent(name="a", model=Held())
    assert agent.name == "a"
    await agent.aclose()
    assert closed == [True]
