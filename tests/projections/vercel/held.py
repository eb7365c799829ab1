"""What a client has to hold of a run, by its events alone; and the responses in which it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from treadle.projections.vercel.project import ResponseOptions, VercelResponse
from treadle.values import events as ev
from treadle.values.calls import ToolStatus
from treadle.values.ids import RunId
from treadle.values.pauses import PauseKind, Settlement
from treadle.values.stretches import Stretch

OPTIONS: Final = ResponseOptions(
    token_of=lambda pending: f"token-{pending.interrupt_id}",
    page=frozenset({"pick_file"}),
    person=frozenset({"ask_user"}),
)
ENDING: Final = {"done": "finish", "error": "error", "cancelled": "abort", "ask_user": "finish", "interrupt": "finish"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What stands in the message: text, what each settled call came to (None where it gave no output), the ending."""

    text: str
    tools: dict[str, Any]
    failed: frozenset[str]
    ending: str


def held(events: Sequence[ev.KernelEvent]) -> Held:
    """What a client has to hold of these events, the last of which closes a segment."""
    tools: dict[str, Any] = {}
    failed: set[str] = set()
    for event in events:
        match event:
            case ev.ToolResult(outcome=outcome):
                tools[outcome.call_id] = outcome.content
                if outcome.status is not ToolStatus.OK:
                    failed.add(outcome.call_id)
    last = events[-1]
    assert isinstance(last, ev.CLOSING_TYPES)
    return Held(text=last.outcome.text, tools=tools, failed=frozenset(failed), ending=ENDING[last.kind])


def folded(stretches: Sequence[Stretch], options: ResponseOptions, run_id: RunId = RunId("r1")) -> list[str]:  # noqa: B008 (a text)
    """The payloads of one response."""
    response = VercelResponse(run_id, options)
    return [payload for stretch in stretches for payload in response.payloads(stretch)]


def replayed(stretches: Sequence[Stretch], options: ResponseOptions = OPTIONS) -> list[str]:
    """The response for a client that comes when the run rests."""
    last = max(stretch.index + stretch.events - 1 for stretch in stretches)
    return folded(stretches, replace(options, live_from=last))


def lived(events: Sequence[ev.KernelEvent], options: ResponseOptions = OPTIONS) -> list[ResponseOptions]:
    """How a client was told a run that it followed: a response for each segment, each behind the pause it answered."""
    pauses = [event for event in events[:-1] if isinstance(event, ev.PAUSE_TYPES)]
    answered = frozenset(one.interrupt_id for one in _said_by_people(events))
    behind = [replace(options, after=pause.index, live_from=pause.index + 1, answered=answered) for pause in pauses]
    return [options, *behind]


def leave(events: Sequence[ev.KernelEvent]) -> dict[str, bool]:
    """What people said to approvals, by their tokens."""
    asked = {one.interrupt_id: one for event in events if isinstance(event, ev.PAUSE_TYPES) for one in event.pending}
    return {
        f"token-{one.interrupt_id}": one.settlement is Settlement.ANSWERED
        for one in _said_by_people(events)
        if asked[one.interrupt_id].kind is PauseKind.APPROVAL
    }


def _said_by_people(events: Sequence[ev.KernelEvent]) -> list[Any]:
    said = (Settlement.ANSWERED, Settlement.DECLINED)
    return [
        one for event in events if isinstance(event, ev.Resumed) for one in event.resolutions if one.settlement in said
    ]
