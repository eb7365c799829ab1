"""A client of the UI message stream, written from the protocol's own text: it refuses what `useChat` refuses.

Shares no code with the projection. The official client is asked in test_official_client.py, where it is installed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

_FLAGS: Final = {"providerExecuted": bool, "dynamic": bool, "toolMetadata": dict, "title": str}
_ANY: Final = object

REQUIRED: Final[Mapping[str, Mapping[str, type]]] = {
    "start": {"messageId": str},
    "start-step": {},
    "finish-step": {},
    "reset-step": {},
    "text-start": {"id": str},
    "text-delta": {"id": str, "delta": str},
    "text-end": {"id": str},
    "reasoning-start": {"id": str},
    "reasoning-delta": {"id": str, "delta": str},
    "reasoning-end": {"id": str},
    "tool-input-start": {"toolCallId": str, "toolName": str},
    "tool-input-delta": {"toolCallId": str, "inputTextDelta": str},
    "tool-input-available": {"toolCallId": str, "toolName": str, "input": _ANY},
    "tool-input-error": {"toolCallId": str, "toolName": str, "input": _ANY, "errorText": str},
    "tool-approval-request": {"approvalId": str, "toolCallId": str},
    "tool-approval-response": {"approvalId": str, "approved": bool},
    "tool-output-available": {"toolCallId": str, "output": _ANY},
    "tool-output-error": {"toolCallId": str, "errorText": str},
    "tool-output-denied": {"toolCallId": str},
    "message-metadata": {"messageMetadata": dict},
    "finish": {"finishReason": str},
    "abort": {},
    "error": {"errorText": str},
}
OPTIONAL: Final[Mapping[str, Mapping[str, type]]] = {
    "start": {"messageMetadata": dict},
    "tool-input-start": _FLAGS,
    "tool-input-available": _FLAGS,
    "tool-input-error": _FLAGS,
    "tool-approval-request": {"approvalDescriptor": dict},
    "tool-approval-response": {"reason": str},
    "tool-output-available": {"toolMetadata": dict, "preliminary": bool},
    "tool-output-error": {"toolMetadata": dict},
    "finish": {"messageMetadata": dict},
    "abort": {"reason": str},
}
REASONS: Final = {"stop", "length", "content-filter", "tool-calls", "error", "interrupted", "other"}
ENDS: Final = {"finish", "abort", "error"}


class RefusedError(Exception):
    """The client takes no more of this stream."""


@dataclass
class UiClient:
    """Holds one message, over as many responses as it has."""

    parts: list[dict[str, Any]] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    message_id: str | None = None
    ending: str | None = None
    reason: str = ""
    transient: list[dict[str, Any]] = field(default_factory=list)

    def read(self, payloads: Iterable[str], *, replays: bool = False) -> UiClient:
        """Take one response; `replays`: it tells the message from the beginning."""
        if replays:
            self.parts, self.metadata, self.transient = [], {}, []
        self.ending, self._active, self._steps, self._started = None, dict[str, dict[str, Any]](), 0, False
        said = list(payloads)
        _hold(said[-1:] == ["[DONE]"], "no [DONE] at the end")
        for payload in said[:-1]:
            _hold(payload.isprintable() or not any(mark in payload for mark in "\n\r\u2028\u2029\x85"), "a line end")
            self._take(json.loads(payload, parse_constant=_no_number))
        _hold(self.ending is not None, "neither finish, abort nor error")
        return self

    @property
    def text(self) -> str:
        """All text it shows."""
        return "".join(part["text"] for part in self.parts if part["type"] == "text")

    @property
    def thinking(self) -> str:
        """All thinking it shows."""
        return "".join(part["text"] for part in self.parts if part["type"] == "reasoning")

    @property
    def tools(self) -> dict[str, dict[str, Any]]:
        """Its tool parts by their calls; one a call."""
        found = [part for part in self.parts if "toolCallId" in part]
        named = {part["toolCallId"]: part for part in found}
        _hold(len(named) == len(found), "two parts of one call")
        return named

    @property
    def data(self) -> list[dict[str, Any]]:
        """Its data parts."""
        return [part for part in self.parts if part["type"].startswith("data-")]

    @property
    def sends_by_itself(self) -> bool:
        """Whether `lastAssistantMessageIsCompleteWithToolCalls` says that the page is to post again."""
        last = [part for part in self._last_step() if "toolCallId" in part and not part.get("providerExecuted")]
        settled = {"output-available", "output-error"}
        return bool(last) and all(part["state"] in settled and not part.get("preliminary") for part in last)

    def answer(self, leave: Mapping[str, bool], outputs: Mapping[str, Any]) -> None:
        """What the person at the page says."""
        for part in self.parts:
            if part.get("state") == "approval-requested" and part["approval"]["id"] in leave:
                part["state"] = "approval-responded"
                part["approval"]["approved"] = leave[part["approval"]["id"]]
            elif part.get("state") == "input-available" and part["toolCallId"] in outputs:
                part.update(state="output-available", output=outputs[part["toolCallId"]])

    def _take(self, chunk: dict[str, Any]) -> None:
        kind = chunk["type"]
        _hold(self.ending is None, f"{kind} behind {self.ending}")
        _hold(self._started or kind == "start", f"{kind} before start")
        if kind.startswith("data-"):
            self._data(chunk)
            return
        _hold(kind in REQUIRED, f"unknown type {kind}")
        required, optional = REQUIRED[kind], OPTIONAL.get(kind, {})
        _hold(required.keys() <= chunk.keys(), f"{kind} lacks {required.keys() - chunk.keys()}")
        _hold(chunk.keys() <= {"type", *required, *optional}, f"{kind} has {chunk.keys()}")
        for name, wanted in {**required, **optional}.items():
            _hold(name not in chunk or isinstance(chunk[name], wanted), f"{kind}.{name} is {chunk.get(name)!r}")
        getattr(self, f"_on_{kind.replace('-', '_')}")(chunk)

    def _on_start(self, chunk: dict[str, Any]) -> None:
        _hold(not self._started, "two starts")
        _hold(self.message_id in (None, chunk["messageId"]), "another message")
        self._started, self.message_id = True, chunk["messageId"]
        self.metadata.update(chunk.get("messageMetadata", {}))

    def _on_start_step(self, _: dict[str, Any]) -> None:
        _hold(self._steps == 0, "a step in a step")
        self._steps = 1
        self.parts.append({"type": "step-start"})

    def _on_finish_step(self, _: dict[str, Any]) -> None:
        _hold(self._steps == 1, "no step to finish")
        _hold(not self._active, f"open at the end of a step: {list(self._active)}")
        self._steps = 0

    def _on_reset_step(self, _: dict[str, Any]) -> None:
        self._active = {}
        del self.parts[len(self.parts) - len(self._last_step()) :]

    def _part_start(self, chunk: dict[str, Any], kind: str) -> None:
        named = f"{kind} {chunk['id']}"
        _hold(not self._active, f"{named} begins in {list(self._active)}")
        _hold(all(part.get("id") != chunk["id"] for part in self.parts if part["type"] == kind), f"{named} twice")
        self._active[named] = {"type": kind, "id": chunk["id"], "text": "", "state": "streaming"}
        self.parts.append(self._active[named])

    def _delta(self, chunk: dict[str, Any], kind: str) -> None:
        _hold(f"{kind} {chunk['id']}" in self._active, f"a delta of {chunk['id']}, which is not open")
        _hold(chunk["delta"] != "", "an empty delta")
        self._active[f"{kind} {chunk['id']}"]["text"] += chunk["delta"]

    def _part_end(self, chunk: dict[str, Any], kind: str) -> None:
        _hold(f"{kind} {chunk['id']}" in self._active, f"the end of {chunk['id']}, which is not open")
        self._active.pop(f"{kind} {chunk['id']}")["state"] = "done"

    def _on_text_start(self, chunk: dict[str, Any]) -> None:
        self._part_start(chunk, "text")

    def _on_text_delta(self, chunk: dict[str, Any]) -> None:
        self._delta(chunk, "text")

    def _on_text_end(self, chunk: dict[str, Any]) -> None:
        self._part_end(chunk, "text")

    def _on_reasoning_start(self, chunk: dict[str, Any]) -> None:
        self._part_start(chunk, "reasoning")

    def _on_reasoning_delta(self, chunk: dict[str, Any]) -> None:
        self._delta(chunk, "reasoning")

    def _on_reasoning_end(self, chunk: dict[str, Any]) -> None:
        self._part_end(chunk, "reasoning")

    def _on_tool_input_start(self, chunk: dict[str, Any]) -> None:
        _hold(chunk["toolCallId"] not in self.tools, f"{chunk['toolCallId']} begins twice")
        self._tool(chunk).update(state="input-streaming", raw="")

    def _on_tool_input_delta(self, chunk: dict[str, Any]) -> None:
        part = self._called(chunk)
        _hold(part["state"] == "input-streaming", f"input behind {part['state']}")
        part["raw"] += chunk["inputTextDelta"]

    def _on_tool_input_available(self, chunk: dict[str, Any]) -> None:
        self._tool(chunk).update(state="input-available", input=chunk["input"])

    def _on_tool_input_error(self, chunk: dict[str, Any]) -> None:
        self._tool(chunk).update(state="output-error", input=chunk["input"], error=chunk["errorText"])

    def _on_tool_approval_request(self, chunk: dict[str, Any]) -> None:
        part = self._called(chunk)
        _hold(part["state"] in ("input-available", "approval-requested", "approval-responded"), "leave before input")
        part.update(state="approval-requested", approval={"id": chunk["approvalId"]})

    def _on_tool_approval_response(self, chunk: dict[str, Any]) -> None:
        found = [part for part in self.parts if part.get("approval", {}).get("id") == chunk["approvalId"]]
        _hold(len(found) == 1, f"{len(found)} calls of approval {chunk['approvalId']}")
        found[0].update(state="approval-responded")
        found[0]["approval"]["approved"] = chunk["approved"]

    def _on_tool_output_available(self, chunk: dict[str, Any]) -> None:
        part = self._called(chunk)
        _hold(part["state"] != "input-streaming", "an output before the input")
        part.update(state="output-available", output=chunk["output"], preliminary=chunk.get("preliminary", False))
        approval = part.get("approval", {}).get("approved", True)
        _hold(approval is True or bool(part["preliminary"]), "an output of what was refused")

    def _on_tool_output_error(self, chunk: dict[str, Any]) -> None:
        part = self._called(chunk)
        _hold(part["state"] != "input-streaming", "an output before the input")
        _hold(part.get("approval", {}).get("approved", True) is True, "an error of what was refused")
        part.update(state="output-error", error=chunk["errorText"], preliminary=False)

    def _on_tool_output_denied(self, chunk: dict[str, Any]) -> None:
        part = self._called(chunk)
        _hold(part["approval"]["approved"] is False, "denied, and nobody said no")
        part.update(state="output-denied")

    def _on_message_metadata(self, chunk: dict[str, Any]) -> None:
        self.metadata.update(chunk["messageMetadata"])

    def _on_finish(self, chunk: dict[str, Any]) -> None:
        _hold(chunk["finishReason"] in REASONS, f"reason {chunk['finishReason']}")
        self.metadata.update(chunk.get("messageMetadata", {}))
        self._end("finish", chunk["finishReason"])

    def _on_abort(self, chunk: dict[str, Any]) -> None:
        self._end("abort", chunk.get("reason", ""))

    def _on_error(self, chunk: dict[str, Any]) -> None:
        self._end("error", chunk["errorText"])

    def _end(self, ending: str, reason: str) -> None:
        self.ending, self.reason = ending, reason
        _hold(not self._active, f"open at the end: {list(self._active)}")
        _hold(self._steps == 0, "a step is open at the end")
        _hold(all(part.get("state") != "streaming" for part in self.parts), "a part goes on for ever")
        if self.metadata.get("state") != "paused":
            streaming = [named for named, part in self.tools.items() if part["state"] == "input-streaming"]
            _hold(not streaming, f"input goes on for ever: {streaming}")

    def _tool(self, chunk: dict[str, Any]) -> dict[str, Any]:
        """The part of a call: in the last step, or else a new one."""
        kind = "dynamic-tool" if chunk.get("dynamic") else f"tool-{chunk['toolName']}"
        for part in self._last_step():
            if part.get("toolCallId") == chunk["toolCallId"]:
                _hold(part["type"] == kind, f"{chunk['toolCallId']} is {part['type']} and {kind}")
                part["providerExecuted"] = chunk.get("providerExecuted", part["providerExecuted"])
                return part
        made = {"type": kind, "toolCallId": chunk["toolCallId"], "name": chunk["toolName"], "title": chunk.get("title")}
        self.parts.append({**made, "providerExecuted": chunk.get("providerExecuted")})
        return self.parts[-1]

    def _called(self, chunk: dict[str, Any]) -> dict[str, Any]:
        _hold(chunk["toolCallId"] in self.tools, f"no call {chunk['toolCallId']}")
        return self.tools[chunk["toolCallId"]]

    def _data(self, chunk: dict[str, Any]) -> None:
        _hold(chunk.keys() <= {"type", "id", "data", "transient"} and "data" in chunk, f"{chunk}")
        if chunk.get("transient"):
            self.transient.append(chunk)
            return
        for part in self.parts:
            if (part["type"], part.get("id")) == (chunk["type"], chunk.get("id")):
                part["data"] = chunk["data"]
                return
        self.parts.append(chunk)

    def _last_step(self) -> list[dict[str, Any]]:
        begins = max((at for at, part in enumerate(self.parts) if part["type"] == "step-start"), default=-1)
        return self.parts[begins + 1 :]


def _hold(is_so: bool, otherwise: str) -> None:  # noqa: FBT001 (reads as a sentence)
    if not is_so:
        raise RefusedError(otherwise)


def _no_number(name: str) -> None:
    raise RefusedError(f"{name} is no JSON")
