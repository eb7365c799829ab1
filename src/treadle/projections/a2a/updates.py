"""Kernel events to the updates of one task.

In: events in order, from the first. Out: frames in one dialect; and the task as it stands after them. What is common to
all readers of a run stands here: where they begin and what is around a frame does not.

Shape: a total table keyed by event class: an unknown class is a `KeyError`.

Source: docs/protocols/a2a.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from treadle.codec.events import resolutions_json
from treadle.codec.foreign import json_value
from treadle.codec.safe_integers import with_safe_integers
from treadle.projections.a2a.details import Details, details_of, speech_details
from treadle.projections.a2a.pauses import waiting_message, waiting_state
from treadle.projections.a2a.telling import TaskTelling
from treadle.projections.a2a.whole_task import WholeTask
from treadle.projections.a2a.wire import (
    DIALECTS,
    EXTENSION,
    OUTPUT,
    RESPONSE,
    Artifact,
    Data,
    Message,
    Part,
    Role,
    State,
    Status,
    Text,
    as_object,
)
from treadle.values import events as ev
from treadle.values.events import KernelEvent
from treadle.values.ids import CallId, RunId
from treadle.values.mappings import EMPTY, Json
from treadle.values.model import ARGUMENTS, THINKING
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import PendingInterrupt, Settlement

FAILED: Final = "The task failed. What was said until then is kept."
"""What is said of every failure, beside its code."""
CHUNK: Final = Artifact(artifact_id=RESPONSE, parts=(Text(""),))
"""A piece of the response without its text: also the last one."""
_BY_PEOPLE: Final = frozenset({Settlement.ANSWERED, Settlement.DECLINED, Settlement.CANCELLED})

Frames: TypeAlias = list[Mapping[str, Json]]


class Updates:
    """The updates of one task.

    Shape: `whole` is the task as it stands; `pending` is what it waits for, and `named` are the calls whose tool is
        known, as its reader may know it.
    """

    __slots__ = ("begins", "dialect", "limit", "named", "pending", "run_id", "steps", "telling", "whole")

    def __init__(self, run_id: RunId, telling: TaskTelling) -> None:
        self.run_id = run_id
        self.telling = telling
        self.dialect = DIALECTS[telling.shape](run_id, telling.context_id)
        self.whole = WholeTask(telling.submitted_s, history_length=telling.history_length)
        self.pending: tuple[PendingInterrupt, ...] = ()
        self.named: set[CallId] = set()
        self.steps = 0
        self.limit = 0
        """How many calls the run may make."""
        self.begins: dict[int, int] = {}
        """How many pieces of text there were when each round began."""

    def of(self, event: KernelEvent, at_s: float) -> Frames:
        """What one event says."""
        return UPDATES[type(event)](self, event, at_s)

    def spoken(self, kind: str, key: int | CallId, texts: Sequence[str], *, at_s: float) -> Frames:
        """What pieces of thinking, or of a call's arguments, say."""
        if not self.telling.details:
            return []
        return [frame for text in texts for frame in self.worked(at_s, details=speech_details(kind, key, text))]

    def worked(self, at_s: float, *, message: Message | None = None, details: Details | None = None) -> Frames:
        """It is at work."""
        return self.stands(Status(state=State.WORKING, at_s=at_s, message=message), details=details)

    def stands(self, status: Status, *, metadata: Mapping[str, Json] = EMPTY, details: Details | None = None) -> Frames:
        """It stands somewhere else now."""
        if details is not None and self.telling.details:
            metadata = {**metadata, EXTENSION: details}
        self.whole.stands(status, metadata)
        return [self.dialect.status_frame(status, metadata)]

    def message(self, event: KernelEvent, *parts: Part, role: Role = Role.AGENT) -> Message:
        """What is said with an event."""
        return Message(message_id=self.message_id(event), role=role, parts=parts)

    def message_id(self, event: KernelEvent) -> str:
        """The id of what is said with an event: named by it, so it is the same whoever reads, and whenever."""
        return f"{self.run_id}.{event.index}"

    def healed(self) -> Frames:
        """The whole response, in place of what a client has of it."""
        if not self.whole.responds:
            return []
        return [self.dialect.artifact_frame(self.whole.response(), append=False, is_last=False)]

    def closed(self, outcome: InvocationOutcome) -> Frames:
        """The artifacts of a run that is over, as far as they are not there."""
        frames: Frames = []
        if self.whole.responds:
            frames.append(self.dialect.artifact_frame(CHUNK, append=True, is_last=True))
        if outcome.output is not None:
            output = with_safe_integers(as_object(json_value(outcome.output)))
            self.whole.made(output)
            made = Artifact(artifact_id=OUTPUT, parts=(Data(output),))
            frames.append(self.dialect.artifact_frame(made, append=False, is_last=True))
        return frames


def _nothing(_: Updates, __: KernelEvent, ___: float) -> Frames:
    """The protocol has no word for it."""
    return []


def _only_details(updates: Updates, event: KernelEvent, at_s: float) -> Frames:
    """The protocol has no word for it; whoever asks for details is told."""
    if not updates.telling.details or (details := details_of(event)) is None:
        return []
    return updates.worked(at_s, details=details)


def _started(updates: Updates, event: ev.RunStarted, at_s: float) -> Frames:
    updates.limit = event.tool_call_limit
    whole = updates.whole
    whole.heard(updates.message(event, Text(event.prompt), role=Role.USER))
    whole.status = Status(state=State.SUBMITTED, at_s=at_s)
    frames = [] if updates.telling.greeted else [updates.dialect.task_frame(whole.task())]
    return [*frames, *updates.worked(at_s)]


def _resumed(updates: Updates, event: ev.Resumed, at_s: float) -> Frames:
    updates.pending = ()
    said = [one for one in event.resolutions if one.settlement in _BY_PEOPLE]
    if said:
        told = {"resolutions": with_safe_integers(resolutions_json(said))}
        updates.whole.heard(updates.message(event, Data(told), role=Role.USER))
    return updates.worked(at_s, details=details_of(event))


def _round_started(updates: Updates, event: ev.RoundStarted, _: float) -> Frames:
    updates.begins.setdefault(event.round, len(updates.whole.texts))
    return []


def _text(updates: Updates, event: ev.TextDelta, _: float) -> Frames:
    whole = updates.whole
    append, whole.responds = whole.responds, True
    whole.texts.append(event.text)
    chunk = Artifact(artifact_id=RESPONSE, parts=(Text(event.text),))
    return [updates.dialect.artifact_frame(chunk, append=append, is_last=False)]


def _thinking(updates: Updates, event: ev.Thinking, at_s: float) -> Frames:
    return updates.spoken(THINKING, event.passage, (event.text,), at_s=at_s)


def _arguments(updates: Updates, event: ev.ToolArguments, at_s: float) -> Frames:
    return updates.spoken(ARGUMENTS, event.call_id, (event.text,), at_s=at_s)


def _announced(updates: Updates, event: ev.ToolAnnounced, at_s: float) -> Frames:
    if not event.name:
        return []
    updates.named.add(event.call_id)
    return _only_details(updates, event, at_s)


def _called(updates: Updates, event: ev.ToolCall, at_s: float) -> Frames:
    request = event.request
    if request.name:
        updates.named.add(request.call_id)
    updates.steps += 1
    steps, limit = updates.steps, updates.limit
    message = updates.message(event, Text(f"step {steps}/{limit}" if steps <= limit else f"step {steps}"))
    return updates.worked(at_s, message=message, details=details_of(event) if request.name else None)


def _returned(updates: Updates, event: ev.ToolResult, at_s: float) -> Frames:
    # Of a step that is opaque no more is told than that it is over: a failure looks as a success does.
    return updates.worked(at_s, details=details_of(event) if event.outcome.call_id in updates.named else None)


def _retracted(updates: Updates, event: ev.Retracted, at_s: float) -> Frames:
    texts = updates.whole.texts
    kept = updates.begins.get(event.round, len(texts))
    is_void = kept < len(texts)
    del texts[kept:]
    return [*(updates.healed() if is_void else ()), *_only_details(updates, event, at_s)]


def _dropped(updates: Updates, event: ev.Dropped, at_s: float) -> Frames:
    return [*updates.healed(), *_only_details(updates, event, at_s)]


def _paused(updates: Updates, event: ev.AskUser | ev.Interrupt, at_s: float) -> Frames:
    open_ = tuple(one for one in event.pending if one.interrupt_id not in updates.telling.settled) or event.pending
    updates.pending = open_
    asked = waiting_message(updates.message_id(event), open_, updates.telling.token_of)
    status = Status(state=waiting_state(open_), at_s=at_s, message=asked)
    return updates.stands(status, details=details_of(event))


def _done(updates: Updates, event: ev.Done, at_s: float) -> Frames:
    closed = updates.closed(event.outcome)
    return [*closed, *updates.stands(Status(state=State.COMPLETED, at_s=at_s), details=details_of(event))]


def _failed(updates: Updates, event: ev.Error, at_s: float) -> Frames:
    words = (Text(FAILED),) if event.detail is None else (Text(FAILED), Text(event.detail))
    metadata: dict[str, Json] = {"code": event.code}
    if event.reference is not None:
        metadata["reference"] = event.reference
    status = Status(state=State.FAILED, at_s=at_s, message=updates.message(event, *words))
    closed = updates.closed(event.outcome)
    return [*closed, *updates.stands(status, metadata=metadata, details=details_of(event))]


def _cancelled(updates: Updates, event: ev.Cancelled, at_s: float) -> Frames:
    closed = updates.closed(event.outcome)
    return [*closed, *updates.stands(Status(state=State.CANCELED, at_s=at_s), details=details_of(event))]


Update: TypeAlias = Callable[[Updates, Any, float], Frames]
UPDATES: Final[Mapping[type[KernelEvent], Update]] = {
    ev.RunStarted: _started,
    ev.Resumed: _resumed,
    ev.Stage: _nothing,
    ev.RoundStarted: _round_started,
    ev.RoundEnded: _nothing,
    ev.Thinking: _thinking,
    ev.TextDelta: _text,
    ev.ToolAnnounced: _announced,
    ev.ToolArguments: _arguments,
    ev.ToolCall: _called,
    ev.ToolProgress: _only_details,
    ev.ToolResult: _returned,
    ev.Retracted: _retracted,
    ev.Extracted: _only_details,
    ev.Extension: _only_details,
    ev.Dropped: _dropped,
    ev.AskUser: _paused,
    ev.Interrupt: _paused,
    ev.Done: _done,
    ev.Error: _failed,
    ev.Cancelled: _cancelled,
}
"""Total: an event class that is not in it is a `KeyError`."""
