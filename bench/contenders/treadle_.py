"""Treadle: `Agent.events`, an event a delta, memory log, the text filters of every agent that names none."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass

from contender import Contender
from workload import TOOL, TOOL_RESULT, Round, Script, arg_chunks

from treadle.app.agent import Agent
from treadle.plan.tools import tool
from treadle.ports.model import ModelRequest
from treadle.text.close_state import CloseState
from treadle.text.filters import by_name
from treadle.values.calls import ToolRequest
from treadle.values.events import KernelEvent, TextDelta, Thinking
from treadle.values.limits import Limits
from treadle.values.model import ARGUMENTS, TEXT, THINKING, CallNamed, ModelItem, ModelTurn, TurnEnded

NO_CALL_LIMITS = Limits(rounds=None, tool_calls=None)
"""The default limits, but a hundred tool rounds may run."""


class ScriptedModel:
    """Plays a script: one list a delta, as from a provider that sends one delta a read.

    What it says beside its deltas (a call, the end of a turn) is made once for all runs of a script: the bare model
    says nothing of the kind, so none of its price is in the comparison.
    """

    name = "scripted"

    def __init__(self, script: Script) -> None:
        self.script = script
        self._tails = [_tail(said) for said in script.rounds]

    def playing(self, script: Script) -> ScriptedModel:
        """The model that plays this script: this one, if it does."""
        return self if self.script is script else ScriptedModel(script)

    async def ask(self, request: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
        """Play the round that comes after the finished turns."""
        at = len(request.turns)
        said = self.script.rounds[at]
        yields = self.script.yields
        for piece in said.think:
            if yields:
                await asyncio.sleep(0)
            yield [(THINKING, piece)]
        for piece in said.text:
            if yields:
                await asyncio.sleep(0)
            yield [(TEXT, piece)]
        for items in self._tails[at]:
            yield items

    async def aclose(self) -> None:
        """It holds nothing."""


def _tail(said: Round) -> tuple[list[ModelItem], ...]:
    """What a round ends with: its call, if it makes one, and its whole turn."""
    items: list[ModelItem] = []
    requests: tuple[ToolRequest, ...] = ()
    if said.call_id:
        chunks = arg_chunks(said.call_id)
        items += [CallNamed(slot=0, name=TOOL, provider_id=said.call_id), *[(ARGUMENTS, chunk) for chunk in chunks]]
        asked = json.loads("".join(chunks))
        requests = (ToolRequest(name=TOOL, provider_id=said.call_id, arguments=asked),)
    items.append(TurnEnded(turn=ModelTurn(text="".join(said.text), tool_requests=requests)))
    return tuple([item] for item in items)


@tool
async def lookup(query: str) -> str:  # noqa: ARG001 (the answer is the same for every question)
    """Look the weather up."""
    return TOOL_RESULT


class Treadle(Contender):
    """Our row."""

    name = "treadle"
    api = "Agent.events"
    dists = ("treadle", "msgspec", "pydantic")

    def __init__(self) -> None:
        self._model = ScriptedModel(Script("none", ()))
        self._agent = Agent(name="bench", model=self._model, tools=[lookup], limits=NO_CALL_LIMITS)

    async def run(self, script: Script) -> AsyncIterator[KernelEvent]:
        """Run the script once."""
        self._model = self._model.playing(script)
        async with self._agent.with_model(self._model).events("hi") as run:
            async for event in run:
                yield event

    def text_of(self, event: object) -> str | None:
        """The text of an event."""
        return event.text if isinstance(event, TextDelta) else None

    def thought_of(self, event: object) -> str | None:
        """The thinking of an event."""
        return event.text if isinstance(event, Thinking) else None

    def filters(self) -> dict[str, Series]:
        """Filters in series, as a run holds them."""
        return {
            "treadle: think": Series(("think",), opener="<think>"),
            "treadle: think, block, citation": Series(("think", "block", "citation"), opener="<MEMORY_EXTRACT>"),
            "treadle: think, block, citation, redact": Series(
                ("think", "block", "citation", "redact"), opener="<MEMORY_EXTRACT>"
            ),
        }


class Shown:
    """A close state with nothing between it and its caller, text in and shown text out."""

    __slots__ = ("feed", "flush")

    def __init__(self, state: CloseState) -> None:
        self.feed = state.feed
        self.flush = lambda: "".join(state.flush())


@dataclass(frozen=True, slots=True)
class Series:
    """Makes filters in series."""

    names: tuple[str, ...]
    opener: str
    """What opens a block that they take out."""

    def __call__(self) -> Shown:
        """Make a fresh series."""
        return Shown(CloseState([by_name(name) for name in self.names]))


CONTENDERS = [Treadle()]
