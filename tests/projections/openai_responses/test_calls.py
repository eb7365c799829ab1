"""The calls of a run that its server runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.projections.hand_logs import APPROVAL, CALL, CALLED, DONE, PAGES, QUESTION, STARTED, made, paused
from treadle.projections.openai_responses.calls import CallsOfRun
from treadle.values import events as ev
from treadle.values.calls import ToolRequest
from treadle.values.ids import CallId


def seen(*events: Any) -> CallsOfRun:  # noqa: ANN401 (any events)
    """Calls of a run in which this happened."""
    calls = CallsOfRun()
    for event in (STARTED, *events, DONE):
        calls.see(event)
    return calls


def bare(number: int) -> Any:  # noqa: ANN401 (an event)
    """A call whose name is not told."""
    return made(ev.ToolCall, request=ToolRequest(call_id=CallId(f"r1.c{number}"), name=""))


def test_a_call_is_what_was_dispatched() -> None:
    """Ours: the arguments that it runs with, whatever was announced."""
    announced = made(ev.ToolAnnounced, call_id=CALL, name="add")
    item = seen(announced, CALLED).item(CALL, "calc")
    assert item is not None
    assert (item["id"], item["name"], item["arguments"], item["server_label"]) == (
        "mcp_r1.c1",
        "add",
        '{"a":1}',
        "calc",
    )
    never_ran = seen(announced).item(CALL, "calc")
    assert never_ran is not None
    assert (never_ran["name"], never_ran["arguments"]) == ("add", "{}")


def test_what_the_client_answers_is_none_of_the_servers() -> None:
    """Ours: a question, or a call of the page. Leave for a call is asked, and the call is the server's."""
    for pending in (QUESTION, PAGES):
        assert seen(CALLED, paused(pending)).item(CALL, "calc") is None
    assert seen(CALLED, paused(APPROVAL)).item(CALL, "calc") is not None


def test_a_call_without_a_name_is_a_step_once_it_ran() -> None:
    """Design §8: `opaque` shows "step n/max" a call, and past the limit "step n"."""
    calls = seen(bare(1), bare(2), bare(3), bare(1))
    items = [calls.item(CallId(f"r1.c{number}"), "calc") for number in (1, 2, 3)]
    assert [item["name"] for item in items if item is not None] == ["step 1/2", "step 2/2", "step 3"]
    assert seen(made(ev.ToolAnnounced, call_id=CALL, name="")).item(CALL, "calc") is None
    assert seen().item(CALL, "calc") is None
    unlimited = CallsOfRun()
    unlimited.see(replace(STARTED, tool_call_limit=0))
    unlimited.see(bare(1))
    item = unlimited.item(CallId("r1.c1"), "calc")
    assert item is not None
    assert item["name"] == "step 1"
