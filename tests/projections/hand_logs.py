"""Short logs written by hand: what one test is about, and no more."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.events import KernelEvent
from treadle.values.ids import CallId, InterruptId, RunId, ThreadId
from treadle.values.model import TEXT
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import PauseKind, PendingInterrupt
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch
from treadle.values.usage import UsageDelta

RUN = RunId("r1")
CALL = CallId("r1.c1")
SPENT = UsageDelta(input_tokens=7, output_tokens=3)
OUTCOME = InvocationOutcome(text="", usage=SPENT, run_id=RUN)
AT_S = 1_700_000_000.9

QUESTION = PendingInterrupt(
    interrupt_id=InterruptId("r1.i1"),
    kind=PauseKind.ASK_USER,
    call_id=CALL,
    request={"questions": [{"question_id": "q1", "text": "Which?"}]},
    response_schema={"type": "object"},
)
APPROVAL = replace(
    QUESTION, kind=PauseKind.APPROVAL, request={"name": "pay", "arguments": {"cents": 5}}, interrupt_id="r1.i2"
)
PAGES = replace(
    QUESTION, kind=PauseKind.FRONT_END, request={"name": "pick", "arguments": {"of": "files"}}, interrupt_id="r1.i3"
)
NAMED = replace(
    QUESTION,
    kind=PauseKind.INTERRUPT,
    request={"name": "nights", "payload": {"city": "Ulm"}},
    response_schema={"type": "integer"},
    interrupt_id="r1.i4",
)


def made(kind: type[KernelEvent], **fields: Any) -> KernelEvent:  # noqa: ANN401 (fields of it)
    """An event; `log` numbers it."""
    event: KernelEvent = kind(index=0, run_id=RUN, **fields)
    return event


STARTED = made(ev.RunStarted, agent="calc", thread_id=ThreadId("t"), root_run_id=RUN, prompt="hi", tool_call_limit=2)
RESUMED = made(ev.Resumed, resolutions=())
ROUND = made(ev.RoundStarted, round=1, attempt=1, model="m")
ROUND_ENDED = made(ev.RoundEnded, round=1, attempt=1)
RETRACTED = made(ev.Retracted, round=1, attempt=1, reason="upstream_error")
DONE = made(ev.Done, outcome=OUTCOME)
CANCELLED = made(ev.Cancelled, outcome=OUTCOME)
CALLED = made(ev.ToolCall, request=ToolRequest(call_id=CALL, name="add", arguments={"a": 1}))
RESULT = made(ev.ToolResult, outcome=ToolOutcome(call_id=CALL, content={"sum": 3}))
FAILED = made(ev.ToolResult, outcome=ToolOutcome(call_id=CALL, status=ToolStatus.FAILED, error="the tool failed"))


def error(code: str, **more: Any) -> KernelEvent:  # noqa: ANN401 (fields of it)
    """A run that failed."""
    return made(ev.Error, outcome=OUTCOME, code=code, **more)


def paused(*pending: PendingInterrupt) -> KernelEvent:
    """A segment that waits for these."""
    return made(ev.Interrupt, pending=pending, outcome=OUTCOME)


def said(*texts: str, passage: int = 1, kind: str = TEXT) -> SpeechStretch:
    """Speech; `log` numbers it."""
    return SpeechStretch(seq=0, index=0, kind=kind, key=passage, texts=texts, at_s=AT_S)


def log(*parts: KernelEvent | SpeechStretch) -> list[Stretch]:
    """A log of these, each a stretch."""
    stretches: list[Stretch] = []
    index = 0
    for part in parts:
        if isinstance(part, SpeechStretch):
            stretches.append(replace(part, seq=index, index=index))
            index += len(part.texts)
        else:
            entry = replace(part, index=index)
            stretches.append(EntryStretch(seq=index, index=index, entries=(entry,), at_s=AT_S))
            index += 1
    return stretches
