"""An attached run: however its reader leaves, the run ends, and what was shown is kept."""

from __future__ import annotations

import asyncio
import contextvars
import gc
from collections.abc import AsyncIterator

import pytest

from tests.runtime.agents import (
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
    until,
)
from treadle.errors import StateError
from treadle.plan.tools import tool
from treadle.testing.virtual_time import run_virtually
from treadle.values import events as ev
from treadle.values.requests import TurnMessage, UserMessage

LONG = "text: " + "|".join(f"w{number} " for number in range(300)) + "\ngate: more\ntext: end"
WAITS = "text: Par|tial\nhang"


async def test_a_run_read_to_its_end_closes_once():
    """Promise 2: one closing event, last."""
    events = await all_events(scripted("text: Hel|lo"))
    assert kinds(events) == ["run_started", "round_started", "text_delta", "text_delta", "round_ended", "done"]
    assert closes_well(events)


async def test_breaking_out_of_the_loop_cancels_the_run_and_keeps_what_was_shown():
    """Law 10: leaving the block cancels the run, partial kept (BR-016, BR-175)."""
    agent = scripted(WAITS)
    async with agent.events("hi") as run:
        async for event in run:
            if event.kind == "text_delta":
                break
    assert (run.result.outcome, run.result.text) == ("cancelled", "Partial")
    assert model_of(agent).open_streams == 0


async def test_an_exception_in_the_block_cancels_the_run_and_goes_through():
    """Law 10: leaving by an exception is leaving."""
    agent = scripted(WAITS)
    run = agent.events("hi")

    async def fails() -> None:
        async with run:
            await read(run, 3)
            raise LookupError

    with pytest.raises(LookupError):
        await fails()
    assert run.result.outcome == "cancelled"
    assert model_of(agent).open_streams == 0


async def test_leaving_before_the_first_step_ends_the_run():
    """Ours (T40): a run that nobody read a step of ends as well."""
    agent = scripted(WAITS)
    async with agent.events("hi") as run:
        pass
    assert (run.result.outcome, run.result.text) == ("cancelled", "")
    assert model_of(agent).open_streams == 0


async def test_a_stream_that_was_never_entered_leaves_nothing_behind():
    """Ours: asking for a stream starts nothing."""
    agent = scripted(WAITS)
    run = agent.events("hi")
    await run.aclose()
    with pytest.raises(StateError):
        _ = run.result
    assert model_of(agent).asks == []


async def test_a_stream_cannot_be_read_before_it_is_entered():
    """Ours: the error says how it is used."""
    with pytest.raises(StateError, match="async with"):
        aiter(scripted("text: x").events("hi"))


async def test_a_stream_is_entered_once():
    """Ours: a second run needs a second stream."""
    run = scripted("text: x").events("hi")
    async with run:
        with pytest.raises(StateError, match="once"):
            await run.__aenter__()


async def test_closing_from_another_task_ends_a_reader_that_waits():
    """The reader ends in good order, with the closing event (`hot-path`: own task)."""
    run = scripted(WAITS).events("hi")
    async with run:
        reader = asyncio.create_task(all_of(run))
        await until(lambda: inside(run).runs.waiters)
        await run.aclose()
        events = await reader
    assert closes_well(events)
    assert events[-1].kind == "cancelled"


async def test_closing_from_another_task_while_nobody_reads_ends_the_run():
    """Ours: the run is not the reader's to end alone."""
    run = scripted(WAITS).events("hi")
    async with run:
        await read(run, 3)
        await asyncio.create_task(run.aclose())
        assert run.result.outcome == "cancelled"


async def test_cancelling_the_task_that_reads_ends_the_run_before_the_block_is_left():
    """Ours: nothing is left when the block is left, however it is left."""
    agent = scripted(WAITS)
    run = agent.events("hi")

    async def reading() -> None:
        async with run:
            await all_of(run)

    task = asyncio.create_task(reading())
    await until(lambda: inside(run).runs.waiters)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (run.result.outcome, run.result.text) == ("cancelled", "Partial")
    assert model_of(agent).open_streams == 0


def test_a_timeout_round_one_step_loses_and_doubles_nothing():
    """BR-205: a wait that ends early leaves the stream whole, three times over."""

    async def main() -> None:
        agent = scripted("text: a|b\ngate: go\ntext: c")
        async with agent.events("hi") as run:
            steps, events = aiter(run), []
            events += [await anext(steps) for _ in range(4)]
            for _ in range(3):
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.2):
                        await anext(steps)
            model_of(agent).open_gate("go")
            events += [event async for event in steps]
        assert closes_well(events)
        assert text_of(events) == "abc"

    run_virtually(main())


def test_a_timeout_round_the_whole_block_ends_the_run():
    """Ours, for every caller with a deadline: `asyncio.timeout` round the block is leaving it."""

    async def main() -> None:
        agent = scripted(WAITS)
        run = agent.events("hi")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5), run:
                await all_of(run)
        assert (run.result.outcome, run.result.text) == ("cancelled", "Partial")
        assert model_of(agent).open_streams == 0

    run_virtually(main())


async def test_a_second_iteration_goes_on_where_the_first_stopped():
    """Ours: the place is the cursor's."""
    async with scripted("text: a|b|c").events("hi") as run:
        first = await read(run, 3)
        second = [event async for event in run]
    assert closes_well([*first, *second])


async def test_a_run_goes_no_further_than_its_reader_allows():
    """Law 10: never more than 64 events ahead of its reader."""
    agent = scripted(LONG)
    async with agent.events("hi") as run:
        await read(run, 1)
        for _ in range(200):
            await asyncio.sleep(0)
        assert inside(run).runs.next <= 1 + 64 + 64


async def test_context_variables_of_the_run_stay_inside():
    """BR-174, BR-177: a tool sees its caller's values, and the caller none of the tool's."""
    seen: list[str] = []
    user: contextvars.ContextVar[str] = contextvars.ContextVar("user", default="nobody")

    @tool
    async def who() -> str:
        """Say who asks."""
        seen.append(user.get())
        user.set("changed")
        return "ok"

    user.set("U")
    await all_events(scripted("call: who {}\n---\ntext: x", tools=[who]))
    assert seen == ["U"]
    assert user.get() == "U"


async def test_cancel_asks_the_run_to_stop_and_the_stream_goes_on_to_its_end():
    """Ours: Stop is an input, not the end of reading; a second one does nothing."""
    async with scripted(WAITS).events("hi") as run:
        events = await read(run, 4)
        await run.cancel("enough")
        await run.cancel()
        events += [event async for event in run]
    assert closes_well(events)
    assert isinstance(events[-1], ev.Cancelled)
    assert events[-1].reason == "enough"


async def test_cancelling_the_close_does_not_keep_the_run_alive():
    """Ours: the run ends even where the wait for its end is given up."""

    @tool
    async def stubborn() -> str:
        """Hold on for a moment."""
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
        return "never"

    agent = scripted("call: stubborn {}\n---\ntext: x", tools=[stubborn])
    run = agent.events("hi")
    await run.__aenter__()
    await read(run, 3)
    closing = asyncio.create_task(run.aclose())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    await run.aclose()
    assert run.result.outcome == "cancelled"


async def test_a_run_that_is_dropped_warns_and_ends():
    """Rule of the handle: a dropped run is noticed, and does not wait at its bound for ever."""
    agent = scripted(LONG)
    run = agent.events("hi")
    await run.__aenter__()
    await read(run, 1)
    task = task_of(run)
    held = [run]
    del run
    with pytest.warns(ResourceWarning, match="dropped before its end"):
        held.clear()
    gc.collect()
    await asyncio.wait([task])
    assert model_of(agent).open_streams == 0


async def test_the_result_has_the_history_to_go_on_with():
    """Ours: the next turn is told what was said in this one, a cut turn as its shown text."""
    async with scripted(WAITS).events("hi") as run:
        await read(run, 4)
    asked, said = run.result.messages
    assert asked == UserMessage(text="hi")
    assert isinstance(said, TurnMessage)
    assert (said.turn.text, said.cut) == ("Partial", True)


async def test_a_run_whose_answer_is_not_read_goes_on_to_its_end():
    """Ours: waiting without reading bounds nothing."""
    async with scripted("text: " + "|".join("x" * 2000)).events("hi") as run:
        await run.wait()
        assert len(run.result.text) == 2000


async def test_a_cancel_before_the_block_is_entered_is_kept():
    """Ours: Stop is never lost."""
    run = scripted("text: x").events("hi")
    await run.cancel("early")
    async with run:
        events = await all_of(run)
    assert [events[-1].kind, events[-1].reason] == ["cancelled", "early"]


async def test_calls_that_tell_how_far_they_are_side_by_side_all_go_on():
    """Law 10: each of them waits where the reader is far behind, and each is let go on."""

    @tool
    async def steps() -> AsyncIterator[int]:
        """Tell many steps."""
        for number in range(200):
            await asyncio.sleep(0)
            yield number

    async with scripted("call: steps {}\ncall: steps {}\n---\ntext: x", tools=[steps]).events("hi") as run:
        events = await read(run, 1)
        for _ in range(1000):
            await asyncio.sleep(0)
        assert inside(run).runs.is_full
        events += await all_of(run)
    assert closes_well(events)
    assert [event.outcome.content for event in events if isinstance(event, ev.ToolResult)] == [199, 199]
