"""One run, driven: what it hears, what it does, and how it ends."""

from __future__ import annotations

import asyncio
import gc
import logging
import weakref

import pytest

from tests.runtime.agents import (
    add,
    all_events,
    all_of,
    closes_well,
    inside,
    kinds,
    model_of,
    read,
    scripted,
    task_of,
    text_of,
)
from treadle.app.agent import Agent
from treadle.errors import ModelOutputError, ModelTruncatedError, RunFailedError
from treadle.plan.tools import tool
from treadle.values import events as ev
from treadle.values.calls import ToolStatus
from treadle.values.limits import Retries
from treadle.values.model import TEXT, ModelTurn, TurnEnded

FIRST_ROUND = 'text: Let me |see.\ncall: add {"a": 1, "b": 2}\nusage: 10 5'
CALL = 'text: Let me |see.\ncall: add {"a": 1, "b": 2}\nusage: 10 5\n---\ntext: It is 3.\nusage: 20 4'


async def test_a_tool_round_is_asked_called_and_told():
    """The whole road of one call, and the answer after it."""
    agent = scripted(CALL)
    events = await all_events(agent)
    assert closes_well(events)
    assert kinds(events) == [
        "run_started",
        "round_started",
        "text_delta",
        "text_delta",
        "tool_announced",
        "tool_arguments",
        "round_ended",
        "tool_call",
        "tool_result",
        "round_started",
        "text_delta",
        "round_ended",
        "done",
    ]
    assert [outcome.content for turn in model_of(agent).asks[1].turns for outcome in turn.outcomes] == [3]
    closing = events[-1]
    assert isinstance(closing, ev.Done)
    assert closing.outcome.answer == "It is 3."
    assert closing.outcome.usage.input_tokens == 30


async def test_parallel_calls_run_at_once_and_are_told_in_call_order():
    """Results come as they come for the reader, in call order for the provider."""
    both = asyncio.Barrier(2)
    first_done = asyncio.Event()

    @tool
    async def one() -> str:
        """Return last."""
        await both.wait()
        await first_done.wait()
        return "one"

    @tool
    async def two() -> str:
        """Return first."""
        await both.wait()
        first_done.set()
        return "two"

    agent = scripted("call: one {}\ncall: two {}\n---\ntext: x", tools=[one, two])
    events = await all_events(agent)
    shown = [event.outcome.content for event in events if isinstance(event, ev.ToolResult)]
    told = [outcome.content for outcome in model_of(agent).asks[1].turns[0].outcomes]
    assert (shown, told) == (["two", "one"], ["one", "two"])


async def test_a_reader_who_waits_sees_a_call_before_it_begins():
    """Ours: what is about to happen is shown first, be the tool one that holds up the event loop."""
    seen: list[str] = []

    @tool
    async def looks() -> str:
        """Tell what was seen of this call."""
        return seen[-1]

    agent = scripted("call: looks {}\ngate: go\n---\ntext: x", tools=[looks])
    async with agent.events("hi") as run:
        async for event in run:
            seen.append(event.kind)
            if event.kind == "tool_announced":
                asyncio.get_running_loop().call_later(0.001, model_of(agent).open_gate, "go")
            if isinstance(event, ev.ToolResult):
                assert event.outcome.content == "tool_call"
    assert seen[-1] == "done"


async def test_a_failing_tool_is_told_to_the_model_and_the_run_goes_on(caplog):
    """D20: a result with an error; of a foreign exception the model is told the class and a fixed sentence."""

    @tool
    async def bad() -> str:
        """Fail."""
        raise ValueError("secret dsn=postgres://u:p@h")

    with caplog.at_level(logging.CRITICAL):
        events = await all_events(scripted("call: bad {}\n---\ntext: sorry", tools=[bad]))
    (result,) = [event.outcome for event in events if isinstance(event, ev.ToolResult)]
    assert (result.status, result.error) == (ToolStatus.FAILED, "ValueError: the tool failed")
    assert closes_well(events)
    assert "secret" not in repr(events)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ('call: add {"a": 1, "b":', "not run"),
        ('call: add {"a": "x", "b": 2}', "not run"),
        ("call: nobody {}", "not run"),
        ("call: add [1]", "not run"),
    ],
)
async def test_damaged_calls_never_run_and_the_model_is_told_what_broke(call, says):
    """Promise 8 (BR-044, BR-050): no tool runs on damaged arguments; the run goes on."""
    events = await all_events(scripted(f"{call}\n---\ntext: again"))
    assert "tool_call" not in kinds(events)
    (result,) = [event.outcome for event in events if isinstance(event, ev.ToolResult)]
    assert result.status is ToolStatus.FAILED
    assert says in (result.error or "")
    assert text_of(events) == "again"


async def test_cancel_while_a_tool_runs_settles_its_call_first():
    """BR-002: the call gets its result before the closing event."""
    running = asyncio.Event()

    @tool
    async def slow() -> str:
        """Run for ever."""
        running.set()
        await asyncio.Event().wait()
        return "never"

    agent = scripted("text: hm\ncall: slow {}\n---\ntext: x", tools=[slow])
    async with agent.events("hi") as run:
        task = asyncio.create_task(all_of(run))
        await running.wait()
        await run.cancel()
        events = await task
    assert closes_well(events)
    assert kinds(events)[-3:] == ["stage", "tool_result", "cancelled"]
    (result,) = [event.outcome for event in events if isinstance(event, ev.ToolResult)]
    assert result.status is ToolStatus.CANCELLED


async def test_cancel_lets_go_what_a_filter_held():
    """Law 4: a mere prefix at the end is user text, whatever the end."""
    async with scripted("text: a <thi\nhang").events("hi") as run:
        await read(run, 3)
        await run.cancel()
        events = [event async for event in run]
    assert run.result.text == "a <thi"
    assert events[-1].kind == "cancelled"


async def test_cancel_before_anything_was_shown_leaves_no_round():
    """An attempt that showed nothing leaves no event; its usage counts as unmeasured."""
    async with scripted("hang").events("hi") as run:
        await read(run, 1)
        await run.cancel()
        events = [event async for event in run]
    assert kinds(events) == ["cancelled"]
    assert run.result.usage.unmeasured_rounds == 1


@pytest.mark.parametrize("fault", ["busy", "timeout", "unavailable"])
async def test_a_model_is_asked_again_before_anything_was_shown(fault):
    """BR-191, BR-193: one start, one answer; the reader sees nothing of the first try."""
    agent = scripted(f"error: {fault}\n--- again\ntext: ok", retries=Retries(first_wait_s=0))
    events = await all_events(agent)
    assert kinds(events) == ["run_started", "round_started", "text_delta", "round_ended", "done"]
    assert events[1] == ev.RoundStarted(index=1, run_id=events[0].run_id, round=1, attempt=2, model="scripted")


async def test_a_model_is_not_asked_again_after_something_was_shown():
    """BR-190: never `The capitalThe capital is X`; the partial answer is kept."""
    events = await all_events(scripted("text: The capital\nerror: busy\n--- again\ntext: The capital is X"))
    closing = events[-1]
    assert isinstance(closing, ev.Error)
    assert (closing.code, closing.outcome.text) == ("model_busy", "The capital")
    assert closes_well(events)


async def test_a_plan_may_retract_what_was_shown_and_ask_again():
    """BR-190, the other way: a marked reset comes before the new text, and the text holds only what stands."""
    events = await all_events(
        scripted(
            "text: The capital\nerror: busy\n--- again\ntext: The capital is X",
            retries=Retries(first_wait_s=0, after_output=True),
        )
    )
    assert "retracted" in kinds(events)
    closing = events[-1]
    assert isinstance(closing, ev.Done)
    assert closing.outcome.text == "The capital is X"


async def test_a_stream_without_an_end_is_never_done():
    """Promise 3: incomplete, partial kept, and the code says so."""
    agent = scripted("text: half\neof")
    with pytest.raises(RunFailedError) as failed:
        await agent.run("hi")
    assert failed.value.result.error.code == "upstream_truncated"
    assert failed.value.result.text == "half"
    assert isinstance(failed.value.__cause__, ModelTruncatedError)


@pytest.mark.parametrize("label", ["length", "content_filter"])
async def test_a_cut_answer_ends_in_error_and_its_calls_do_not_run(label):
    """BR-199: with `length` or `content_filter` a call does not run, and the partial is kept."""
    events = await all_events(scripted(f'text: par\ncall: add {{"a": 1, "b": 2}}\nfinish: {label}'))
    closing = events[-1]
    assert isinstance(closing, ev.Error)
    assert (closing.code, closing.outcome.text) == (label, "par")
    assert "tool_call" not in kinds(events)
    assert kinds(events).count("tool_result") == 1


class Grave(BaseException):
    """What no handler of ordinary exceptions catches."""


@pytest.mark.parametrize("raised", [Grave, GeneratorExit])
@pytest.mark.parametrize("waits", [True, False])
async def test_whatever_a_tool_raises_is_a_value(raised, waits, caplog):
    """The border of a tool call: nothing that a tool raises goes past it."""

    @tool
    async def breaks() -> str:
        """Break."""
        if waits:
            await asyncio.sleep(0)
        raise raised

    with caplog.at_level(logging.CRITICAL):
        events = await all_events(scripted("call: breaks {}\n---\ntext: x", tools=[breaks]))
    (result,) = [event.outcome for event in events if isinstance(event, ev.ToolResult)]
    assert result.status is ToolStatus.FAILED
    assert closes_well(events)


async def test_a_model_that_raises_the_gravest_ends_its_run_in_error(caplog):
    """The border of a run: `stream` raises nothing for a run."""

    class Breaks:
        name = "breaks"

        async def ask(self, _):
            yield [(TEXT, "par")]
            raise Grave

        async def aclose(self):
            pass

    with caplog.at_level(logging.CRITICAL):
        events = await all_events(Agent(name="a", model=Breaks()))
    assert closes_well(events)
    assert events[-1].code == "internal"


async def test_an_adapter_that_raises_what_no_adapter_should_ends_the_run_in_error(caplog):
    """The border of a run: whatever breaks is an end, told by a code and a reference."""
    with caplog.at_level(logging.CRITICAL):
        agent = scripted("text: par\nraise: secret words")
        with pytest.raises(RunFailedError) as failed:
            await agent.run("hi")
    result = failed.value.result
    assert (result.error.code, result.text) == ("internal", "par")
    assert result.error.reference
    assert "secret" not in str(failed.value)


async def test_a_filter_that_raises_ends_the_run_in_error_with_what_was_shown(caplog):
    """One close: a broken filter costs what it held, not the closing event."""

    class Broken:
        def feed(self, text):
            if "boom" in text:
                raise ValueError(text)
            return text

        def flush(self):
            raise ValueError("flush")

    with caplog.at_level(logging.CRITICAL):
        events = await all_events(scripted("text: ok |boom| more", text_filters=[Broken()]))
    assert closes_well(events)
    assert isinstance(events[-1], ev.Error)
    assert text_of(events) == "ok "


async def test_a_turn_whose_text_came_whole_is_shown_once():
    """Values: text that came in no delta is fed when the turn ends."""
    assert text_of(await all_events(scripted("whole: all at once"))) == "all at once"
    assert text_of(await all_events(scripted("text: piece|s"))) == "pieces"


async def test_a_model_that_ends_in_the_moment_of_a_cancel_harms_nothing():
    """Law 1: whichever comes first, one closing event, and the task goes on unharmed."""
    outcomes = set()
    for turns in range(12):
        release = asyncio.Event()

        class Ends:
            name = "ends"

            async def ask(self, _, release=release):
                yield [(TEXT, "x")]
                await release.wait()
                yield [TurnEnded(turn=ModelTurn(text="x"))]

            async def aclose(self):
                pass

        async with Agent(name="a", model=Ends()).events("hi") as run:
            task = asyncio.create_task(all_of(run))
            for _ in range(5):
                await asyncio.sleep(0)
            release.set()
            for _ in range(turns):
                await asyncio.sleep(0)
            await run.cancel()
            events = await task
        assert closes_well(events)
        outcomes.add(events[-1].kind)
    assert outcomes == {"done", "cancelled"}


async def test_a_loop_that_shuts_down_still_closes_the_run():
    """A task cancelled from outside writes its closing event and passes the cancellation on."""
    agent = scripted("text: par\nhang")
    run = agent.events("hi")
    async with run:
        await read(run, 3)
        task = task_of(run)
        task.cancel()
        events = [event async for event in run]
        await asyncio.wait([task])
        assert task.cancelled()
    assert events[-1].kind == "cancelled"
    assert run.result.text == "par"


async def test_thinking_and_text_have_passages_of_their_own():
    """Words: a passage is a stretch that nothing of the same speaker's speech interrupts."""
    script = 'think: a|b\ntext: c\nthink: d\ntext: e\ncall: add {"a": 1, "b": 2}\n---\ntext: f'
    events = await all_events(scripted(script))
    passages = [(event.kind, event.passage) for event in events if isinstance(event, ev.TextDelta | ev.Thinking)]
    assert passages == [
        ("thinking", 1),
        ("thinking", 1),
        ("text_delta", 2),
        ("thinking", 3),
        ("text_delta", 4),
        ("text_delta", 5),
    ]


async def test_progress_of_a_tool_is_told_in_order():
    """An async generator's yields are progress, its last one the result."""

    @tool
    async def count():
        """Count."""
        yield 1
        yield 2
        yield "done"

    events = await all_events(scripted("call: count {}\n---\ntext: x", tools=[count]))
    progress = [(event.sequence, event.payload) for event in events if isinstance(event, ev.ToolProgress)]
    assert progress == [(0, 1), (1, 2)]


async def test_many_runs_of_one_agent_do_not_mix():
    """Ours: an agent holds no state of a run."""
    agent = scripted(CALL, tools=[add])
    runs = await asyncio.gather(*(all_events(agent) for _ in range(20)))
    assert all(closes_well(events) and text_of(events) == "Let me see.It is 3." for events in runs)
    assert len({events[0].run_id for events in runs}) == 20


async def test_a_run_that_is_over_is_freed_with_its_last_holder() -> None:
    """Ours: what held itself would wait for the collector, whose time grows with all that lives."""
    agent = scripted('text: Let me |see.\ncall: add {"a": 1, "b": 2}\n---\ntext: It is |3.')
    gc.disable()
    try:
        async with agent.events("hi") as run:
            await all_of(run)
        parts = inside(run)
        seen = weakref.ref(parts.loop)
        assert run.result.text == "Let me see.It is 3."
        del run, parts
        await asyncio.sleep(0)
        assert seen() is None
    finally:
        gc.enable()


POINT = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}


@pytest.mark.requirement("OUTPUT-misfit")
@pytest.mark.parametrize("answer", ["It is 3.", '{"x": "3"}', " ", "{}"])
async def test_an_answer_that_is_not_the_output_is_a_turn_that_broke(answer: str) -> None:
    """docs/agents.md: `bad_output`, what was shown and spent kept, what was wrong with it for operators."""
    agent = scripted(f"text: {answer}\nusage: 10 5", retries=Retries(attempts=2, first_wait_s=0)).with_output(POINT)
    with pytest.raises(RunFailedError) as failed:
        await agent.run("hi")
    result = failed.value.result
    assert (result.error.code, result.error.error_class, result.error.retryable) == ("bad_output", "model", True)
    assert (result.text, result.output, result.usage.output_tokens) == (answer, None, 5)
    assert isinstance(failed.value.__cause__, ModelOutputError)
    assert failed.value.__cause__.detail


@pytest.mark.requirement("OUTPUT-misfit")
async def test_an_answer_that_is_not_the_output_may_be_taken_back_and_asked_for_again():
    """docs/agents.md: where the plan allows it after visible output, and openly."""
    agent = scripted(
        'text: It is 3.\n--- again\ntext: {"x": 3}', retries=Retries(after_output=True, first_wait_s=0)
    ).with_output(POINT)
    events = await all_events(agent)
    assert kinds(events).count("retracted") == 1
    closing = events[-1]
    assert isinstance(closing, ev.Done)
    assert (closing.outcome.text, closing.outcome.output) == ('{"x": 3}', {"x": 3})


@pytest.mark.requirement("OUTPUT-outcome")
@pytest.mark.parametrize(
    ("script", "code"),
    [
        ('text: {"x": 3}\nfinish: length', "length"),
        ('text: {"x": 3}\nfinish: content_filter', "content_filter"),
        ('text: {"x": 3}\ndamage: two calls in one', "model_garbled"),
        ('text: {"x": 3}\neof', "upstream_truncated"),
    ],
)
async def test_a_turn_that_was_cut_ends_as_it_always_did(script: str, code: str) -> None:
    """docs/agents.md: an output is a whole answer's."""
    with pytest.raises(RunFailedError) as failed:
        await scripted(script).with_output(POINT).run("hi")
    assert (failed.value.result.error.code, failed.value.result.output) == (code, None)


@pytest.mark.requirement("OUTPUT-outcome")
async def test_the_model_is_told_what_its_answer_has_to_be():
    """docs/agents.md: behind the instructions; an agent without an output is told nothing of it."""
    script = 'text: {"x": 3}'
    for agent, blocks in ((scripted(script).with_output(POINT), 1), (scripted(script), 0)):
        await agent.run("hi")
        told = model_of(agent).asks[0].prompt.system_blocks
        assert (len(told), "JSON schema" in "".join(told)) == (blocks, bool(blocks))
