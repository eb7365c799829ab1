"""Any life of runs in which people are asked: answers, bad and doubled ones, expiries, stops, messages and crashes."""

from __future__ import annotations

import asyncio
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from tests.behaviour.answers import problems_of
from tests.behaviour.lives import NUMBERS, USAGES, Lives, _now
from tests.runtime.stores import LoopClock, StoreInHand
from treadle.adapters.models.openai_chat.request import chat_messages
from treadle.app.agent import Agent
from treadle.app.runner import Runner
from treadle.errors import ResumeError
from treadle.plan.interrupts import interrupt
from treadle.plan.questions import ask_user
from treadle.plan.tools import tool
from treadle.runtime.open_pauses import OpenPause
from treadle.runtime.shown_so_far import ShownSoFar
from treadle.runtime.supervisor import PATIENCE_S
from treadle.testing.transcript_check import check_transcript
from treadle.values.calls import ToolRequest
from treadle.values.events import CLOSING_TYPES, FINAL_TYPES, PAUSE_TYPES
from treadle.values.limits import Limits
from treadle.values.pauses import Answer, Decision, OnExpiry, PauseKind, PauseRules
from treadle.values.runs import RunStatus

EXPIRES_S = 30.0
QUESTION = {"text": "Which colour?", "header": "Colour", "options": [{"label": "red"}, {"label": "blue"}]}
DECISIONS = st.sampled_from(list(Decision))
TOOLS = st.lists(st.sampled_from(["pay", "gate", "sure", "ask_user"]), max_size=3)


class WaitingLives(Lives):
    """The same store, processes and threads, and people who answer, twice, wrongly or not at all."""

    def __init__(self) -> None:
        self.processes = 0
        self.granted: set[int] = set()
        """The numbers that somebody allowed to be paid, or edited a call to."""
        super().__init__()

    # ---------------------------------------------------------------- processes

    @precondition(lambda self: self.runner is None)
    @rule()
    def enter(self) -> None:
        """A process begins; its pauses end in one of the three ways when nobody answers them."""

        async def entered() -> None:
            self.hand = StoreInHand(self.store)
            self.runner = Runner([self._agent()], store=self.hand, drain_s=0)
            self.runner._clock = LoopClock()  # noqa: SLF001 (time is virtual here)
            await self.runner.__aenter__()

        self.processes += 1
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

        @tool(requires_approval=True)
        async def gate(number: int) -> str:
            """Pay, when a person has allowed it."""
            assert number in self.granted
            paid[number] += 1
            return "paid by leave"

        @tool(interrupts=True)
        async def sure(number: int) -> str:
            """Pay, when a person is sure."""
            if not interrupt("sure", {"number": number}, bool):
                return "not paid"
            assert number in self.granted
            paid[number] += 1
            return "paid for sure"

        on_expiry = list(OnExpiry)[self.processes % len(OnExpiry)]
        return Agent(
            name="a",
            model=self.model,
            tools=[pay, gate, sure, ask_user],
            limits=Limits(wall_clock_s=None, stall_s=None),
        ).with_pauses(PauseRules(expires_s=EXPIRES_S, on_expiry=on_expiry))

    # ---------------------------------------------------------------- the model

    @precondition(lambda self: self.model.open)
    @rule(number=NUMBERS, usage=USAGES, names=TOOLS)
    def turn(self, number: int, usage: Any, names: list[str]) -> None:  # noqa: ANN401 (as drawn)
        """The model ends its turn, with calls that run, ask, or wait for leave."""
        requests = []
        for name in names:
            arguments = {"questions": [QUESTION]} if name == "ask_user" else {"number": self.calls}
            requests.append(ToolRequest(name=name, arguments=arguments, provider_id=f"c{self.calls}"))
            self.calls += 1
        self.do(_now(lambda: self._open(number).end(*requests, usage=usage)))

    # ---------------------------------------------------------------- people

    @precondition(lambda self: self.runner is not None and self.waiting())
    @rule(number=NUMBERS, decision=DECISIONS, is_doubled=st.booleans(), is_fit=st.sampled_from([True, True, False]))
    def answer(self, number: int, decision: Decision, *, is_doubled: bool, is_fit: bool) -> None:
        """Somebody answers, fittingly or not, and perhaps twice at the same moment."""
        run_id = self.waiting()[number % len(self.waiting())]
        pauses = self.do(self._runner.pauses(run_id))
        if not pauses:
            return  # What was said lies in the inbox.
        pause = pauses[number % len(pauses)]
        if is_fit and decision is not Decision.CANCEL:
            decision = Decision.APPROVE if pause.kind is PauseKind.APPROVAL else Decision.ANSWER
        given = self._said(pause, decision)
        taken = self.do(self._answered(run_id, *[given] * (1 + is_doubled)))
        assert taken.count(True) <= 1

    async def _answered(self, run_id: str, *given: Answer) -> list[bool]:
        async def one(answer: Answer) -> bool:
            try:
                await self._runner.answer(run_id, [answer], principal="ann")
            except ResumeError:
                return False
            return True

        return list(await asyncio.gather(*map(one, given)))

    def _said(self, pause: OpenPause, decision: Decision) -> Answer:
        """What is said to a pause. What it allows is allowed from now on."""
        more: dict[str, Any] = {}
        number = pause.request.get("arguments", pause.request.get("payload") or {}).get("number", -1)
        if decision is Decision.EDIT:
            self.calls += 1
            number = self.calls
            more = {"arguments": {"number": number}}
        elif decision is Decision.ANSWER:
            more = {"value": True if pause.kind is PauseKind.INTERRUPT else {"q1": "red"}}
        if decision in (Decision.EDIT, Decision.ANSWER, Decision.APPROVE):
            self.granted.add(number)
        return Answer(interrupt_id=pause.interrupt_id, token=pause.token, decision=decision, **more)

    @property
    def _runner(self) -> Runner:
        assert self.runner is not None
        return self.runner

    # ---------------------------------------------------------------- what holds

    @invariant()
    def readers_have_seen_what_is_stored(self) -> None:
        """Shown = stored; a segment closes once; nobody is paid twice, and nobody without leave."""
        for run_id in self.runs:
            log, state = self.log(run_id), self.state(run_id)
            assert [event.index for event in log] == list(range(len(log)))
            assert bool(log and isinstance(log[-1], FINAL_TYPES)) == state.is_final
            if state.status is RunStatus.WAITING:
                assert isinstance(log[-1], PAUSE_TYPES)
            for reader in self.told:
                if reader.run_id == run_id:
                    assert reader.events == log[: len(reader.events)]
        assert all(count == 1 for count in self.paid.values())

    def _finish(self) -> None:
        for _ in range(300):
            if all(self.state(run_id).is_final for run_id in self.runs):
                break
            self.open_tills()
            for asked in self.model.open:
                self.do(_now(asked.end))
            for run_id in self.waiting():
                for pause in self.do(self._runner.pauses(run_id)):
                    self.do(self._answered(run_id, self._said(pause, Decision.DENY)))
            self.wait(PATIENCE_S)
        else:
            raise AssertionError([self.state(run_id) for run_id in self.runs])
        for request in self.model.requests:
            assert check_transcript(chat_messages(request), "openai") == []

    def _hold(self, run_id: str, prompt: str) -> None:
        log = self.log(run_id)
        assert problems_of(log) == []
        closing = log[-1]
        assert isinstance(closing, FINAL_TYPES)
        assert getattr(closing, "code", None) != "internal"
        shown = ShownSoFar()
        for event in log:
            shown.add(event)
        assert closing.outcome.text == shown.text
        asked = [one for one in self.model.asked if one.prompt == prompt]
        self._hold_text(closing, asked)
        self._hold_usage(run_id, closing, asked)
        assert all(isinstance(event, PAUSE_TYPES) for event in log[:-1] if isinstance(event, CLOSING_TYPES))

    # ---------------------------------------------------------------- looking

    @property
    def is_busy(self) -> bool:
        """Whether the end of the process cuts anything short."""
        return bool(self.model.open or self.tills or self.waiting())

    def waiting(self) -> list[str]:
        """The runs that wait for people."""
        return [run_id for run_id in self.runs if self.state(run_id).status is RunStatus.WAITING]
