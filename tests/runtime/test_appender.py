"""What a live run writes, on its way to its store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from tests.runtime.agents import closes_well, kinds, text_of
from tests.runtime.stores import LoopClock, StoreInHand, log_of, pass_time, seen, until, virtually, watched
from treadle.adapters.models.scripted import ScriptedModel
from treadle.adapters.stores.memory import MemoryStore
from treadle.app.agent import Agent
from treadle.app.runner import Runner
from treadle.errors import SequenceConflictError, StoreFullError
from treadle.plan.tools import tool
from treadle.ports.model import ModelRequest
from treadle.runtime.appender import FULL_WAITS_S, PENDING, TURNS, UNWATCHED_S, Appender, AppenderHooks
from treadle.runtime.kind_runs import KindRuns
from treadle.runtime.supervisor import LEASE_S
from treadle.values import events as ev
from treadle.values.facts import RequestKept, RoundOpened
from treadle.values.ids import RunId
from treadle.values.model import TEXT, ModelItem, ModelTurn, TurnEnded
from treadle.values.runs import Lease, RunStatus
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch, entries_of


class Chatty:
    """A model that says one piece a read, and counts them."""

    name = "chatty"

    def __init__(self, pieces: int, *, piece: str = "x") -> None:
        self._pieces = pieces
        self._piece = piece
        self.said = 0

    async def ask(self, _: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
        """Say all of it."""
        for _ in range(self._pieces):
            self.said += 1
            await asyncio.sleep(0)
            yield [(TEXT, self._piece)]
        yield [TurnEnded(turn=ModelTurn(text=self._piece * self._pieces))]

    async def aclose(self) -> None:
        """Nothing is held."""


def saying(script: str, *, tools: tuple[Any, ...] = ()) -> Agent:
    """An agent that lets others go on between two pieces."""
    return Agent(name="a", model=ScriptedModel.from_text(script, yields=True), tools=tools)


def in_hand() -> StoreInHand:
    """A store in memory."""
    return StoreInHand(MemoryStore(LoopClock()))


def texts(stretches: tuple[Stretch, ...]) -> list[str]:
    """The texts of speech in a batch."""
    return [text for stretch in stretches if isinstance(stretch, SpeechStretch) for text in stretch.texts]


def model_of(agent: Agent) -> ScriptedModel:
    """The scripted model of an agent."""
    assert isinstance(agent.model, ScriptedModel)
    return agent.model


@pytest.mark.requirement("STORED-coalesce")
@virtually
async def test_pieces_grow_into_one_only_while_an_append_is_in_flight() -> None:
    """Design §6: what came meanwhile is one event for everybody; with an idle store every piece stays its own."""
    for is_slow in (False, True):
        hand = in_hand()
        async with Runner([saying("text: a|b|c|d|e")], store=hand) as runner:
            if is_slow:
                hand.gate.clear()
            run = await runner.start("a", "hi")
            reading = asyncio.create_task(watched(runner, run.run_id))
            await hand.arrived.wait()
            for _ in range(50):
                await asyncio.sleep(0)
            hand.gate.set()
            events = await reading
        deltas = [event.text for event in events if isinstance(event, ev.TextDelta)]
        assert deltas == (["a", "bcde"] if is_slow else ["a", "b", "c", "d", "e"])
        assert closes_well(events)
        assert events == await log_of(hand.inner, run.run_id)


@pytest.mark.requirement("STORED-gather")
@virtually
async def test_speech_that_comes_in_every_turn_is_appended_together_and_stays_apart() -> None:
    """Ours: a model that is faster than anybody reads costs a store and a reader an append for several pieces."""
    model, hand = Chatty(64), in_hand()
    async with Runner([Agent(name="a", model=model)], store=hand) as runner:
        run = await runner.start("a", "hi")
        events = await watched(runner, run.run_id)
    batches = [len(said) for stretches, _ in hand.appends if (said := texts(stretches))]
    assert batches[0] == 1
    assert sum(batches) == len([event for event in events if isinstance(event, ev.TextDelta)]) == 64
    assert max(batches) <= TURNS + 1
    assert len(batches) <= 64 / TURNS + 2


@pytest.mark.requirement("STORED-gather")
@virtually
async def test_speech_that_comes_in_its_own_time_waits_for_nothing() -> None:
    """Ours: a piece after which nothing comes is appended at once, and by itself."""
    hand = in_hand()
    async with Runner([saying("text: a\ngate: go\ntext: b\ngate: on\ntext: c")], store=hand) as runner:
        agent_model = next(iter(runner._agents.values())).model  # noqa: SLF001 (its gates)
        assert isinstance(agent_model, ScriptedModel)
        run = await runner.start("a", "hi")
        reading = asyncio.create_task(watched(runner, run.run_id))
        for said, gate in (("a", "go"), ("b", "on")):
            await until(lambda said=said: any(said in texts(stretches) for stretches, _ in hand.appends))
            agent_model.open_gate(gate)
        await reading
        assert asyncio.get_running_loop().time() == 0.0
    assert [texts(stretches) for stretches, _ in hand.appends if texts(stretches)] == [["a"], ["b"], ["c"]]


@pytest.mark.requirement("STORED-bound")
@pytest.mark.parametrize(
    ("piece", "waiting"),
    [("x", PENDING), ("x" * 16, PENDING), ("x" * 17, 241), ("\u65e5" * 100, 14), ("x" * 5000, 1)],
)
@virtually
async def test_a_slow_store_stops_the_reading_of_the_provider(piece: str, waiting: int) -> None:
    """Design §6: at most 256 pieces or 4 KB wait, and one is in flight; nothing is lost for it."""
    model, hand = Chatty(500, piece=piece), in_hand()
    async with Runner([Agent(name="a", model=model)], store=hand) as runner:
        hand.gate.clear()
        run = await runner.start("a", "hi")
        reading = asyncio.create_task(watched(runner, run.run_id))
        await hand.arrived.wait()
        for _ in range(3000):
            await asyncio.sleep(0)
        assert model.said == 1 + waiting
        hand.gate.set()
        assert text_of(await reading) == piece * 500


@pytest.mark.requirement("STORED-unwatched")
@virtually
async def test_a_run_that_nobody_watches_is_stored_seldom_and_at_once_when_somebody_comes() -> None:
    """Design §6: up to 250 ms for a run nobody watches, no wait for one that is."""
    loop = asyncio.get_running_loop()
    for comes_after_s, stored_after_s in ((None, UNWATCHED_S), (0.1, 0.1), (0.0, 0.0)):
        agent, hand = saying("text: a|b\ngate: go\ntext: c"), in_hand()
        async with Runner([agent], store=hand) as runner:
            began_s = loop.time()
            run = await runner.start("a", "hi")
            if comes_after_s is not None:
                await pass_time(comes_after_s)
                reading = asyncio.create_task(watched(runner, run.run_id))
            await hand.arrived.wait()
            assert loop.time() - began_s == pytest.approx(stored_after_s)
            model_of(agent).open_gate("go")
            assert (await runner.wait(run.run_id)).text == "abc"
            if comes_after_s is not None:
                assert closes_well(await reading)
            elif len(hand.appends) > 1:
                assert texts(hand.appends[0][0]) == ["a", "b"]


@pytest.mark.requirement("STORED-unwatched")
@virtually
async def test_an_unwatched_run_that_fills_its_bound_is_stored_at_once() -> None:
    """Ours: a wait ends when so many pieces wait."""
    model, hand = Chatty(1000), in_hand()
    loop = asyncio.get_running_loop()
    async with Runner([Agent(name="a", model=model)], store=hand) as runner:
        run = await runner.start("a", "hi")
        assert (await runner.wait(run.run_id)).text == "x" * 1000
    assert loop.time() < UNWATCHED_S
    assert max(len(texts(batch)) for batch, _ in hand.appends) <= PENDING + 1


@pytest.mark.requirement("STORED-rides")
@virtually
async def test_what_begins_a_run_rides_with_the_first_thing_to_be_seen() -> None:
    """Design §6: no commit for `run_started` alone, however long the model thinks."""
    agent, hand = saying("gate: go\ntext: a"), in_hand()
    async with Runner([agent], store=hand) as runner:
        run = await runner.start("a", "hi")
        reading = asyncio.create_task(watched(runner, run.run_id))
        await pass_time(30)
        assert hand.appends == []
        model_of(agent).open_gate("go")
        await reading
    first = [type(entry) for entry in entries_of(hand.appends[0][0], run.run_id)]
    assert first[:4] == [RequestKept, ev.RunStarted, RoundOpened, ev.RoundStarted]
    assert texts(hand.appends[0][0]) == ["a"]


@pytest.mark.requirement("STORED-before-acts")
@virtually
async def test_a_call_is_stored_before_its_tool_runs() -> None:
    """Design §6, commit first, then act: the tool finds its own call in the store, however slow the store is."""
    hand = in_hand()
    found: list[list[str]] = []

    @tool
    async def look() -> str:
        """Look into the store."""
        found.append(kinds(await log_of(hand.inner, named[0])))
        return "ok"

    named: list[str] = []
    async with Runner([saying("call: look {}\ncall: look {}\n---\ntext: ok", tools=(look,))], store=hand) as runner:
        hand.gate.clear()
        run = await runner.start("a", "hi")
        named.append(run.run_id)
        await hand.arrived.wait()
        await pass_time(5)
        assert found == []
        hand.gate.set()
        await watched(runner, run.run_id)
    assert [one.count("tool_call") for one in found] == [2, 2]


@pytest.mark.requirement("STORED-full")
@virtually
async def test_a_store_that_has_room_again_in_time_costs_a_run_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """Ours: the operator is told, readers wait, nothing is shown that is not stored."""
    hand = in_hand()
    hand.failures = [StoreFullError("full") for _ in FULL_WAITS_S]
    async with Runner([saying("text: a|b|c")], store=hand) as runner:
        run = await runner.start("a", "hi")
        reading = asyncio.create_task(watched(runner, run.run_id))
        await hand.arrived.wait()
        assert await log_of(hand.inner, run.run_id) == []
        events = await reading
    assert closes_well(events)
    assert text_of(events) == "abc"
    assert asyncio.get_running_loop().time() == pytest.approx(sum(FULL_WAITS_S))
    assert f"no room for run {run.run_id}" in caplog.text


@pytest.mark.requirement("STORED-full")
@virtually
async def test_a_store_that_stays_full_lets_the_run_go_and_it_goes_on_when_there_is_room(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Ours: the run stays as it was stored, is claimed again when its lease is over, and takes its dead turn back."""
    agent, hand = saying("text: a\ngate: go\ntext: b"), in_hand()
    async with Runner([agent], store=hand) as runner:
        run = await runner.start("a", "hi")
        reading = asyncio.create_task(watched(runner, run.run_id))
        await seen(runner, run.run_id, "text_delta")
        hand.failures = [StoreFullError("full") for _ in range(len(FULL_WAITS_S) + 1)]
        model_of(agent).open_gate("go")
        await until(lambda: not model_of(agent).open_streams)
        events = await reading
    assert kinds(events) == [
        *("run_started", "round_started", "text_delta", "retracted"),
        *("round_started", "text_delta", "text_delta", "round_ended", "done"),
    ]
    assert events[-1].outcome.text == "ab"
    assert "the log of run" in caplog.text
    assert "StoreFullError" in caplog.text
    assert asyncio.get_running_loop().time() <= LEASE_S + sum(FULL_WAITS_S) + 6


@pytest.mark.requirement("STORED-full")
@virtually
async def test_any_other_failure_of_the_store_is_not_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    """Ours: other content at its place is nobody's passing trouble."""
    hand = in_hand()
    hand.failures = [SequenceConflictError("taken")]
    async with Runner([saying("text: a")], store=hand) as runner:
        run = await runner.start("a", "hi")
        events = await watched(runner, run.run_id)
    assert kinds(events)[-1] == "done"
    assert "SequenceConflictError" in caplog.text
    assert asyncio.get_running_loop().time() >= LEASE_S


class Fake:
    """An appender of one live log, with nothing around it."""

    def __init__(self) -> None:
        self.runs = KindRuns(lambda: 0.0, bounded=True, limit=PENDING)
        self.batches: list[tuple[list[Stretch], RunStatus, float | None]] = []
        self.gate = asyncio.Event()
        self.told: list[Stretch] = []
        hooks = AppenderHooks(
            taken=lambda: (),
            is_watched=lambda: True,
            dump=lambda payload: payload,
            wake_at_s=lambda: 7.0,
            stored=self.told.extend,
        )
        lease = Lease(run_id=RunId("r"), scope="s", epoch=1, next_seq=0, next_index=0)
        self.appender = Appender(log=self, lease=lease, runs=self.runs, hooks=hooks)  # type: ignore[arg-type]  # appends alone

    async def append(self, _: Lease, stretches: list[Stretch], /, **more: Any) -> RunStatus:  # noqa: ANN401 (as of the port)
        """Take a batch when the gate is open."""
        await self.gate.wait()
        self.batches.append((stretches, more["status"], more["wake_at_s"]))
        status: RunStatus = more["status"]
        return status


@virtually
async def test_a_commit_waits_for_what_is_in_flight() -> None:
    """Ours: sealed is not stored; whoever asks while the batch is on its way is answered when it has arrived."""
    fake = Fake()
    await fake.appender.commit()
    running = asyncio.create_task(fake.appender.run())
    fake.runs.begin(TEXT, 1).append("a")
    first = asyncio.create_task(fake.appender.commit())
    await pass_time(1)
    second = asyncio.create_task(fake.appender.commit())
    await pass_time(1)
    assert not first.done()
    assert not second.done()
    fake.gate.set()
    await asyncio.gather(first, second)
    assert len(fake.batches) == 1
    fake.runs.close()
    await running


@virtually
async def test_a_segment_that_ends_without_a_closing_event_waits_on() -> None:
    """Ours: people have answered a part of what was asked; what they said is stored, and the run waits."""
    fake = Fake()
    fake.gate.set()
    fake.runs.keep(RoundOpened(round=1, attempt=1))
    running = asyncio.create_task(fake.appender.run())
    await pass_time(1)
    assert fake.batches == []
    fake.runs.close()
    await running
    ((stretches, status, wake_at_s),) = fake.batches
    assert (status, wake_at_s) == (RunStatus.WAITING, 7.0)
    assert [type(entry) for stretch in stretches if isinstance(stretch, EntryStretch) for entry in stretch.entries] == [
        RoundOpened
    ]
    assert fake.told == stretches


@virtually
async def test_a_run_does_not_keep_what_its_thread_has_said_before() -> None:
    """Ours: the request is stored once without the earlier runs, which have logs of their own."""
    agent, hand = saying("text: ok"), in_hand()
    async with Runner([agent], store=hand) as runner:
        for prompt in ("one", "two", "three"):
            run = await runner.start("a", prompt, thread_id="t")
            await watched(runner, run.run_id)
    kept = [
        entry for batch, _ in hand.appends for entry in entries_of(batch, run.run_id) if isinstance(entry, RequestKept)
    ]
    assert [(one.request.prompt, one.request.history) for one in kept] == [("one", ()), ("two", ()), ("three", ())]
    assert len(model_of(agent).asks[-1].prompt.history) == 4
