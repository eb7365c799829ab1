"""A client of AG-UI that holds messages and state as the official one does.

In: events that are in order. Out: what it holds.

Source: @ag-ui/client, defaultApplyEvents; tests/projections/agui/test_official_client.py compares the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Event = Mapping[str, Any]


@dataclass
class Client:
    """What one client holds, and how each of its runs ended.

    Shape: `own` are messages that it holds from the beginning; `deltas` are the texts that came as pieces.
    """

    messages: list[dict[str, Any]] = field(default_factory=list)
    state: Any = None
    endings: list[Event] = field(default_factory=list)

    def take(self, events: Iterable[Event]) -> Client:
        """Take in events."""
        for event in events:
            getattr(self, f"_{event['type'].lower()}", self._other)(event)
        return self

    @property
    def text(self) -> str:
        """All that assistants said."""
        return "".join(one.get("content", "") for one in self.messages if one["role"] == "assistant")

    @property
    def thinking(self) -> str:
        """All reasoning."""
        return "".join(one["content"] for one in self.messages if one["role"] == "reasoning")

    @property
    def calls(self) -> dict[str, tuple[str, str, str | None]]:
        """Name, argument text and result of each call, by its id."""
        results = {one["toolCallId"]: one["content"] for one in self.messages if one["role"] == "tool"}
        calls = [call for one in self.messages for call in one.get("toolCalls", ())]
        return {
            call["id"]: (call["function"]["name"], call["function"]["arguments"], results.get(call["id"]))
            for call in calls
        }

    def _find(self, named: str) -> dict[str, Any] | None:
        return next((one for one in self.messages if one["id"] == named), None)

    def _opened(self, named: str, role: str) -> None:
        if self._find(named) is None:
            self.messages.append({"id": named, "role": role, "content": ""})

    def _text_message_start(self, event: Event) -> None:
        self._opened(event["messageId"], event["role"])

    def _reasoning_message_start(self, event: Event) -> None:
        self._opened(event["messageId"], "reasoning")

    def _text_message_content(self, event: Event) -> None:
        message = self._find(event["messageId"])
        assert message is not None
        message["content"] = message.get("content", "") + event["delta"]

    _reasoning_message_content = _text_message_content

    def _call(self, named: str) -> dict[str, Any] | None:
        calls = (call for one in self.messages for call in one.get("toolCalls", ()))
        return next((call for call in calls if call["id"] == named), None)

    def _tool_call_start(self, event: Event) -> None:
        named, parent = event["toolCallId"], event.get("parentMessageId")
        if self._call(named) is not None:
            return
        owner = None if parent is None else self._find(parent)
        assert parent is None or owner is not None, "the parent of a call is a message that exists"
        if owner is None:
            owner = {"id": named, "role": "assistant"}
            self.messages.append(owner)
        function = {"name": event["toolCallName"], "arguments": ""}
        owner.setdefault("toolCalls", []).append({"id": named, "type": "function", "function": function})

    def _tool_call_args(self, event: Event) -> None:
        call = self._call(event["toolCallId"])
        assert call is not None
        call["function"]["arguments"] += event["delta"]

    def _tool_call_result(self, event: Event) -> None:
        message = {"id": event["messageId"], "role": "tool", "content": event["content"]}
        message |= {"toolCallId": event["toolCallId"], "metadata": event["metadata"]}
        owners = [at for at, one in enumerate(self.messages) if _holds(one, event["toolCallId"])]
        assert owners, "a result is of a call that was told"
        at = owners[0] + 1
        while at < len(self.messages) and self.messages[at]["role"] == "tool":
            at += 1
        self.messages.insert(at, message)

    def _messages_snapshot(self, event: Event) -> None:
        told = {one["id"]: one for one in event["messages"]}
        has_reasoning = any(one["role"] == "reasoning" for one in event["messages"])
        kept = [one for one in self.messages if one["id"] in told or (one["role"] == "reasoning" and not has_reasoning)]
        self.messages = [told.pop(one["id"], one) for one in kept] + []
        self.messages += told.values()

    def _state_snapshot(self, event: Event) -> None:
        self.state = event["snapshot"]

    def _run_finished(self, event: Event) -> None:
        self.endings.append(event)

    _run_error = _run_finished

    def _other(self, _: Event) -> None:
        """Changes nothing that is held."""


def _holds(message: Mapping[str, Any], call_id: str) -> bool:
    return any(call["id"] == call_id for call in message.get("toolCalls", ()))
