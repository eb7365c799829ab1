"""Runs that outlive their readers and their process: started, watched, stopped."""

from __future__ import annotations

import asyncio

import pytest

from tests.runtime.agents import closes_well, kinds, model_of, scripted, text_of
from tests.runtime.puppets import Puppet
from tests.runtime.stores import (
    GATED,
    ROUNDS,
    LoopClock,
    StoreInHand,
    World,
    cursors,
    everywhere,
    pass_time,
    paying,
    seen,
    until,
    virtually,
    watched,
)
from treadle.adapters.models.scripted import ScriptedModel
from treadle.adapters.stores.memory import MemoryStore
from treadle.app.agent import Agent
from treadle.app.runner import Runner
from treadle.errors import CursorError, KeyReusedError, PlanError, RunNotFoundError, StateError
from treadle.plan.tools import tool
from treadle.testing.stream_check import check_stream
from treadle.values import events as ev
from treadle.values.requests import TurnMessage, UserMessage
from treadle.values.runs import RunStatus


@pytest.mark.requirement("RUNNER-start")
@everywhere
async def test_a_started_run_goes_to_its_end_and_tells_all_of_it(world: World) -> None:
    """Ours, an example: `start`, `watch`, `get`, with the names that are promised."""
    async with world.runner(scripted(ROUNDS)) as runner:
        run = await runner.start("a", "1+2?", thread_id="t1", key="k1", on_disconnect="continue")
        events = await watched(runner, run.run_id, after=None)
        state = await runner.get(run.run_id)
    assert closes_well(events)
    assert check_stream(events) == []
    assert (run.thread_id, run.is_new, run.state) == ("t1", True, RunStatus.READY)
    assert (state.state, state.thread_id) == (RunStatus.DONE, "t1")
    assert (state.text, state.answer) == ("Let me see. It is 3.", "It is 3.")
    assert state.outcome is not None
    assert state.outcome.text == text_of(events)
    assert (state.usage.input_tokens, state.usage.output_tokens) == (30, 12)
    assert state.events == len(events)


@pytest.mark.requirement("RUNNER-key", "BR-027")
@everywhere
async def test_a_start_that_is_repeated_joins_the_run(world: World) -> None:
    """BR-027: a client posts the same request again and again; one run, the same events each time."""
    agent = scripted(ROUNDS)
    async with world.runner(agent) as runner:
        first = await runner.start("a", "1+2?", key="k")
        events = await watched(runner, first.run_id)
        for _ in range(2):
            again = await runner.start("a", "1+2?", key="k")
            assert (again.run_id, again.is_new, again.state) == (first.run_id, False, RunStatus.DONE)
            assert again.thread_id == first.thread_id
            assert await watched(runner, again.run_id) == events
    assert len(model_of(agent).asks) == 2


@pytest.mark.requirement("RUNNER-key")
@everywhere
async def test_a_key_stands_for_one_request(world: World) -> None:
    """Ours: another payload under the same key is refused; the rules of leaving and of busy threads are no payload."""
    async with world.runner(scripted("text: ok")) as runner:
        first = await runner.start("a", "1+2?", key="k", thread_id="t")
        for other in ({"prompt": "2+2?"}, {"thread_id": "u"}, {"properties": {"x": 1}}):
            with pytest.raises(KeyReusedError):
                await runner.start("a", **{"prompt": "1+2?", "thread_id": "t", "key": "k", **other})
        joined = await runner.start("a", "1+2?", key="k", thread_id="t", on_disconnect="cancel", on_busy="queue")
        assert joined.run_id == first.run_id


@pytest.mark.requirement("RUNNER-key")
@virtually
async def test_starts_at_the_same_moment_make_one_run() -> None:
    """Ours: two clicks on one button."""
    async with Runner([scripted(ROUNDS)]) as runner:
        runs = await asyncio.gather(*[runner.start("a", "1+2?", key="k") for _ in range(10)])
        assert len({run.run_id for run in runs}) == 1
        assert [run.is_new for run in runs].count(True) == 1


@pytest.mark.requirement("RUNNER-key")
@virtually
async def test_scopes_share_nothing() -> None:
    """Design §6: the scope is part of every key; a foreign run is not found."""
    world = World()
    agent = scripted("text: ok")
    async with world.runner(agent, scope="alice") as alice, world.runner(agent, scope="bob") as bob:
        hers = await alice.start("a", "hi", key="k", thread_id="t")
        his = await bob.start("a", "other", key="k", thread_id="t")
        await watched(alice, hers.run_id)
        for ask in (bob.get(hers.run_id), bob.cancel(hers.run_id), bob.wait(hers.run_id), watched(bob, hers.run_id)):
            with pytest.raises(RunNotFoundError):
                await ask
        assert [run.run_id for run in await bob.runs()] == [his.run_id]
        assert not await bob.delete(hers.run_id)


@pytest.mark.requirement("RUNNER-refuses")
@virtually
async def test_all_that_is_wrong_with_a_start_is_told_at_once() -> None:
    """Ours: an unknown agent, a blank prompt, rules that are none; nothing is started."""
    async with Runner([scripted("text: ok")]) as runner:
        with pytest.raises(PlanError) as refused:
            await runner.start("b", " ", on_disconnect="continue 5 minutes", on_busy="wait")
        assert len(refused.value.problems) == 4
        assert await runner.runs() == []


@pytest.mark.requirement("RUNNER-refuses")
@virtually
async def test_a_runner_is_used_inside_its_block() -> None:
    """Ours: before and after it there is no store to speak of."""
    runner = Runner([scripted("text: ok")])
    with pytest.raises(StateError):
        await runner.start("a", "hi")
    async with runner:
        run = await runner.start("a", "hi")
        await watched(runner, run.run_id)
    with pytest.raises(StateError):
        await runner.get(run.run_id)
    with pytest.raises(PlanError):
        Runner([scripted("text: a"), scripted("text: b")])
    with pytest.raises(PlanError):
        async with Runner([scripted("text: a")], store="redis://here"):
            pass


@pytest.mark.requirement("RUNNER-watch", "BR-020", "BR-021", "BR-024")
@everywhere
async def test_a_reader_goes_on_from_any_event(world: World) -> None:
    """BR-020, BR-024: whatever the cursor, what follows comes once, the final event last, and the stream ends."""
    async with world.runner(scripted(ROUNDS)) as runner:
        run = await runner.start("a", "1+2?")
        whole = await watched(runner, run.run_id)
        for at, cursor in enumerate(await cursors(runner, run.run_id)):
            assert await watched(runner, run.run_id, after=cursor) == whole[at + 1 :]


@pytest.mark.requirement("RUNNER-watch", "BR-020", "BR-021", "BR-023", "BR-007")
@everywhere
async def test_readers_that_leave_and_come_back_at_every_event_miss_nothing(world: World) -> None:
    """BR-021, BR-023: three readers at once; one never leaves, one leaves after each event, one after every third."""

    async def reading(runner: Runner, run_id: str, most: int | None) -> list[ev.KernelEvent]:
        had: list[ev.KernelEvent] = []
        cursor = None
        while not had or not isinstance(had[-1], ev.FINAL_TYPES):
            records = runner.watch(run_id, after=cursor)
            count = 0
            async for record in records:
                had.append(record.event)
                cursor = record.cursor
                count += 1
                if count == most:
                    break
            await records.aclose()
        return had

    async with world.runner(scripted(ROUNDS)) as runner:
        run = await runner.start("a", "1+2?")
        one, two, three = await asyncio.gather(*[reading(runner, run.run_id, most) for most in (None, 1, 3)])
    assert one == two == three
    assert closes_well(one)


@pytest.mark.requirement("RUNNER-watch", "BR-023")
@everywhere
async def test_a_reader_who_stands_on_the_last_event_is_told_at_once_that_there_is_no_more(world: World) -> None:
    """BR-023: the run ended while the client was away; it does not wait for ever."""
    async with world.runner(scripted("text: ok")) as runner:
        run = await runner.start("a", "hi")
        last = (await watched(runner, run.run_id), await cursors(runner, run.run_id))[1][-1]
        assert await watched(runner, run.run_id, after=last) == []


@pytest.mark.requirement("RUNNER-cursor")
@everywhere
async def test_a_cursor_of_no_log_is_refused(world: World) -> None:
    """Ours: malformed, ahead of the log, or of another epoch; never silent divergence (design §6)."""
    async with world.runner(scripted("text: ok")) as runner:
        run = await runner.start("a", "hi")
        await watched(runner, run.run_id)
        epoch, last = (await cursors(runner, run.run_id))[-1].split(":")
        resets = {
            "x": None,
            "1": None,
            "1:-1": None,
            "1:٣": None,
            f"{epoch}:{'9' * 5000}": None,
            f"{epoch}:{int(last) + 1}": f"{epoch}:{last}",
            f"{int(epoch) + 1}:0": None,
            f"{int(epoch) - 1}:0": None,
        }
        for cursor, reset_to in resets.items():
            with pytest.raises(CursorError) as refused:
                await watched(runner, run.run_id, after=cursor)
            assert refused.value.reset_to == reset_to, cursor
        with pytest.raises(RunNotFoundError):
            await watched(runner, "r_none")
        with pytest.raises(PlanError):
            await watched(runner, run.run_id, to_end_of="thread")


@pytest.mark.requirement("RUNNER-segment", "BR-081")
@everywhere
async def test_a_reader_of_a_segment_ends_with_its_pause(world: World) -> None:
    """Design §8, BR-081: the pause closes the segment; whoever comes later is told the same pause and ends too."""
    async with world.runner(paying()) as runner:
        run = await runner.start("a", "pay", thread_id="t")
        events = await watched(runner, run.run_id, to_end_of="segment")
        assert isinstance(events[-1], ev.Interrupt)
        records = [record async for record in runner.watch(run.run_id, to_end_of="segment")]
        assert [record.event for record in records] == events
        assert await watched(runner, run.run_id, after=records[-1].cursor, to_end_of="segment") == []
        state = await runner.get(run.run_id)
        assert (state.state, state.pending) == (RunStatus.WAITING, events[-1].pending)
        assert (await runner.wait(run.run_id)).state is RunStatus.WAITING


@pytest.mark.requirement("RUNNER-cancel", "BR-026", "BR-016", "BR-017")
@everywhere
async def test_stop_ends_a_run_whose_reader_came_back(world: World) -> None:
    """BR-026: connect, drop, come back, stop: one `cancelled`, the partial answer kept."""
    agent = scripted(GATED)
    async with world.runner(agent) as runner:
        run = await runner.start("a", "1+2?")
        cursor = await seen(runner, run.run_id, "text_delta")
        rest = asyncio.create_task(watched(runner, run.run_id, after=cursor))
        assert await runner.cancel(run.run_id, reason="stop")
        events = await rest
        assert kinds(events) == ["round_ended", "cancelled"]
        assert events[-1].reason == "stop"
        assert not await runner.cancel(run.run_id)
        state = await runner.get(run.run_id)
        assert (state.state, state.text) == (RunStatus.CANCELLED, "It ")
        assert closes_well(await watched(runner, run.run_id))


@pytest.mark.requirement("RUNNER-cancel", "BR-013")
@virtually
async def test_after_a_stop_nothing_that_the_model_goes_on_to_say_is_shown() -> None:
    """BR-013: fifty pieces that come with the stop are not handed on; the end comes at once."""
    model, loop = Puppet(), asyncio.get_running_loop()
    async with Runner([Agent(name="a", model=model)], store=MemoryStore(LoopClock())) as runner:
        run = await runner.start("a", "hi")
        reading = asyncio.create_task(watched(runner, run.run_id))
        await until(lambda: bool(model.open))
        model.open[0].say("a")
        await seen(runner, run.run_id, "text_delta")
        stopped_s, asked = loop.time(), model.open[0]
        assert await runner.cancel(run.run_id)
        for _ in range(50):
            asked.say("x")
        events = await reading
    assert loop.time() == stopped_s
    assert kinds(events)[-3:] == ["text_delta", "round_ended", "cancelled"]
    assert text_of(events) == "a"


@pytest.mark.requirement("RUNNER-cancel", "BR-016")
@everywhere
async def test_the_first_end_wins(world: World) -> None:
    """BR-016, BR-144: a run that is done stays done, and a stop that came too late is told so."""
    async with world.runner(scripted("text: ok")) as runner:
        run = await runner.start("a", "hi")
        await watched(runner, run.run_id)
        assert not await runner.cancel(run.run_id)
        assert (await runner.get(run.run_id)).state is RunStatus.DONE
        with pytest.raises(RunNotFoundError):
            await runner.cancel("r_none")


@pytest.mark.requirement("RUNNER-cancel", "BR-016")
@pytest.mark.parametrize("is_done_first", [True, False])
@virtually
async def test_a_stop_and_an_end_that_meet_make_one_end(*, is_done_first: bool) -> None:
    """BR-016, BR-144: accepted is not cancelled; what is stored first is the end, and nothing follows it."""
    agent, hand = scripted(GATED), StoreInHand(MemoryStore(LoopClock()))
    async with Runner([agent], store=hand) as runner:
        run = await runner.start("a", "1+2?")
        await seen(runner, run.run_id, "text_delta")
        hand.gate.clear()
        if is_done_first:
            model_of(agent).open_gate("go")
            await until(lambda: not model_of(agent).open_streams)
        assert await runner.cancel(run.run_id)
        model_of(agent).open_gate("go")
        await pass_time(2)
        hand.gate.set()
        events = await watched(runner, run.run_id)
        state = await runner.get(run.run_id)
        assert not await runner.cancel(run.run_id)
    assert closes_well(events)
    assert state.state is (RunStatus.DONE if is_done_first else RunStatus.CANCELLED)
    assert state.text == text_of(events) == ("It is 3." if is_done_first else "It ")


@pytest.mark.requirement("RUNNER-cancel")
@virtually
async def test_a_stop_that_comes_while_a_call_is_being_stored_stops_it_before_it_runs() -> None:
    """Ours: the tool never begins, and the model is not told that nobody knows."""

    @tool
    async def pay(euros: int) -> str:
        """Pay somebody."""
        raise AssertionError(f"paid {euros} after the stop")

    script = 'text: So \ngate: go\ncall: pay {"euros": 3}'
    agent, hand = scripted(script, tools=[pay]), StoreInHand(MemoryStore(LoopClock()))
    async with Runner([agent], store=hand) as runner:
        run = await runner.start("a", "1+2?")
        await seen(runner, run.run_id, "text_delta")
        hand.gate.clear()
        model_of(agent).open_gate("go")
        await until(lambda: not model_of(agent).open_streams)
        assert await runner.cancel(run.run_id)
        hand.gate.set()
        began_s = asyncio.get_running_loop().time()
        events = await watched(runner, run.run_id)
        assert asyncio.get_running_loop().time() == began_s
    assert kinds(events)[-4:] == ["tool_call", "stage", "tool_result", "cancelled"]
    assert events[-2].outcome.status == "cancelled"


@pytest.mark.requirement("RUNNER-cancel")
@virtually
async def test_a_stop_before_the_run_is_claimed_asks_no_model() -> None:
    """Ours: accepted at once; the run begins and ends `cancelled`, with one closing event."""
    agent = scripted(ROUNDS)
    async with Runner([agent]) as runner:
        run = await runner.start("a", "1+2?")
        assert await runner.cancel(run.run_id)
        events = await watched(runner, run.run_id)
    assert kinds(events) == ["run_started", "cancelled"]
    assert model_of(agent).asks == []


@pytest.mark.requirement("RUNNER-cancel", "BR-002")
@everywhere
async def test_a_stop_settles_a_call_that_runs(world: World) -> None:
    """BR-002: the call gets a result that says so before the run ends, and the next message finds it in pairs."""
    begun = asyncio.Event()

    @tool
    async def slow() -> str:
        """Never end."""
        begun.set()
        await asyncio.Event().wait()
        return "never"

    agent = scripted("call: slow {}\n---\ntext: ok", tools=[slow])
    async with world.runner(agent) as runner:
        run = await runner.start("a", "1+2?", thread_id="t")
        await begun.wait()
        assert await runner.cancel(run.run_id)
        events = await watched(runner, run.run_id)
        assert events[-2].outcome.status == "cancelled"
        following = await runner.start("a", "next", thread_id="t")
        await seen(runner, following.run_id, "tool_call")
        await runner.cancel(following.run_id)
    told = model_of(agent).asks[-1].prompt.history
    assert [type(message) for message in told] == [UserMessage, TurnMessage]
    assert [outcome.status for outcome in told[1].outcomes] == ["cancelled"]


@pytest.mark.requirement("RUNNER-cancel")
@everywhere
async def test_a_run_that_waits_for_a_person_can_be_stopped(world: World) -> None:
    """Ours: it holds no worker; the stop brings one, which opens a segment that only ends (EV-3)."""
    async with world.runner(paying()) as runner:
        run = await runner.start("a", "pay")
        await runner.wait(run.run_id)
        assert await runner.cancel(run.run_id)
        events = await watched(runner, run.run_id)
    assert kinds(events)[-4:] == ["interrupt", "resumed", "tool_result", "cancelled"]
    assert [event.index for event in events] == list(range(len(events)))


@pytest.mark.requirement("RUNNER-cancel")
@virtually
async def test_a_stop_from_another_runner_is_heard_within_a_second() -> None:
    """Promise 6: Stop stops a run wherever it runs."""
    world = World()
    async with world.runner(scripted(GATED)) as here:
        run = await here.start("a", "1+2?")
        await seen(here, run.run_id, "text_delta")
        async with world.runner(Agent(name="b", model=ScriptedModel.from_text("text: b"))) as there:
            began_s = asyncio.get_running_loop().time()
            assert await there.cancel(run.run_id)
            assert kinds(await watched(there, run.run_id))[-1] == "cancelled"
            assert asyncio.get_running_loop().time() - began_s <= 1.3
