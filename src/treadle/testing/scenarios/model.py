"""A model that writes each of its turns when it is asked for it, and takes its time over it.

In: questions. Out: what a function writes for each of them, read by read, each read after a wait.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Final

from treadle.adapters.models.scripted import ScriptedModel
from treadle.adapters.models.scripted.steps import ScriptedTurn
from treadle.errors import ModelError
from treadle.ports.model import ModelRequest
from treadle.values.model import ModelItem
from treadle.values.requests import PromptAssembly

BROKEN_KEPT: Final = 1000
"""How many turns that broke are remembered for the case that they are asked for again."""

Writer = Callable[[ModelRequest], ScriptedTurn]
"""What is said to a question. It knows what was asked and what came of the calls so far."""
Pace = Callable[[int], float]
"""Seconds before the read of this number, from 0."""
Wait = Callable[[float], Awaitable[object]]
"""Lets so many seconds pass, as `asyncio.sleep` does."""


class WrittenModel:
    """A model whose turns are written for the question.

    Shape: nothing is shared between runs. A turn that broke is remembered by the run that asked for it, so that the
    same question, asked again, is the turn's next attempt; a run that another process takes over begins with the first.
    Units: `pace` gives seconds, and `wait` lets them pass.
    """

    def __init__(self, name: str, write: Writer, *, pace: Pace, wait: Wait) -> None:
        self._name = name
        self._write = write
        self._pace = pace
        self._wait = wait
        # The prompt is kept with its turn: only while it lives is its identity its own.
        self._broken: OrderedDict[tuple[int, int], tuple[PromptAssembly, ScriptedModel]] = OrderedDict()

    @property
    def name(self) -> str:
        """What the model is called in events."""
        return self._name

    async def ask(self, request: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
        """Write the turn, or take up one that broke, and say it. See `Model`."""
        prompt, key = request.prompt, (id(request.prompt), len(request.turns))
        _, model = self._broken.pop(key, (prompt, None))
        if model is None:
            model = ScriptedModel((self._write(request),), name=self._name)
        try:
            async with aclosing(model.ask(ModelRequest(prompt=prompt))) as reads:
                number = 0
                async for items in reads:
                    await self._wait(self._pace(number))
                    yield items
                    number += 1
        except ModelError:
            self._broken[key] = (prompt, model)
            if len(self._broken) > BROKEN_KEPT:
                self._broken.popitem(last=False)
            raise

    async def aclose(self) -> None:
        """Nothing is held."""
