"""A model that says what a test tells it to, while it is asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

from treadle.errors import ModelTruncatedError
from treadle.ports.model import ModelRequest
from treadle.values.calls import ToolRequest
from treadle.values.model import TEXT, ModelItem, ModelTurn, TurnEnded
from treadle.values.usage import NO_USAGE, UsageDelta


@dataclass
class Asked:
    """One question, for as long as it is being answered.

    Shape: `prompt` tells the run, `round` is how many turns it has behind it; `spoken` is all that was said.
    """

    prompt: str
    round: int
    spoken: str = ""
    usage: UsageDelta = NO_USAGE
    is_over: bool = False
    items: asyncio.Queue[list[ModelItem] | Exception] = field(default_factory=asyncio.Queue)

    def say(self, text: str) -> None:
        """Say a piece of text."""
        self.spoken += text
        self.items.put_nowait([(TEXT, text)])

    def end(self, *requests: ToolRequest, usage: UsageDelta = NO_USAGE) -> None:
        """End the turn."""
        self.is_over, self.usage = True, usage
        self.items.put_nowait([TurnEnded(turn=ModelTurn(text=self.spoken, tool_requests=requests, usage=usage))])

    def break_off(self) -> None:
        """The stream ends in the middle."""
        self.is_over = True
        self.items.put_nowait(ModelTruncatedError("broken off"))


class Puppet:
    """The model port by hand.

    Shape: `asked` holds every question, oldest first, `requests` what each was told; `open` those that wait for more.
    """

    name = "puppet"

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.requests: list[ModelRequest] = []
        self._open: list[Asked] = []

    @property
    def open(self) -> list[Asked]:
        """The questions that wait for more."""
        return [one for one in self._open if not one.is_over]

    async def ask(self, request: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
        """Say what is told."""
        asked = Asked(prompt=request.prompt.prompt, round=len(request.turns))
        self.asked.append(asked)
        self.requests.append(request)
        self._open.append(asked)
        try:
            while True:
                items = await asked.items.get()
                if isinstance(items, Exception):
                    raise items
                yield items
        finally:
            self._open.remove(asked)

    async def aclose(self) -> None:
        """Nothing is held."""
