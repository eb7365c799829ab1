"""A model that writes its turns when it is asked."""

from __future__ import annotations

from contextlib import aclosing

import pytest

from treadle.adapters.models.scripted.steps import ScriptedTurn
from treadle.errors import ModelBusyError
from treadle.ports.model import ModelRequest
from treadle.testing.scenarios import model
from treadle.testing.scenarios.model import WrittenModel
from treadle.testing.scripts import fault, text, turn
from treadle.values.model import TEXT, ModelItem, ModelTurn
from treadle.values.requests import PromptAssembly, TurnMessage


def _broken_once(request: ModelRequest) -> ScriptedTurn:
    said = text(request.prompt.prompt, f" {len(request.turns)}")
    return turn(said, fault("busy"), again=((text("again ", request.prompt.prompt),),))


class _Waits:
    def __init__(self) -> None:
        self.told: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.told.append(seconds)


def _model(waits: _Waits) -> WrittenModel:
    return WrittenModel("written", _broken_once, pace=lambda number: number / 2, wait=waits)


async def _said(asked: WrittenModel, request: ModelRequest) -> tuple[list[ModelItem], bool]:
    """What came, and whether it broke."""
    items: list[ModelItem] = []
    async with aclosing(asked.ask(request)) as reads:
        try:
            async for some in reads:
                items += some
        except ModelBusyError:
            return items, True
    return items, False


async def test_a_turn_is_written_for_its_question_and_each_read_has_its_wait() -> None:
    """Ours: what is said depends on what was asked; time is whoever's who gave the wait."""
    waits = _Waits()
    request = ModelRequest(prompt=PromptAssembly(prompt="hello"))
    assert await _said(_model(waits), request) == ([(TEXT, "hello"), (TEXT, " 0")], True)
    assert waits.told == [0, 0.5]
    turns = (TurnMessage(turn=ModelTurn()),)
    later = ModelRequest(prompt=request.prompt, turns=turns)
    assert (await _said(_model(waits), later))[0] == [(TEXT, "hello"), (TEXT, " 1")]
    assert _model(waits).name == "written"


async def test_a_question_asked_again_is_the_next_attempt_of_its_own_run_alone() -> None:
    """Ours: runs at the same time, with the same prompt, do not meet."""
    asked = _model(_Waits())
    one, other = (ModelRequest(prompt=PromptAssembly(prompt="hi")) for _ in range(2))
    first, again = await _said(asked, one), await _said(asked, one)
    assert (first[1], again[1]) == (True, False)
    assert again[0][:2] == [(TEXT, "again "), (TEXT, "hi")]
    assert await _said(asked, other) == first
    assert await _said(asked, one) == first
    await asked.aclose()


async def test_what_broke_and_is_never_asked_again_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: a server of scenarios runs as long as it likes."""
    monkeypatch.setattr(model, "BROKEN_KEPT", 1)
    asked = _model(_Waits())
    one, other = (ModelRequest(prompt=PromptAssembly(prompt="hi")) for _ in range(2))
    assert [(await _said(asked, request))[1] for request in (one, other, one, one)] == [True, True, True, False]
