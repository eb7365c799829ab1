"""A process dies at any moment; another goes on from the log."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.runtime.agents import kinds, model_of, scripted
from tests.runtime.stores import (
    LoopClock,
    StoreInHand,
    World,
    everywhere,
    log_of,
    paying,
    seen,
    until,
    virtually,
    watched,
)
from treadle.adapters.models.scripted import ScriptedModel
from treadle.adapters.stores.memory import MemoryStore
from treadle.app import runner as runner_module
from treadle.app.agent import Agent
from treadle.app.runner import Runner
from treadle.kernel.takeover import SILENT_OWNERS, TAKEOVERS
from treadle.plan.tools import tool
from treadle.runtime import appender
from treadle.runtime.shown_so_far import ShownSoFar
from treadle.runtime.supervisor import LEASE_S
from treadle.testing.stream_check import check_stream
from treadle.testing.virtual_time import run_virtually
from treadle.values import events as ev
from treadle.values.events import CLOSING_TYPES, KernelEvent
from treadle.values.limits import Limits
from treadle.values.runs import RunStatus
from treadle.values.usage import UsageDelta

SCRIPTS = {
    "text": ("text: It |is |3.", "It is 3."),
    "thinking": ("think: Hm|m.\ntext: It |is 3.\nusage: 10 5", "It is 3."),
    "think tags": ("text: A<th|ink>sec|ret</thi|nk>B|C", "ABC"),
    "two rounds": (
        'text: Let me |see. \ncall: pay cut=3 {"euros": 3}\nusage: 10 5\n---\ntext: It |is 3.',
        "Let me see. It is 3.",
    ),
    "parallel calls": (
        'text: Now. \ncall: pay {"euros": 3}\ncall: look {"at": "x"}\ncall: pay {"euros": 4}\n---\ntext: All |done.',
        "Now. All done.",
    ),
    "progress": ('call: climb {"upto": 3}\n---\ntext: Up.\ncall: climb {"upto": 1}\n---\ntext:  There.', "Up. There."),
}


@dataclass
class Deeds:
    """Tools that count what they did, over all processes."""

    done: Counter[str] = field(default_factory=Counter)

    @property
    def tools(self) -> Sequence[Any]:
        """One with a side effect, one that may be repeated, one that tells how far it is."""
        done = self.done

        @tool
        async def pay(euros: int) -> str:
            """Pay somebody."""
            done[f"pay {euros}"] += 1
            await asyncio.sleep(0)
            return "paid"

        @tool(idempotent=True)
        async def look(at: str) -> str:
            """Look at something."""
            done[f"look {at}"] += 1
            return "seen"

        @tool
        async def climb(upto: int) -> AsyncGenerator[int, None]:
            """Climb, and say each step."""
            done[f"climb {upto}"] += 1
            for number in range(upto + 1):
                yield number

        return pay, look, climb


@dataclass
class Life:
    """What was seen of a run that died once and went on."""

    before: list[KernelEvent]
    after: list[KernelEvent]
    stored: list[KernelEvent]
    text: str
    usage: UsageDelta
    died: bool


async def lived(script: str, deeds: Deeds, die_at: tuple[int, bool]) -> Life:
    """One run whose first process dies at an append, before it is written or right after."""
    store = MemoryStore(LoopClock())
    hand = StoreInHand(store, die_at=die_at)
    before: list[KernelEvent] = []
    cursor: str | None = None

    def agent() -> Agent:
        return Agent(name="a", model=ScriptedModel.from_text(script, yields=True), tools=deeds.tools)

    async with Runner([agent()], store=hand, drain_s=0) as first:
        run = await first.start("a", "1+2?")

        async def read() -> None:
            nonlocal cursor
            async for record in first.watch(run.run_id):
                before.append(record.event)
                cursor = record.cursor

        reading = asyncio.create_task(read())
        dead = asyncio.create_task(hand.dead.wait())
        await asyncio.wait([reading, dead], return_when=asyncio.FIRST_COMPLETED)
        for task in (reading, dead):
            task.cancel()
        await asyncio.wait([reading, dead])
    async with Runner([agent()], store=store) as second:
        after = await watched(second, run.run_id, after=cursor)
        state = await second.get(run.run_id)
    stored = await log_of(store, run.run_id)
    return Life(before, after, stored, state.text, state.usage, hand.dead.is_set())


def told(events: Sequence[KernelEvent]) -> str:
    """The text that a reader has in the end, retractions obeyed."""
    shown = ShownSoFar()
    for event in events:
        shown.add(event)
    return shown.text


def sound(life: Life, full: str) -> None:
    """What holds of any run, wherever its worker died."""
    assert life.before + life.after == life.stored
    assert [event.index for event in life.stored] == list(range(len(life.stored)))
    assert check_stream(life.stored) == []
    assert [event for event in life.stored if isinstance(event, CLOSING_TYPES)] == [life.stored[-1]]
    closing = life.stored[-1]
    assert isinstance(closing, ev.Done)
    assert told(life.stored) == closing.outcome.text == life.text == full


@pytest.mark.requirement("RECOVERY-any", "BR-029", "EV-1", "EV-3", "EV-10")
@pytest.mark.parametrize("name", SCRIPTS)
def test_wherever_a_worker_dies_its_run_ends_as_if_it_had_not(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Promise 5: no character missing, none repeated; a tool with side effects runs once at most (promise 8)."""
    # Each piece is an append of its own, so that a worker dies in every place there is.
    monkeypatch.setattr(appender, "TURNS", 0)
    script, full = SCRIPTS[name]
    deaths = 0
    for number in range(200):
        deeds = Deeds()
        lives = [run_virtually(lived(script, deeds, (number, False)))]
        once = [count for deed, count in deeds.done.items() if not deed.startswith("look")]
        assert all(count == 1 for count in once), (number, deeds.done)
        deeds = Deeds()
        lives.append(run_virtually(lived(script, deeds, (number, True))))
        assert all(count == 1 for deed, count in deeds.done.items() if not deed.startswith("look")), number
        for life in lives:
            sound(life, full)
        if not lives[0].died:
            break
        deaths += 1
    assert deaths >= 4


@pytest.mark.requirement("RECOVERY-tools")
@virtually
async def test_a_call_whose_worker_died_is_unknown_and_one_that_may_be_repeated_is() -> None:
    """Promise 8, design §6: the model is told that nobody knows; a declared idempotent call runs again."""
    begun: Counter[str] = Counter()

    def tools(*, hang: bool) -> Sequence[Any]:
        async def work(name: str) -> str:
            begun[name] += 1
            if hang:
                await asyncio.Event().wait()
            return name

        @tool
        async def pay() -> str:
            """Pay."""
            return await work("pay")

        @tool(idempotent=True)
        async def look() -> str:
            """Look."""
            return await work("look")

        return pay, look

    script = "call: pay {}\ncall: look {}\n---\ntext: ok"
    store = MemoryStore(LoopClock())
    async with Runner([scripted(script, tools=tools(hang=True))], store=store, drain_s=0) as first:
        run = await first.start("a", "hi")
        await seen(first, run.run_id, "tool_call", 2)
        await until(lambda: begun.total() == 2)
    agent = scripted(script, tools=tools(hang=False))
    async with Runner([agent], store=store) as second:
        events = await watched(second, run.run_id)
    results = [event.outcome for event in events if isinstance(event, ev.ToolResult)]
    assert [(one.status.value, one.content) for one in results] == [("unknown", None), ("ok", "look")]
    assert begun == {"pay": 1, "look": 2}
    (ask,) = model_of(agent).asks
    assert [outcome.status.value for outcome in ask.turns[0].outcomes] == ["unknown", "ok"]


@pytest.mark.requirement("RECOVERY-bound")
@virtually
async def test_a_run_that_kills_its_workers_ends() -> None:
    """Ours: after so many takeovers of one round `error: worker_lost`, with all that was shown; no attempt measured."""
    store = MemoryStore(LoopClock())
    agent = scripted("text: It \nhang")
    run_id = ""
    for death in range(TAKEOVERS + 1):
        async with Runner([agent], store=store, drain_s=0) as runner:
            run_id = run_id or (await runner.start("a", "1+2?")).run_id
            await seen(runner, run_id, "text_delta", death + 1)
    async with Runner([agent], store=store) as runner:
        events = await watched(runner, run_id)
        state = await runner.get(run_id)
    assert kinds(events).count("retracted") == TAKEOVERS
    assert (state.state, state.error_code) == (RunStatus.ERROR, "worker_lost")
    assert state.text == told(events) == "It "
    assert state.usage == UsageDelta(unmeasured_rounds=TAKEOVERS + 1)
    assert check_stream(events) == []


@pytest.mark.requirement("RECOVERY-bound")
@virtually
async def test_a_run_that_kills_its_workers_before_they_write_ends_too() -> None:
    """Ours: nobody is told anything of it but how it ended."""
    store = MemoryStore(LoopClock())
    agent = scripted("hang")
    hand = StoreInHand(store)
    async with Runner([agent], store=hand, drain_s=0) as runner:
        run_id = (await runner.start("a", "1+2?")).run_id
        await until(lambda: bool(model_of(agent).asks))
        hand.dead.set()
    for death in range(SILENT_OWNERS - 1):
        await asyncio.sleep(LEASE_S + 1)
        hand = StoreInHand(store)
        async with Runner([agent], store=hand, drain_s=0):
            await until(lambda death=death: len(model_of(agent).asks) == death + 2)  # type: ignore[misc]  # bound here
            hand.dead.set()
    await asyncio.sleep(LEASE_S + 1)
    async with Runner([agent], store=store) as runner:
        events = await watched(runner, run_id)
    assert len(model_of(agent).asks) == SILENT_OWNERS
    assert kinds(events) == ["run_started", "error"]
    assert events[-1].code == "worker_lost"
    assert check_stream(events) == []


@pytest.mark.requirement("RECOVERY-clock")
@pytest.mark.parametrize("is_killed", [True, False])
def test_the_wall_clock_of_a_run_goes_on_over_its_owners(*, is_killed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: two minutes at the first owner, an hour without one, and the third minute at the next is the last."""
    monkeypatch.setattr(runner_module, "SystemClock", LoopClock)
    run_virtually(_long_lived(is_killed=is_killed))


async def _long_lived(*, is_killed: bool) -> None:
    limits = Limits(wall_clock_s=180.0, stall_s=None)
    agents = [scripted("text: It\ngate: on\ntext: is\nhang", limits=limits) for _ in range(2)]
    store, loop = MemoryStore(LoopClock()), asyncio.get_running_loop()
    hand = StoreInHand(store)
    async with Runner([agents[0]], store=hand, drain_s=0) as runner:
        run = await runner.start("a", "1+2?")
        reading = asyncio.create_task(seen(runner, run.run_id, "text_delta", 2))
        await asyncio.sleep(120)
        model_of(agents[0]).open_gate("on")
        await reading
        if is_killed:
            hand.dead.set()
    await asyncio.sleep(3600)
    model_of(agents[1]).open_gate("on")
    began_s = loop.time()
    async with Runner([agents[1]], store=store) as runner:
        state = await runner.wait(run.run_id)
    assert state.error_code == "limit_wall_clock"
    assert loop.time() - began_s == pytest.approx(60, abs=1)
    assert state.outcome is not None
    assert state.outcome.duration_ms == pytest.approx(180_000, abs=1000)


@pytest.mark.requirement("RECOVERY-clock")
def test_waiting_for_a_person_is_no_time_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Design, values: waiting is not duration, nor does it count towards the wall clock."""
    monkeypatch.setattr(runner_module, "SystemClock", LoopClock)
    run_virtually(_long_awaited())


async def _long_awaited() -> None:
    async with Runner([paying()], store=MemoryStore(LoopClock())) as runner:
        run = await runner.start("a", "pay")
        waiting = await runner.wait(run.run_id)
        await asyncio.sleep(3600)
        await runner.cancel(run.run_id)
        events = await watched(runner, run.run_id)
    assert waiting.state is RunStatus.WAITING
    assert events[-1].kind == "cancelled"
    assert events[-1].outcome.duration_ms < 60_000


@pytest.mark.requirement("RECOVERY-stop", "BR-001")
@everywhere
async def test_a_stop_for_a_run_without_a_worker_keeps_what_was_shown(world: World) -> None:
    """BR-001: pressed between two processes, Stop does not take the partial answer back to ask for it again."""
    agent = scripted("text: Par|tial\ngate: go")
    async with world.runner(agent, drain_s=0) as first:
        run = await first.start("a", "hi", thread_id="t")
        await seen(first, run.run_id, "text_delta", 2)
    idle = Agent(name="b", model=ScriptedModel.from_text("text: b"))
    async with world.runner(idle) as second:
        assert await second.cancel(run.run_id, reason="stop")
    async with world.runner(agent) as third:
        events = await watched(third, run.run_id)
        state = await third.get(run.run_id)
    assert kinds(events) == ["run_started", "round_started", "text_delta", "text_delta", "round_ended", "cancelled"]
    assert state.text == told(events) == "Partial"
    assert state.usage == UsageDelta(unmeasured_rounds=1)
    assert check_stream(events) == []
    assert len(model_of(agent).asks) == 1


@pytest.mark.requirement("RECOVERY-stop")
@virtually
async def test_a_stop_for_a_lost_call_settles_it_first() -> None:
    """Ours: the call is `unknown`, and the run `cancelled` after it."""

    @tool
    async def pay() -> str:
        """Never end."""
        await asyncio.Event().wait()
        return "never"

    world, agent = World(), scripted("text: So \ncall: pay {}", tools=[pay])
    async with world.runner(agent, drain_s=0) as first:
        run = await first.start("a", "hi")
        await seen(first, run.run_id, "tool_call")
    async with world.runner(Agent(name="b", model=ScriptedModel.from_text("text: b"))) as second:
        await second.cancel(run.run_id)
    async with world.runner(agent) as third:
        events = await watched(third, run.run_id)
    assert kinds(events)[-3:] == ["stage", "tool_result", "cancelled"]
    assert events[-2].outcome.status.value == "unknown"
    assert check_stream(events) == []


@pytest.mark.requirement("RECOVERY-pause")
@everywhere
async def test_a_pause_outlives_its_process(world: World) -> None:
    """Promise 7: the same pause under the same id; the run holds no worker meanwhile."""

    @tool(requires_approval=True)
    def pay(euros: int) -> str:
        """Pay somebody."""
        raise AssertionError(f"paid {euros} without leave")

    agent = scripted('text: May I? \ncall: pay {"euros": 3}', tools=[pay])
    async with world.runner(agent) as first:
        run = await first.start("a", "pay")
        before = (await first.wait(run.run_id)).pending
    async with world.runner(agent) as second:
        assert (await second.get(run.run_id)).pending == before
        assert len(before) == 1
        assert await second.cancel(run.run_id)
        assert kinds(await watched(second, run.run_id))[-1] == "cancelled"


@pytest.mark.requirement("RECOVERY-fenced")
@virtually
async def test_an_owner_that_was_taken_over_stops_its_tools_and_writes_nothing() -> None:
    """Design §4: a lost lease is no input. The newer owner's log is its own."""
    stopped = asyncio.Event()

    @tool
    async def pay() -> str:
        """Hang until it is stopped."""
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return "never"

    store = MemoryStore(LoopClock())
    hand = StoreInHand(store)
    agent = scripted("text: So \ncall: pay {}\n---\ntext: ok", tools=[pay])
    async with Runner([agent], store=hand, drain_s=0) as older:
        run = await older.start("a", "hi")
        await seen(older, run.run_id, "tool_call")
        hand.deaf = True  # It hears no renewal's answer any more: its lease runs out.
        async with Runner([agent], store=store) as newer:
            events = await watched(newer, run.run_id)
            state = await newer.get(run.run_id)
            hand.deaf = False
            await stopped.wait()
            assert await watched(newer, run.run_id) == events
    assert state.state is RunStatus.DONE
    assert check_stream(events) == []
    assert [event.outcome.status.value for event in events if isinstance(event, ev.ToolResult)] == ["unknown"]
    epochs = {stretch.epoch for stretch in await store.read("default", run.run_id, -1, limit=1000)}
    assert epochs == {1, 2}
