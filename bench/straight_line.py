"""The least that a tool round takes where its parts are what they are: one piece of straight code.

In it, because readers and stores are owed them: the same model, the same check of the arguments, a task for the call,
the same frozen events and facts in the same log, the same reader in a task of its own and the same bound to it. Not in
it: the machine, filters, limits, deadlines, damaged or several calls, endings, a way to leave.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

from contender import Contender
from contenders.treadle_ import ScriptedModel, lookup
from workload import Script

from treadle.adapters.toolboxes.functions.toolbox import FunctionToolbox
from treadle.ports.model import ModelRequest
from treadle.ports.toolbox import CallContext
from treadle.runtime.kind_runs import KindRuns
from treadle.runtime.reader import BOUND, Reader
from treadle.values import events as ev
from treadle.values import facts as fa
from treadle.values.calls import ToolOutcome
from treadle.values.ids import CallId, RunId
from treadle.values.mappings import Json
from treadle.values.model import ARGUMENTS, TEXT, CallNamed, ModelTurn
from treadle.values.requests import PromptAssembly, TurnMessage
from treadle.values.usage import NO_USAGE

RUN = RunId("r_1")


class StraightLine(Contender):
    """A run without rules."""

    name = "floor:straight-line"
    api = "one coroutine, our values, our log, our reader"
    dists = ("treadle", "pydantic")

    def __init__(self) -> None:
        self._toolbox = FunctionToolbox([lookup])
        self._model = ScriptedModel(Script("none", ()))

    async def run(self, script: Script) -> AsyncIterator[ev.KernelEvent]:
        """Run the script once."""
        log = KindRuns(time.time, bounded=True, limit=BOUND)
        task = asyncio.create_task(self._drive(script, log))
        async for event in Reader[ev.KernelEvent](log, RUN, None):
            yield event
        await task

    async def _drive(self, script: Script, log: KindRuns) -> None:
        self._model = model = self._model.playing(script)
        prompt, specs = PromptAssembly(prompt="hi"), self._toolbox.specs()
        turns: list[TurnMessage] = []
        for number in range(1, len(script.rounds) + 1):
            log.keep(fa.RoundOpened(round=number, attempt=1))
            log.add(ev.RoundStarted, RUN, {"round": number, "attempt": 1, "model": "scripted"})
            turn = await self._heard(model.ask(ModelRequest(prompt=prompt, turns=turns, tools=specs)), number, log)
            told = {"round": number, "attempt": 1, "usage": NO_USAGE, "stop_reason": None, "outcome": "done"}
            if not turn.tool_requests:
                log.keep(fa.TurnKept(round=number, attempt=1, turn=turn))
                log.add(ev.RoundEnded, RUN, told)
                break
            request = self._toolbox.checked(turn.tool_requests[0]).named(CallId(f"r_1.c{number}"), damage=None)
            turn = turn.calling((request,))
            log.keep(fa.TurnKept(round=number, attempt=1, turn=turn, streamed=frozenset([0])))
            log.add(ev.RoundEnded, RUN, told)
            log.add(ev.ToolCall, RUN, {"request": request, "streamed": True})
            begun_s = time.monotonic()
            content = await asyncio.create_task(self._toolbox.call(request, CallContext(progress=_told, stop=_Never())))
            took_ms = (time.monotonic() - begun_s) * 1000
            outcome = ToolOutcome(call_id=request.call_id, content=content, duration_ms=took_ms)
            log.keep(fa.OutcomeKept(outcome=outcome))
            log.add(ev.ToolResult, RUN, {"outcome": outcome})
            turns.append(TurnMessage(turn=turn, outcomes=(outcome,)))
        log.close()

    async def _heard(self, stream: Any, number: int, log: KindRuns) -> ModelTurn:  # noqa: ANN401 (a generator of lists)
        kind, append, left, turn = "", None, log.left, ModelTurn()
        async for items in stream:
            for item in items:
                if type(item) is tuple:
                    if item[0] is not kind:
                        kind = item[0]
                        key: object = number if kind is TEXT else CallId(f"r_1.c{number}")
                        append = log.begin(TEXT if kind is TEXT else ARGUMENTS, key).append
                        left = log.left
                    append(item[1])
                    left -= 1
                elif type(item) is CallNamed:
                    log.add(ev.ToolAnnounced, RUN, {"call_id": CallId(f"r_1.c{number}"), "name": item.name})
                    kind = ""
                else:
                    turn = item.turn
            if log.waiters:
                log.wake()
            if left <= 0:
                if (room := log.room()) is not None:
                    await room
                left = log.left
        await stream.aclose()
        return turn

    def text_of(self, event: object) -> str | None:
        """The text of an event."""
        return event.text if isinstance(event, ev.TextDelta) else None

    def thought_of(self, event: object) -> str | None:
        """No thinking is in the workload that this runs."""
        return None


class _Never:
    def is_set(self) -> bool:
        return False


async def _told(_: Json) -> None:
    return
