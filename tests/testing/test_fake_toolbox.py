"""Tools without functions."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from treadle.errors import PlanError
from treadle.ports.toolbox import CallContext
from treadle.testing.fake_toolbox import HANG, FakeTool, FakeToolbox
from treadle.values.calls import ToolRequest


class _Reader:
    """Who is told of progress."""

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.context = CallContext(progress=self._take, stop=asyncio.Event())

    async def _take(self, payload: Any) -> None:  # noqa: ANN401 (JSON terms)
        self.told.append(payload)


async def test_a_tool_gives_what_it_is_told_to_after_its_progress() -> None:
    """And the toolbox remembers what was asked of it (ours)."""
    toolbox = FakeToolbox(FakeTool(name="f", gives=(1, {"b": 2.0}), progress=("half", 1)))
    reader = _Reader()
    request = ToolRequest(name="f")
    assert await toolbox.call(request, reader.context) == (1, {"b": 2.0})
    assert (reader.told, toolbox.calls, toolbox.running) == (["half", 1], [request], 0)


async def test_a_tool_that_hangs_runs_until_it_is_cancelled() -> None:
    """How many run is told meanwhile (ours)."""
    toolbox = FakeToolbox(FakeTool(name="f", gives=HANG))
    call = asyncio.create_task(toolbox.call(ToolRequest(name="f"), _Reader().context))
    await asyncio.sleep(0)
    assert (toolbox.running, call.done()) == (1, False)
    call.cancel()
    await asyncio.wait([call])
    assert (toolbox.running, call.cancelled()) == (0, True)


@pytest.mark.parametrize(
    ("kind", "sound", "wrong"),
    [
        (str, "a", 1),
        (int, 1, True),
        (int, 1, 1.0),
        (float, 1, "1"),
        (float, 0.5, True),
        (bool, True, 1),
        (list, [1], "a"),
        (dict, {"a": 1}, [1]),
    ],
)
def test_arguments_are_held_to_the_types_of_json(kind: type, sound: object, wrong: object) -> None:
    """A number is no boolean, and a whole one is a number (JSON schema 2020-12)."""
    tool = FakeTool(name="f", parameters={"p": kind})
    assert tool.damage_of(ToolRequest(name="f", arguments={"p": sound}).arguments) is None
    assert "'p' must be of type" in str(tool.damage_of({"p": wrong}))
    assert set(tool.spec.parameters["properties"]) == {"p"}


def test_names_are_held_to_what_is_declared() -> None:
    """Missing and unexpected arguments are damage, told in the order of their names (ours)."""
    tool = FakeTool(name="f", parameters={"p": int, "o": int})
    assert (tool.damage_of({"p": 1}), tool.damage_of({})) == ("'o' is missing", "'o' is missing")
    assert tool.damage_of({"p": 1, "o": 1, "x": 1}) == "'x' is not expected"


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ([FakeTool(name="f"), FakeTool(name="f")], "names of their own"),
        ([FakeTool(name="f", parameters={"p": bytes})], "parameter 'p'"),
    ],
)
def test_what_cannot_be_a_toolbox_is_refused(tools: list[FakeTool], words: str) -> None:
    """A mistake in a test is told where it is made (ours)."""
    with pytest.raises(PlanError, match=words):
        FakeToolbox(*tools)
