"""A model that says the same as another one, more slowly."""

from __future__ import annotations

import asyncio

from treadle.adapters.models.scripted import ScriptedModel
from treadle.cli.demos.paced_model import PacedModel
from treadle.ports.model import ModelRequest
from treadle.testing.virtual_time import run_virtually
from treadle.values.model import TEXT, ModelItem
from treadle.values.requests import PromptAssembly

SCRIPT = "text: a|b|c"


def test_each_read_waits_for_its_pause() -> None:
    """Ours: the first pause before the first word, the others between pieces; nothing else is changed."""

    async def said() -> list[tuple[float, list[ModelItem]]]:
        model = PacedModel(ScriptedModel.from_text(SCRIPT, name="s"), first_s=5.0, piece_s=1.0)
        loop = asyncio.get_running_loop()
        began = loop.time()
        request = ModelRequest(prompt=PromptAssembly(prompt="hi"))
        found = [(loop.time() - began, items) async for items in model.ask(request)]
        await model.aclose()
        assert model.name == "s"
        return found

    found = run_virtually(said())
    assert [at for at, _ in found] == [5.0, 6.0, 7.0, 8.0]
    assert [items for _, items in found[:3]] == [[(TEXT, "a")], [(TEXT, "b")], [(TEXT, "c")]]


def test_leaving_closes_the_model_behind() -> None:
    """Ours: a run that is cancelled in a pause leaves no stream open."""

    async def left() -> int:
        script = ScriptedModel.from_text(SCRIPT)
        answer = PacedModel(script, first_s=0, piece_s=1).ask(ModelRequest(prompt=PromptAssembly(prompt="hi")))
        await anext(answer)
        await answer.aclose()
        return script.open_streams

    assert run_virtually(left()) == 0
