"""The scripted model: the model port over a script.

In: questions. Out: what the script says. Turn k of the script is what a run hears when it has k turns behind it, so
runs at the same time do not disturb each other.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Final, NoReturn, Self

from treadle.adapters.models.scripted.notation import parse_script
from treadle.adapters.models.scripted.speech import Move, played
from treadle.adapters.models.scripted.steps import Fault, FaultKind, Gate, ScriptedTurn
from treadle.errors import (
    ModelBusyError,
    ModelError,
    ModelGarbledError,
    ModelRefusedError,
    ModelTimeoutError,
    ModelTruncatedError,
    ModelUnavailableError,
    PlanError,
)
from treadle.ports.model import ModelRequest
from treadle.values.model import ModelItem
from treadle.values.requests import PromptAssembly

ASKS_KEPT: Final = 1000
"""How many of the latest questions are remembered."""

_ERRORS: Final[dict[FaultKind, tuple[type[ModelError], str]]] = {
    FaultKind.EOF: (ModelTruncatedError, "the script ended the stream without a finish"),
    FaultKind.BUSY: (ModelBusyError, "the script says that the model is busy"),
    FaultKind.REFUSED: (ModelRefusedError, "the script says that the model refuses"),
    FaultKind.GARBLED: (ModelGarbledError, "the script says that the stream cannot be read"),
    FaultKind.TIMEOUT: (ModelTimeoutError, "the script says that the model did not answer in time"),
    FaultKind.UNAVAILABLE: (ModelUnavailableError, "the script says that the model is unavailable"),
}


class ScriptedModel:
    """A model that says what its script says.

    Shape: `asks` holds what it was told, oldest first, the latest `ASKS_KEPT`; `open_streams` counts the answers that
    are neither over nor closed. A turn asked again by the same run (the same `PromptAssembly` object, the same number
    of turns) is the turn's next attempt.
    """

    def __init__(
        self,
        turns: Sequence[ScriptedTurn],
        *,
        name: str = "scripted",
        items_per_read: int = 1,
        yields: bool = False,
    ) -> None:
        """Play these turns; with `yields`, let the event loop turn once before each read.

        Raises:
            PlanError: There is no turn.
        """
        if not turns:
            raise PlanError(("a script needs a turn at least",))
        self._name = name
        self._yields = yields
        self._turns: tuple[tuple[tuple[Move, ...], ...], ...] = tuple(
            tuple(played(attempt, items_per_read=items_per_read) for attempt in turn.attempts) for turn in turns
        )
        # The prompt is kept with its count: only while it lives is its identity its own.
        self._asked: OrderedDict[tuple[int, int], tuple[PromptAssembly, int]] = OrderedDict()
        self._gates: dict[str, asyncio.Event] = {}
        self.asks: list[ModelRequest] = []
        self.open_streams = 0

    @classmethod
    def from_text(cls, script: str, *, name: str = "scripted", items_per_read: int = 1, yields: bool = False) -> Self:
        """The model of a script in the notation of `parse_script`.

        Raises:
            PlanError: The script cannot be read; each problem names its line.
        """
        return cls(parse_script(script), name=name, items_per_read=items_per_read, yields=yields)

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """The model of a script in a file: what `scripted:FILE` names.

        Raises:
            PlanError: The file or the script in it cannot be read.
        """
        try:
            script = Path(path).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise PlanError((f"script {str(path)!r} cannot be read: {reason}",)) from error
        try:
            return cls.from_text(script)
        except PlanError as error:
            raise PlanError(tuple(f"{path}: {problem}" for problem in error.problems)) from error

    @property
    def name(self) -> str:
        """What the model is called in events."""
        return self._name

    async def ask(self, request: ModelRequest, /) -> AsyncGenerator[list[ModelItem], None]:
        """Play the turn that the request is due.

        Raises:
            ModelError: The script says so, or it has no turn for the request.
            RuntimeError: The script says `raise`.
        """
        moves = self._due(request)
        self.open_streams += 1
        try:
            for move in moves:
                if isinstance(move, Gate):
                    await self._gate(move.name).wait()
                elif isinstance(move, Fault):
                    await self._break(move)
                else:
                    if self._yields:
                        await asyncio.sleep(0)
                    yield list(move)
        finally:
            self.open_streams -= 1

    def open_gate(self, name: str) -> None:
        """Let all answers go on that wait, or will wait, at the gate of this name."""
        self._gate(name).set()

    async def aclose(self) -> None:
        """Nothing is held."""

    def _due(self, request: ModelRequest) -> tuple[Move, ...]:
        at = len(request.turns)
        key = (id(request.prompt), at)
        _, attempt = self._asked.get(key, (request.prompt, 0))
        self._asked[key] = (request.prompt, attempt + 1)
        if len(self._asked) > ASKS_KEPT:
            self._asked.popitem(last=False)
        self.asks.append(ModelRequest(prompt=request.prompt, turns=tuple(request.turns), tools=request.tools))
        del self.asks[:-ASKS_KEPT]
        if at >= len(self._turns):
            raise ModelRefusedError(
                f"the script has {len(self._turns)} turns and was asked for turn {at + 1}", provider=self._name
            )
        attempts = self._turns[at]
        return attempts[min(attempt, len(attempts) - 1)]

    async def _break(self, fault: Fault) -> NoReturn:
        if fault.kind is FaultKind.HANG:
            await asyncio.Event().wait()
        if fault.kind is FaultKind.RAISE:
            raise RuntimeError(fault.words or "the script raises")
        kind, words = _ERRORS[fault.kind]
        raise kind(
            fault.words or words,
            provider=self._name,
            status=fault.status,
            retry_after_s=fault.retry_after_s,
        )

    def _gate(self, name: str) -> asyncio.Event:
        return self._gates.setdefault(name, asyncio.Event())
