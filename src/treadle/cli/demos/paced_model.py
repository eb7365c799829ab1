"""A model that takes its time, so that there is a middle of an answer to do something in.

In: another model, and its pace. Out: the same items, each read no sooner than its pause after the one before.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from treadle.ports.model import Model, ModelRequest
from treadle.values.model import ModelItem


class PacedModel:
    """A model that says the same as another one, at a reading pace.

    Units: `first_s` seconds before the first word of a turn, `piece_s` before each read after it.
    """

    def __init__(self, model: Model, *, first_s: float, piece_s: float) -> None:
        self._model = model
        self._first_s, self._piece_s = first_s, piece_s

    @property
    def name(self) -> str:
        """What the model is called in events."""
        return self._model.name

    async def ask(self, request: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
        """Ask the other model. See `Model`."""
        async with aclosing(self._model.ask(request)) as reads:
            pause_s = self._first_s
            async for items in reads:
                await asyncio.sleep(pause_s)
                pause_s = self._piece_s
                yield items

    async def aclose(self) -> None:
        """Give back what the other model holds."""
        await self._model.aclose()
