"""Any life of runs: started, spoken, read, left, stopped, crashed and recovered, in any order."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.runtime.puppets import Asked, Puppet
from tests.runtime.stores import SCOPE, LoopClock, StoreInHand, log_of
from treadle.adapters.stores.memory import MemoryStore
from treadle.app.agent import Agent
from treadle.app.runner import Runner
from treadle.errors import ThreadBusyError
from treadle.plan.tools import tool
from treadle.projections.typed.closing import typed_of
from treadle.runtime.appender import UNWATCHED_S
from treadle.runtime.hearing import CANCEL
from treadle.runtime.scoped_runs import StartedRun
from treadle.runtime.shown_so_far import ShownSoFar
from treadle.runtime.supervisor import LEASE_S, PATIENCE_S
from treadle.runtime.thread_history import stored_run
from treadle.testing.stream_check import check_stream
from treadle.testing.virtual_time import VirtualTimeLoop
from treadle.values import events as ev
from treadle.values.calls import ToolRequest
from treadle.values.events import CLOSING_TYPES, FINAL_TYPES, KernelEvent
from treadle.values.facts import RoundCut, RoundOpened, TurnKept
from treadle.values.ids import RunId
from treadle.values.limits import Limits
from treadle.values.runs import RunState, RunStatus
from treadle.values.stretches import entries_of
from treadle.values.usage import NO_USAGE, UsageDelta, usage_sum

T = TypeVar("T")
THREADS = st.sampled_from(["t1", "t2", "t3"])
NUMBERS = st.integers(0, 1000)
USAGES = st.sampled_from([NO_USAGE, UsageDelta(input_tokens=3, output_tokens=2), UsageDelta(total_tokens=7)])
PIECES = st.text("ab <\n", min_size=1, max_size=3)
SETTLING = 40
"""Turns of the event loop after which nothing moves any more."""


@dataclass
class Told:
    """One reader: what it was told, and where it stands."""

    run_id: str
    events: list[KernelEvent] = field(default_factory=list)
    cursor: str | None = None
    task: asyncio.Task[None] | None = None

    @property
    def is_over(self) -> bool:
        """Whether it has seen the end."""
        return bool(self.events) and isinstance(self.events[-1], FINAL_TYPES)

    async def read(self, runner: Runner) -> None:
        """Go on where it stands."""
        async for record in runner.watch(self.run_id, after=self.cursor):
            self.events.append(record.event)
            self.cursor = record.cursor


class Lives(RuleBasedStateMachine):
    """One store, one process at a time, three threads."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = VirtualTimeLoop()
        self.model = Puppet()
        self.paid: Counter[int] = Counter()
        self.calls = 0
        self.tills: list[asyncio.Event] = []
        self.runs: dict[str, str] = {}
        """The prompt of each run."""
        self.disturbed: set[str] = set()
        """Runs that were not final when a process ended."""
        self.told: list[Told] = []
        self.hand: StoreInHand | None = None
        self.runner: Runner | None = None
        self.store: Any = self.do(self._made())
        self.enter()

    async def _made(self) -> MemoryStore:
        return MemoryStore(LoopClock())

    def do(self, act: Coroutine[Any, Any, T]) -> T:
        """Do something, and let everything come to rest after it."""

        async def done() -> T:
            result = await act
            for _ in range(SETTLING):
                await asyncio.sleep(0)
            return result

        return self.loop.run_until_complete(done())

    # ---------------------------------------------------------------- processes

    @precondition(lambda self: self.runner is None)
    @rule()
    def enter(self) -> None:
        """A process begins."""

        async def entered() -> None:
            self.hand = StoreInHand(self.store)
            self.runner = Runner([self._agent()], store=self.hand, drain_s=0)
            await self.runner.__aenter__()

        self.do(entered())

    def _agent(self) -> Agent:
        paid, tills = self.paid, self.tills

        @tool(timeout_s=None)
        async def pay(number: int) -> str:
            """Pay, when the till is open."""
            paid[number] += 1
            till = asyncio.Event()
            tills.append(till)
            await till.wait()
            return "paid"

        return Agent(name="a", model=self.model, tools=[pay], limits=Limits(wall_clock_s=None, stall_s=None))

    @precondition(lambda self: self.runner is not None and self.is_busy)
    @rule(is_killed=st.booleans())
    def end(self, *, is_killed: bool) -> None:
        """The process ends, in good order or not."""
        assert self.runner is not None
        assert self.hand is not None
        if is_killed:
            self.hand.dead.set()
        self.disturbed |= {run_id for run_id in self.runs if not self.state(run_id).is_final}
        for reader in self.told:
            self._cut(reader)
        self.do(self.runner.__aexit__(None, None, None))
        self.runner = None
        if is_killed:
            self.do(asyncio.sleep(LEASE_S + 1))

    # ---------------------------------------------------------------- people

    @precondition(lambda self: self.runner is not None and len(self.runs) < 6)
    @rule(thread=THREADS, on_busy=st.sampled_from(["reject", "queue", "cancel_previous"]))
    def message(self, thread: str, on_busy: str) -> None:
        """Somebody says something."""

        async def started() -> StartedRun | None:
            assert self.runner is not None
            try:
                return await self.runner.start("a", prompt, thread_id=thread, on_busy=on_busy, key=prompt)
            except ThreadBusyError:
                return None

        prompt = f"p{len(self.runs)}"
        if (run := self.do(started())) is not None:
            self.runs[run.run_id] = prompt

    @precondition(lambda self: self.runs and (self.runner is None or self.is_stopped_at()))
    @rule(number=NUMBERS)
    def stop(self, number: int) -> None:
        """Somebody presses Stop, be it that no process is there to hear it."""
        run_id = self._one(number)
        state = self.state(run_id)
        if self.runner is not None:
            accepted = self.do(self.runner.cancel(run_id))
            assert not (accepted and state.is_final)
        elif not state.is_final:
            self.do(self.store.send(SCOPE, RunId(run_id), key=CANCEL, kind=CANCEL))

    @precondition(lambda self: self.runner is not None and self.runs)
    @rule(number=NUMBERS)
    def read(self, number: int) -> None:
        """A reader comes, or comes back."""
        assert self.runner is not None
        run_id = self._one(number)
        away = [one for one in self.told if one.run_id == run_id and one.task is None and not one.is_over]
        reader = away[0] if away and number % 2 else Told(run_id)
        if reader not in self.told:
            self.told.append(reader)

        async def come() -> None:
            assert self.runner is not None
            reader.task = asyncio.create_task(reader.read(self.runner))

        self.do(come())

    @precondition(lambda self: any(one.task for one in self.told))
    @rule(number=NUMBERS)
    def cut(self, number: int) -> None:
        """A reader leaves."""
        here = [one for one in self.told if one.task]
        self._cut(here[number % len(here)])

    def _cut(self, reader: Told) -> None:
        task, reader.task = reader.task, None
        if task is None:
            return

        async def gone() -> None:
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled() or task.exception() is None

        self.do(gone())

    # ---------------------------------------------------------------- the model, its tools, time

    @precondition(lambda self: self.model.open)
    @rule(number=NUMBERS, pieces=st.lists(PIECES, min_size=1, max_size=4), is_slow=st.booleans())
    def say(self, number: int, pieces: list[str], *, is_slow: bool) -> None:
        """The model says something, so slowly perhaps that it is stored."""
        asked = self._open(number)
        for piece in pieces:
            self.do(_now(lambda piece=piece: asked.say(piece)))  # type: ignore[misc]  # bound in the loop
        if is_slow:
            self.wait(UNWATCHED_S)

    @precondition(lambda self: self.model.open)
    @rule(number=NUMBERS, usage=USAGES, calls=st.sampled_from([0, 1, 1, 2]))
    def turn(self, number: int, usage: UsageDelta, calls: int) -> None:
        """The model ends its turn, with calls or without."""
        requests = [
            ToolRequest(name="pay", arguments={"number": self.calls + at}, provider_id=f"c{self.calls + at}")
            for at in range(calls)
        ]
        self.calls += calls
        self.do(_now(lambda: self._open(number).end(*requests, usage=usage)))

    @precondition(lambda self: self.model.open)
    @rule(number=NUMBERS)
    def break_off(self, number: int) -> None:
        """The model's stream breaks."""
        self.do(_now(lambda: self._open(number).break_off()))

    @precondition(lambda self: self.tills)
    @rule(is_slow=st.booleans())
    def open_tills(self, *, is_slow: bool = False) -> None:
        """Every call that runs returns; what comes next may take until that is stored."""

        def opened() -> None:
            for till in self.tills:
                till.set()
            self.tills.clear()

        self.do(_now(opened))
        if is_slow:
            self.wait(UNWATCHED_S)

    @rule(seconds=st.sampled_from([0.1, 0.3, 2.0, 20.0]))
    def wait(self, seconds: float) -> None:
        """Time passes."""
        self.do(asyncio.sleep(seconds))

    # ---------------------------------------------------------------- what holds

    @invariant()
    def readers_have_seen_what_is_stored(self) -> None:
        """Shown = stored, each event once and in order; a log closes once, last; nobody is paid twice."""
        logs = {run_id: self.log(run_id) for run_id in self.runs}
        for run_id, log in logs.items():
            assert [event.index for event in log] == list(range(len(log)))
            closing = [event for event in log if isinstance(event, CLOSING_TYPES)]
            assert closing in ([], log[-1:])
            assert bool(closing) == self.state(run_id).is_final
        for reader in self.told:
            assert reader.events == logs[reader.run_id][: len(reader.events)]
        assert all(count == 1 for count in self.paid.values())

    def teardown(self) -> None:
        """Every life comes to an end; then all that was said can be counted."""
        try:
            if self.runner is None:
                self.enter()
            self._finish()
            for run_id, prompt in self.runs.items():
                self._hold(run_id, prompt)
            self._read_all_again()
        finally:
            if self.runner is not None:
                self.do(self.runner.__aexit__(None, None, None))
            left = asyncio.all_tasks(self.loop)
            self.loop.close()
        assert not left

    def _finish(self) -> None:
        for _ in range(200):
            if all(self.state(run_id).is_final for run_id in self.runs):
                return
            self.open_tills()
            for asked in self.model.open:
                self.do(_now(asked.end))
            self.wait(PATIENCE_S)
        raise AssertionError([self.state(run_id) for run_id in self.runs])

    def _hold(self, run_id: str, prompt: str) -> None:
        log = self.log(run_id)
        assert check_stream(log) == []
        closing = log[-1]
        assert isinstance(closing, FINAL_TYPES)
        shown = ShownSoFar()
        for event in log:
            shown.add(event)
        assert closing.outcome.text == shown.text
        self._hold_text(closing, [one for one in self.model.asked if one.prompt == prompt])
        self._hold_usage(run_id, closing, [one for one in self.model.asked if one.prompt == prompt])

    def _hold_text(self, closing: ev.ClosingEvent, asked: list[Asked]) -> None:
        """No character is lost or doubled: of each round the last answer counts; where the run was cut, one in part.

        An answer that left nothing in the store did not happen, so a run that is cut may end with an earlier one.
        """
        text, before = closing.outcome.text, ""
        rounds = {one.round: one.spoken for one in asked}
        if isinstance(closing, ev.Done):
            assert text == "".join(rounds[number] for number in sorted(rounds))
            return
        ends = {""}
        for number in sorted(rounds):
            ends |= {
                before + one.spoken[:cut] for one in asked if one.round == number for cut in range(len(one.spoken) + 1)
            }
            before += rounds[number]
        assert text in ends

    def _hold_usage(self, run_id: str, closing: ev.ClosingEvent, asked: list[Asked]) -> None:
        """Every attempt is counted, as told or as unmeasured."""
        _, stretches = self.do(stored_run(self.store, SCOPE, RunId(run_id)))
        entries = list(entries_of(stretches, RunId(run_id)))
        spent = [one.turn.usage for one in entries if isinstance(one, TurnKept)]
        spent += [one.usage for one in entries if isinstance(one, RoundCut)]
        assert len(spent) == sum(isinstance(one, RoundOpened) for one in entries)
        silent = sum(not one.reported for one in spent)
        assert closing.outcome.usage == usage_sum(spent) + UsageDelta(unmeasured_rounds=silent)
        if run_id not in self.disturbed and isinstance(closing, ev.Done):
            assert usage_sum(spent) == usage_sum(one.usage for one in asked)

    def _read_all_again(self) -> None:
        assert self.runner is not None
        for run_id in self.runs:
            late = Told(run_id)
            self.do(late.read(self.runner))
            assert late.events == self.log(run_id)
            view = self.do(self.runner.get(run_id))
            assert view.outcome == late.events[-1].outcome
            assert view.state in (RunStatus.DONE, RunStatus.ERROR, RunStatus.CANCELLED)
            for reader in self.told:
                if reader.run_id == run_id and reader.task is not None:
                    assert reader.task.done()
                    assert [typed_of(one) for one in reader.events] == [typed_of(one) for one in late.events]

    # ---------------------------------------------------------------- looking

    @property
    def is_busy(self) -> bool:
        """Whether the end of the process cuts anything short."""
        return bool(self.model.open or self.tills)

    def is_stopped_at(self) -> bool:
        """Whether it is time for a stop: seldom, or no run would come to its own end."""
        return sum(len(one.spoken) for one in self.model.asked) % 3 == 1

    def log(self, run_id: str) -> list[KernelEvent]:
        """What is stored."""
        return self.loop.run_until_complete(log_of(self.store, run_id))

    def state(self, run_id: str) -> RunState:
        """Where a run stands."""
        state: RunState = self.loop.run_until_complete(self.store.state(SCOPE, run_id))
        return state

    def _one(self, number: int) -> str:
        return list(self.runs)[number % len(self.runs)]

    def _open(self, number: int) -> Asked:
        return self.model.open[number % len(self.model.open)]


async def _now(act: Callable[[], None]) -> None:
    act()
