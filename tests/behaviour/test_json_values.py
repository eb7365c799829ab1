"""One form of a value everywhere: in the log, in the store, to the model and on the wire."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given

from tests.codec.test_foreign_properties import TAME
from tests.runtime.agents import model_of, scripted
from treadle.app.runner import Runner
from treadle.codec.events import json_line, kernel_event_json
from treadle.codec.foreign import json_bytes, json_text, json_value
from treadle.codec.records import RecordCodec
from treadle.plan.tools import tool
from treadle.projections.plain.project import payloads
from treadle.projections.plain.wire import Integers
from treadle.values.events import ToolProgress, ToolResult
from treadle.values.ids import RunId
from treadle.values.requests import TurnMessage
from treadle.values.stretches import EntryStretch

SCRIPT = "call: give {}\n---\ntext: done"


@pytest.mark.slow
@pytest.mark.requirement("VALUE-agree", "VALUE-browser")
@given(value=TAME, step=TAME)
def test_log_store_model_and_wire_agree_about_whatever_a_tool_gives(value: object, step: object) -> None:
    """Design: foreign values become JSON once, where they enter, so log, model and wires agree."""
    asyncio.run(_agree(value, step))


async def _agree(value: object, step: object) -> None:
    @tool
    async def give() -> Any:  # noqa: ANN401 (anything at all)
        """Give it."""
        yield step
        yield value

    agent = scripted(SCRIPT, tools=[give])
    async with Runner([agent]) as runner:
        started = await runner.start("a", "go")
        seen = [record.event async for record in runner.watch(started.run_id)]
    (result,) = (event for event in seen if isinstance(event, ToolResult))
    (progress,) = (event for event in seen if isinstance(event, ToolProgress))
    expected, expected_step = json_value(value), json_value(step)
    assert json_bytes(result.outcome.content) == json_bytes(expected)
    assert json_bytes(progress.payload) == json_bytes(expected_step)
    assert _wire(result)["outcome"]["content"] == _read(expected)
    assert _wire(progress)["payload"] == _read(expected_step)
    assert _stored(result) == result
    for event in (result, progress):
        assert _as_a_browser_reads_it(event) == _said_as_text(_wire(event))
    told = model_of(agent).asks[-1].turns[-1]
    assert isinstance(told, TurnMessage)
    assert json_bytes(told.outcomes[0].content) == json_bytes(expected)


def _wire(event: ToolResult | ToolProgress) -> Any:  # noqa: ANN401 (any JSON)
    return json.loads(json_line(kernel_event_json(event)))


def _stored(event: ToolResult) -> object:
    """The event as a store gives it back."""
    stretch = EntryStretch(seq=0, index=event.index, entries=(event,), at_s=1.0)
    codec = RecordCodec()
    read = codec.load_stretch(codec.dump_stretch(stretch))
    assert isinstance(read, EntryStretch)
    return read.entries[0]


def _as_a_browser_reads_it(event: ToolResult | ToolProgress) -> Any:  # noqa: ANN401 (any JSON)
    """The wire for browsers, read with numbers of 64 bits."""
    stretch = EntryStretch(seq=0, index=event.index, entries=(event,), at_s=1.0)
    ((_, _, payload),) = payloads(stretch, RunId(event.run_id), after=-1, integers=Integers.TEXT)
    return json.loads(payload, parse_int=lambda digits: int(float(digits)))


def _said_as_text(value: Any) -> Any:  # noqa: ANN401 (any JSON)
    """The value with what such a reader would round as text."""
    match value:
        case dict():
            return {key: _said_as_text(item) for key, item in value.items()}
        case list():
            return [_said_as_text(item) for item in value]
        case int() if abs(value) >= 2**53:
            return str(value)
        case _:
            return value


def _read(terms: object) -> Any:  # noqa: ANN401 (any JSON)
    return json.loads(json_text(terms))
