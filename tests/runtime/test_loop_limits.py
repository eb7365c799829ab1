"""How far a run may go: each limit, and what it must not be blamed for."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from tests.runtime.agents import (
    all_events,
    all_of,
    closes_well,
    kinds,
    read,
    scripted,
    task_of,
)
from treadle.app.agent import Agent
from treadle.errors import RunFailedError
from treadle.plan.tools import tool
from treadle.testing.virtual_time import run_virtually
from treadle.values import events as ev
from treadle.values.limits import Limits
from treadle.values.model import TEXT, ModelTurn, TurnEnded

FIRST_ROUND = 'text: Let me |see.\ncall: add {"a": 1, "b": 2}\nusage: 10 5'
CALL = 'text: Let me |see.\ncall: add {"a": 1, "b": 2}\nusage: 10 5\n---\ntext: It is 3.\nusage: 20 4'


def test_a_model_that_falls_silent_is_given_up():
    """Stall: no byte for so long; asked again where nothing was shown, else the partial is kept."""

    async def main() -> None:
        limits = Limits(stall_s=10)
        healed = await scripted("hang\n--- again\ntext: ok", limits=limits).run("hi")
        assert healed.text == "ok"
        events = await all_events(scripted("text: par\nhang", limits=limits))
        closing = events[-1]
        assert isinstance(closing, ev.Error)
        assert (closing.code, closing.termination, closing.outcome.text) == ("stalled", "stalled", "par")

    run_virtually(main())


def test_a_read_that_says_nothing_is_a_sign_of_life():
    """Stall: bytes came, be it that they hold no piece of an answer; a provider that keeps a line open does that."""

    class Breathes:
        name = "breathes"

        async def ask(self, _):
            yield [(TEXT, "a")]
            for _ in range(5):
                await asyncio.sleep(8)
                yield []
            yield [TurnEnded(turn=ModelTurn(text="a"))]

        async def aclose(self):
            pass

    async def main() -> None:
        assert (await Agent(name="a", model=Breathes(), limits=Limits(stall_s=10)).run("hi")).text == "a"

    run_virtually(main())


@pytest.mark.parametrize("after", ["", "again"])
def test_a_model_that_holds_on_does_not_hold_up_a_stop(after):
    """Promise 6: Stop ends a run within a second, also where a connection closes slowly or a cancel is swallowed."""

    class HoldsOn:
        name = "holds_on"

        async def ask(self, _):
            yield [(TEXT, "par")]
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                await asyncio.sleep(60)
                if not after:
                    raise
            finally:
                await asyncio.sleep(60)

        async def aclose(self):
            pass

    async def main() -> None:
        loop = asyncio.get_running_loop()
        async with Agent(name="a", model=HoldsOn()).events("hi") as run:
            await read(run, 3)
            begun_s = loop.time()
            await run.cancel()
            events = await all_of(run)
        assert (events[-1].kind, events[-1].outcome.text) == ("cancelled", "par")
        assert loop.time() - begun_s < 1.0

    run_virtually(main())


def test_a_stop_that_insists_leaves_the_task_of_the_run_uncancelled() -> None:
    """`asyncio`: whoever cancels a task takes that back, each time, or the task's next wait is taken for cancelled."""

    class SlowThenEnds:
        name = "slow"

        async def ask(self, _):
            yield [(TEXT, "par")]
            for _ in range(4):
                with suppress(asyncio.CancelledError):
                    await asyncio.Event().wait()
            yield [TurnEnded(turn=ModelTurn(text="par"))]

        async def aclose(self):
            pass

    async def main() -> None:
        async with Agent(name="a", model=SlowThenEnds()).events("hi") as run:
            await read(run, 3)
            await run.cancel()
            task = task_of(run)
            events = await all_of(run)
            await asyncio.wait([task])
        assert events[-1].kind == "done"
        assert (task.cancelled(), task.cancelling()) == (False, 0)

    run_virtually(main())


def test_the_wall_clock_ends_a_run_that_asks_and_one_that_calls():
    """D29d, D34: enforced while waiting, each with the partial result."""

    @tool(timeout_s=10_000)
    async def slow() -> str:
        """Run for ever."""
        await asyncio.Event().wait()
        return "never"

    async def main() -> None:
        limits = Limits(wall_clock_s=30, stall_s=None)
        for script in ("text: par\nhang", "text: par\ncall: slow {}"):
            events = await all_events(scripted(script, tools=[slow], limits=limits))
            closing = events[-1]
            assert isinstance(closing, ev.Error)
            assert (closing.code, closing.error_class) == ("limit_wall_clock", "limit")
            assert closing.outcome.text == "par"
            assert closes_well(events)

    run_virtually(main())


async def test_a_model_that_never_waits_is_held_to_its_output_limit():
    """D34: a model that never awaits is stopped all the same."""

    class Flood:
        name = "flood"

        async def ask(self, _):
            while True:
                yield [(TEXT, "x" * 100)]

        async def aclose(self):
            pass

    agent = Agent(name="a", model=Flood(), limits=Limits(output_bytes=100_000))
    with pytest.raises(RunFailedError) as failed:
        await agent.run("hi")
    result = failed.value.result
    assert result.error.code == "limit_output_bytes"
    assert 100_000 <= len(result.text) <= 200_000


@pytest.mark.parametrize("pieces", [["x" * 10] * 3, ["x" * 5000], ["x" * 10] * 300])
@pytest.mark.parametrize("read", [True, False])
async def test_the_output_limit_holds_for_few_and_for_large_pieces_read_or_not(pieces, read):
    """D34: `run`, `stream` and `events` agree, whatever the size of the pieces."""
    agent = scripted("text: " + "|".join(pieces), limits=Limits(output_bytes=20))
    if read:
        closing = (await all_events(agent))[-1]
        assert isinstance(closing, ev.Error)
        assert closing.code == "limit_output_bytes"
    else:
        with pytest.raises(RunFailedError) as failed:
            await agent.run("hi")
        assert failed.value.result.error.code == "limit_output_bytes"


async def test_a_large_argument_text_is_output_too():
    """D34: a call that is larger than the output may be does not run."""
    script = 'call: add {"a": 1, "b": 2, "c": "' + "x" * 500 + '"}'
    events = await all_events(scripted(script, limits=Limits(output_bytes=99)))
    assert events[-1].code == "limit_output_bytes"
    assert "tool_call" not in kinds(events)


def test_a_slow_reader_does_not_make_its_model_silent():
    """Promise 12: who waits for a reader does not listen; the model is not blamed for it."""

    async def main() -> None:
        script = "text: " + "|".join("x" * 300)
        async with scripted(script, limits=Limits(stall_s=1)).events("hi") as run:
            await read(run, 5)
            await asyncio.sleep(30)
            rest = await all_of(run)
        assert rest[-1].kind == "done"
        assert run.result.text == "x" * 300

    run_virtually(main())


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        (Limits(rounds=2), "limit_rounds"),
        (Limits(tool_calls=2), "limit_tool_calls"),
        (Limits(tokens=25), "limit_tokens"),
    ],
)
async def test_each_limit_ends_the_run_with_its_own_code(limits, code):
    """D23, D35: an explicit reason; every announced call has its result."""
    events = await all_events(scripted("\n---\n".join([FIRST_ROUND] * 9), limits=limits))
    closing = events[-1]
    assert isinstance(closing, ev.Error)
    assert (closing.code, closing.termination) == (code, code)
    assert kinds(events).count("tool_announced") == kinds(events).count("tool_result")
    assert closes_well(events)
