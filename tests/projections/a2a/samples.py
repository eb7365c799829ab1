"""Logs of a few events, written by hand, for tests that show one thing."""

from __future__ import annotations

from typing import Any

from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.events import KernelEvent
from treadle.values.ids import CallId, InterruptId, RunId, ThreadId
from treadle.values.model import ARGUMENTS, TEXT, THINKING
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import OnExpiry, PauseKind, PendingInterrupt
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch

RUN = RunId("r1")
THREAD = ThreadId("t1")
AT_S = 1_700_000_000.25
AT = "2023-11-14T22:13:20.250Z"
QUESTION = PendingInterrupt(
    interrupt_id=InterruptId("r1.i1"),
    kind=PauseKind.ASK_USER,
    call_id=CallId("r1.c1"),
    request={
        "questions": [
            {
                "question_id": "q1",
                "text": "Which colour?",
                "header": "Colour",
                "options": [{"label": "Red", "description": ""}, {"label": "Blue", "description": ""}],
                "multi_select": False,
                "allow_other": True,
            }
        ]
    },
    response_schema={"type": "object"},
    expires_at=AT_S + 60,
    on_expiry=OnExpiry.FAIL,
)
LEAVE = PendingInterrupt(
    interrupt_id=InterruptId("r1.i2"),
    kind=PauseKind.APPROVAL,
    call_id=CallId("r1.c2"),
    request={"name": "transfer", "arguments": {"cents": 5}},
    response_schema={"type": "object"},
)


class Log:
    """A log that is written event by event: texts become stretches of speech, all else stretches of entries."""

    def __init__(self) -> None:
        self.stretches: list[Stretch] = []
        self.next = 0

    def add(self, kind: type[KernelEvent], **fields: Any) -> Log:  # noqa: ANN401 (fields of an event)
        """One event."""
        event = kind(**{"index": self.next, "run_id": RUN, **fields})
        self.stretches.append(EntryStretch(seq=self.next, index=self.next, entries=(event,), at_s=AT_S))
        self.next += 1
        return self

    def say(self, *texts: str, kind: str = TEXT, key: int | CallId = 1) -> Log:
        """Pieces of speech."""
        said = SpeechStretch(seq=self.next, index=self.next, kind=kind, key=key, texts=texts, at_s=AT_S)
        self.stretches.append(said)
        self.next += len(texts)
        return self

    def think(self, *texts: str) -> Log:
        """Pieces of thinking."""
        return self.say(*texts, kind=THINKING)

    def spell(self, *texts: str) -> Log:
        """Pieces of a call's arguments."""
        return self.say(*texts, kind=ARGUMENTS, key=CallId("r1.c1"))

    def start(self, *, limit: int = 2, prompt: str = "1+2?") -> Log:
        """The run begins."""
        return self.add(
            ev.RunStarted,
            agent="calc",
            thread_id=THREAD,
            root_run_id=RUN,
            prompt=prompt,
            tool_call_limit=limit,
        )

    def round(self, number: int = 1, attempt: int = 1) -> Log:
        """A model is asked."""
        return self.add(ev.RoundStarted, round=number, attempt=attempt, model="m-1")

    def call(self, number: int = 1, name: str = "add", **arguments: Any) -> Log:  # noqa: ANN401 (of a tool)
        """A call is dispatched."""
        request = ToolRequest(call_id=CallId(f"r1.c{number}"), name=name, arguments=arguments)
        return self.add(ev.ToolCall, request=request)

    def back(self, number: int = 1, **fields: Any) -> Log:  # noqa: ANN401 (fields of an outcome)
        """A call returns."""
        return self.add(ev.ToolResult, outcome=ToolOutcome(call_id=CallId(f"r1.c{number}"), **fields))

    def fail(self, number: int = 1) -> Log:
        """A call fails."""
        return self.back(number, status=ToolStatus.FAILED, error="secret words")

    def end(self, kind: type[KernelEvent] = ev.Done, *, text: str = "", output: Any = None, **fields: Any) -> Log:  # noqa: ANN401 (of any kind)
        """A segment is closed."""
        return self.add(kind, outcome=InvocationOutcome(text=text, output=output), **fields)
