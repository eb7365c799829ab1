"""What happens in a life, drawn by dice: calls, what comes of them, what people say, what they cost."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final

from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.ids import CallId
from treadle.values.mappings import Json, thawed
from treadle.values.pauses import Answer, Decision, OnExpiry, PauseKind, PendingInterrupt
from treadle.values.tools import ToolSpec
from treadle.values.usage import NO_USAGE, UsageDelta

_OBJECT: Final = {"type": "object"}
SPECS: Final = {
    spec.name: spec
    for spec in (
        ToolSpec(name="add", description="", parameters=_OBJECT),
        ToolSpec(name="ping", description="", parameters=_OBJECT),
        ToolSpec(name="transfer", description="", parameters=_OBJECT),
        ToolSpec(name="ask_user", description="", parameters=_OBJECT, asks=PauseKind.ASK_USER),
        ToolSpec(name="pick_file", description="", parameters=_OBJECT, asks=PauseKind.FRONT_END),
    )
}
"""The tools of the runs: two that just run, one that waits for leave, questions, and one that the front end runs."""
_QUESTIONS: Final = {
    "questions": [
        {
            "text": "Which colour?",
            "header": "Colour",
            "options": [{"label": "red", "description": "warm"}, {"label": "blue"}],
            "multi_select": False,
            "allow_other": True,
        }
    ]
}


class Draws:
    """Draws one thing after the other from the same dice."""

    def __init__(self, dice: Random) -> None:
        self.dice = dice

    def _may(self, share: float) -> bool:
        return self.dice.random() < share

    def expiry(self, now_s: float) -> dict[str, Any]:
        """When a pause is over, and what becomes of it then."""
        expires_at = self.dice.choice([None, now_s + 3600.5])
        return {"expires_at": expires_at, "on_expiry": self.dice.choice(list(OnExpiry))}

    def request(self, name: str) -> ToolRequest:
        """A call of this tool; damaged, now and then."""
        arguments: dict[str, Any] = {"a": self.dice.choice([1, 2.5, 'q"\\', "é😀", None, [1, {"b": "\u2028"}]])}
        if name == "ask_user":
            arguments = dict(_QUESTIONS)
        elif self._may(0.15):
            arguments = {}
        elif self._may(0.1):
            return ToolRequest(name=name, raw_arguments='{"a": ', damage="its arguments are cut")
        return ToolRequest(name=name, arguments=arguments)

    def outcome(self, named: CallId) -> ToolOutcome:
        """What came of a call that ran."""
        if self._may(0.25):
            status = self.dice.choice([ToolStatus.FAILED, ToolStatus.TIMEOUT])
            return ToolOutcome(call_id=named, status=status, error="no: é", duration_ms=12.25)
        content: Json = self.dice.choice(["ok", "", None, 3, {"sum": 3, "q": '"\u2029'}, [1, None], "x" * 50])
        return ToolOutcome(call_id=named, content=content, duration_ms=self.dice.choice([0.0, 4.25, 1500.0]))

    def said(self, pending: PendingInterrupt) -> Answer:
        """What a person says to a pause."""
        lot, of = self.dice.random(), {"interrupt_id": pending.interrupt_id, "token": ""}
        if lot < 0.15:
            return Answer(decision=Decision.DENY, reason=self.dice.choice([None, "not today"]), **of)
        if lot < 0.25:
            return Answer(decision=Decision.CANCEL, **of)
        if pending.kind is PauseKind.APPROVAL:
            edits = lot < 0.45
            arguments = {"a": 7} if edits else None
            return Answer(decision=Decision.EDIT if edits else Decision.APPROVE, arguments=arguments, **of)
        values: dict[PauseKind, Json] = {
            PauseKind.ASK_USER: {"q1": self.dice.choice(["red", {"other": "grün"}])},
            PauseKind.FRONT_END: {"file": "a.txt"},
            PauseKind.INTERRUPT: {"ok": True},
        }
        return Answer(decision=Decision.ANSWER, value=values[pending.kind], **of)

    def usage(self) -> UsageDelta:
        """What an attempt has cost; unknown, now and then."""
        if self._may(0.3):
            return NO_USAGE
        given, said = self.dice.randint(0, 90), self.dice.randint(1, 90)
        return UsageDelta(
            input_tokens=given,
            output_tokens=said,
            total_tokens=self.dice.choice([0, given + said]),
            reasoning_tokens=self.dice.choice([0, said // 2]),
            cache_read_tokens=self.dice.choice([0, given // 2]),
            reported=frozenset({"input_tokens"}),
        )

    def beside(self) -> tuple[type[ev.KernelEvent], dict[str, Any]]:
        """What a source, a tool or a pipeline says of its own."""
        return self.dice.choice(
            [
                (ev.Extension, {"type": "chart", "payload": {"points": [1, 2.5]}, "event_id": "x1"}),
                (ev.Extension, {"type": "note", "payload": None}),
                (ev.Dropped, {"dropped_kind": "tool_progress", "count": 3, "first": 4, "last": 6}),
                (ev.Stage, {"stage_id": "s1", "phase": "started", "capability": "memory"}),
            ]
        )


def text_of(call: ToolRequest) -> str:
    """What the model says of a call: its arguments as it writes them, blanks and all."""
    return call.raw_arguments if call.raw_arguments is not None else json.dumps(thawed(call.arguments))
