"""A call that waits for a person, to the pause that it is: for leave, for answers, for the front end, for an interrupt.

In: a checked request and what is declared of its tool. Out: what a person is asked, and in which form they may answer.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from treadle.kernel.inputs import PauseAsk
from treadle.ports.clock import Clock
from treadle.ports.toolbox import InterruptAsk, Toolbox
from treadle.values.calls import ToolRequest
from treadle.values.mappings import Json, thawed
from treadle.values.pauses import OnExpiry, PauseKind, PauseRules
from treadle.values.tools import ToolSpec

LONGEST_OTHER: Final = 1000
"""Characters of an answer in a person's own words."""


class CallAsks:
    """What people are asked about the calls of one agent, by its rules.

    Shape: a call that is damaged is never asked about: it does not run.
    """

    def __init__(self, *, toolbox: Toolbox, clock: Clock, rules: PauseRules) -> None:
        self._toolbox = toolbox
        self._clock = clock
        self._rules = rules
        self._specs = {spec.name: spec for spec in toolbox.specs()}

    def before(self, requests: Sequence[ToolRequest]) -> Mapping[int, PauseAsk]:
        """What is asked before calls of a turn may run, by their slots; nothing of those that may just run."""
        asks: dict[int, PauseAsk] = {}
        for slot, request in enumerate(requests):
            if request.damage is None and (ask := self._before(request)) is not None:
                asks[slot] = ask
        return asks

    def within(self, asked: InterruptAsk) -> PauseAsk:
        """What a call asks in the middle of its work."""
        expires_at = self._rules.expires_at(self._clock.now_s())
        return interrupt_of(asked, expires_at=expires_at, on_expiry=self._rules.on_expiry)

    def _before(self, request: ToolRequest) -> PauseAsk | None:
        needs_approval, spec = self._toolbox.needs_approval(request), self._specs[request.name]
        if not needs_approval and spec.asks is None:
            return None
        expires_at = self._rules.expires_at(self._clock.now_s())
        on_expiry = self._rules.on_expiry
        return ask_of(request, spec, needs_approval=needs_approval, expires_at=expires_at, on_expiry=on_expiry)


def ask_of(
    request: ToolRequest, spec: ToolSpec, *, needs_approval: bool, expires_at: float | None, on_expiry: OnExpiry
) -> PauseAsk | None:
    """What is asked before this call may run, or in place of running it; None where it may just run."""
    match spec.asks:
        case PauseKind.ASK_USER:
            kind, shown, schema = PauseKind.ASK_USER, *_questions(request.arguments)
        case PauseKind.FRONT_END:
            kind, shown, schema = PauseKind.FRONT_END, _call(request), spec.result_schema
        case _ if needs_approval:
            kind, shown, schema = PauseKind.APPROVAL, _call(request), _leave_schema(spec)
        case _:
            return None
    bound = request.arguments if kind is not PauseKind.ASK_USER else shown
    return PauseAsk(
        kind=kind,
        request=shown,
        response_schema=schema,
        arguments_digest=arguments_digest(bound),
        expires_at=expires_at,
        on_expiry=on_expiry,
    )


def interrupt_of(asked: InterruptAsk, *, expires_at: float | None, on_expiry: OnExpiry) -> PauseAsk:
    """What a call asks in the middle of its work."""
    return PauseAsk(
        kind=PauseKind.INTERRUPT,
        request={"name": asked.name, "payload": asked.payload},
        response_schema=asked.schema,
        arguments_digest=arguments_digest(asked.payload),
        expires_at=expires_at,
        on_expiry=on_expiry,
    )


def arguments_digest(arguments: Json) -> str:
    """The SHA-256, in hex, of arguments in JSON terms: the same for equal arguments, however they are ordered."""
    canonical = json.dumps(thawed(arguments), sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def _call(request: ToolRequest) -> Mapping[str, Any]:
    return {"name": request.name, "arguments": request.arguments}


def _leave_schema(spec: ToolSpec) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": {
            "decision": {"enum": ["approve", "deny", "edit", "cancel"]},
            "arguments": spec.parameters,
            "reason": {"type": "string"},
        },
        "required": ["decision"],
    }


def _questions(arguments: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The questions with ids of ours, and the schema of an answer to all of them."""
    asked = [
        {
            "question_id": f"q{number}",
            "text": said["text"],
            "header": said["header"],
            "options": [{"label": one["label"], "description": one.get("description", "")} for one in said["options"]],
            "multi_select": said.get("multi_select", False),
            "allow_other": said.get("allow_other", False),
        }
        for number, said in enumerate(arguments["questions"], 1)
    ]
    return {"questions": asked}, answers_schema(asked)


def answers_schema(asked: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The schema of an answer to all of these questions."""
    return {
        "type": "object",
        "properties": {one["question_id"]: _answer_schema(one) for one in asked},
        "required": [one["question_id"] for one in asked],
        "additionalProperties": False,
    }


def _answer_schema(question: Mapping[str, Any]) -> Mapping[str, Any]:
    labels = {"enum": [one["label"] for one in question["options"]]}
    most = len(question["options"]) if question["multi_select"] else 1
    properties: dict[str, Any] = {"chosen": {"type": "array", "items": labels, "maxItems": most, "uniqueItems": True}}
    if question["allow_other"]:
        properties["other"] = {"type": "string", "minLength": 1, "maxLength": LONGEST_OTHER}
    return {"type": "object", "properties": properties, "additionalProperties": False}
