"""Runs told to calls, and what every client of the protocol may rely on, in Python: shared by the tests of MCP."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TypeAlias

from treadle.projections.mcp.project import ToolCallRun
from treadle.projections.mcp.telling import Telling
from treadle.projections.mcp.wire import MODERN
from treadle.values.exposure import Exposure, exposed_stretches
from treadle.values.ids import RunId
from treadle.values.pauses import PendingInterrupt
from treadle.values.stretches import Stretch

Message: TypeAlias = dict[str, Any]
RUN = RunId("r1")
SESSION = "2025-11-25"


def token_of(pending: PendingInterrupt) -> str:
    """A token as far as a projection is concerned."""
    return f"token-{pending.interrupt_id.replace('.', '-')}"


def telling(version: str = MODERN, **more: Any) -> Telling:  # noqa: ANN401 (fields of a telling)
    """How a call is told that asks for all there is."""
    given: dict[str, Any] = {"id_json": "7", "token_json": '"p"', "can_ask": True, "token_of": token_of, **more}
    return Telling(version=version, **given)


def payloads(stretches: Iterable[Stretch], told: Telling, exposure: Exposure | None = None) -> list[str]:
    """All that a call is told of a log."""
    run = ToolCallRun(RUN, told)
    said: list[str] = []
    for stretch in stretches:
        shown = (stretch,) if exposure is None else exposed_stretches(stretch, exposure)
        said += [payload for one in shown for payload in run.payloads(one)]
    return said


def messages(stretches: Iterable[Stretch], told: Telling, exposure: Exposure | None = None) -> list[Message]:
    """The same, read."""
    return [json.loads(payload) for payload in payloads(stretches, told, exposure)]


def result_of(said: list[Message]) -> Message:
    """The result that ends a call."""
    result: Message = said[-1]["result"]
    return result


def text_of(result: Message) -> str:
    """The texts of a result, joined."""
    assert all(block["type"] == "text" for block in result["content"])
    return "".join(block["text"] for block in result["content"])


def words_of(said: list[Message]) -> list[str]:
    """The words of all notifications of progress."""
    return [one["params"]["message"] for one in said if one.get("method") == "notifications/progress"]


def broken_rules(said: list[Message], told: Telling) -> list[str]:
    """What of it no client should be told: empty for a sound call, which need not be over."""
    found: list[str] = []
    number = 0
    asked: set[str] = set()
    for at, one in enumerate(said):
        if one.get("jsonrpc") != "2.0":
            found.append(f"{at}: no message")
        elif "method" not in one:
            if one.get("id") != json.loads(told.id_json) or "result" not in one or at != len(said) - 1:
                found.append(f"{at}: a response that is not the last, or not of this call")
        elif one["method"] == "notifications/progress":
            number, before = one["params"]["progress"], number
            if number <= before or one["params"]["progressToken"] != json.loads(told.token_json or "null"):
                found.append(f"{at}: progress {number} after {before}")
        elif one["method"] == "elicitation/create":
            if told.is_modern or one["id"] in asked:
                found.append(f"{at}: asked where it cannot be, or twice")
            asked.add(one["id"])
        elif one["method"] != "notifications/cancelled" or one["params"]["requestId"] not in asked:
            found.append(f"{at}: {one['method']}")
    return found
