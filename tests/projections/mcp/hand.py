"""Events written by hand, for what generated runs do not hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.projections.mcp.calls import RUN
from treadle.values import events as ev
from treadle.values.ids import CallId, InterruptId, ThreadId
from treadle.values.mappings import EMPTY
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import PauseKind, PendingInterrupt
from treadle.values.stretches import EntryStretch

QUESTION: Mapping[str, Any] = {
    "question_id": "q1",
    "text": "Which colour?",
    "header": "Colour",
    "options": [{"label": "red", "description": "warm"}, {"label": "blue", "description": ""}],
    "multi_select": False,
    "allow_other": False,
}


def question(**more: object) -> dict[str, Any]:
    """A question of which some of it is otherwise."""
    return {**QUESTION, **more}


def pause(
    kind: PauseKind, request: Mapping[str, Any], schema: Mapping[str, Any] = EMPTY, *, number: int = 1
) -> PendingInterrupt:
    """An open pause."""
    return PendingInterrupt(
        interrupt_id=InterruptId(f"{RUN}.i{number}"),
        kind=kind,
        call_id=CallId(f"{RUN}.c{number}"),
        request=request,
        response_schema=schema,
    )


def asking(*questions: Mapping[str, Any]) -> PendingInterrupt:
    """A pause that asks a person."""
    return pause(PauseKind.ASK_USER, {"questions": list(questions) or [QUESTION]})


def leave(arguments: Mapping[str, Any] = EMPTY, *, number: int = 1) -> PendingInterrupt:
    """A pause that asks for leave."""
    return pause(PauseKind.APPROVAL, {"name": "pay", "arguments": arguments}, {"type": "object"}, number=number)


def interrupted(schema: Mapping[str, Any], payload: object = None) -> PendingInterrupt:
    """A named interrupt."""
    return pause(PauseKind.INTERRUPT, {"name": "confirm.place", "payload": payload}, schema)


def outcome(text: str = "", answer_at: int = 0, **more: Any) -> InvocationOutcome:  # noqa: ANN401 (fields of an outcome)
    """How a run stands."""
    return InvocationOutcome(text=text, answer_at=answer_at, run_id=RUN, **more)


def began(index: int = 0) -> ev.RunStarted:
    """The first event."""
    return ev.RunStarted(
        index=index, run_id=RUN, agent="a", thread_id=ThreadId("t1"), root_run_id=RUN, prompt="hi", tool_call_limit=2
    )


def entries(*events: ev.KernelEvent) -> EntryStretch:
    """Events as a stretch."""
    return EntryStretch(seq=events[0].index, index=events[0].index, entries=events, at_s=1.0)
