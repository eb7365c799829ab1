"""A run in AG-UI's events: one of their runs is one segment of ours.

In: stretches of a log, from its first, and what one client is told. Out: the events as JSON text, unframed. Nothing but
the log and the telling decides what is said, so the same log says the same however it was cut into stretches.

Shape: every bracket is closed before the end that follows it, in every ending. A client that attaches in the middle is
told what it has missed as a snapshot; what is open then is opened again, so that the pieces that follow have a place.

Source: docs/protocols/agui.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final

from treadle.codec.foreign import json_terms, json_text
from treadle.projections.agui.brackets import Brackets
from treadle.projections.agui.endings import Ending
from treadle.projections.agui.messages import Call, Told
from treadle.projections.agui.telling import Telling
from treadle.projections.agui.wire import VERSION, custom, frame, json_of, own_custom, own_metadata, quoted
from treadle.values import events as ev
from treadle.values.exposure import is_hidden
from treadle.values.ids import RunId
from treadle.values.model import ARGUMENTS, TEXT, THINKING
from treadle.values.pauses import PauseKind, PendingInterrupt
from treadle.values.stretches import SpeechStretch, Stretch, events_of
from treadle.values.usage import NO_USAGE, UsageDelta, usage_since

STATE: Final = "state_snapshot"
"""The type of an extension whose payload is all of the state that an agent shares with its front end."""


class AguiRun:
    """One run, told to one client as one of its runs."""

    __slots__ = ("_brackets", "_is_silent", "_model", "_run_id", "_spent", "_state", "_telling", "is_over")

    def __init__(self, run_id: RunId, telling: Telling) -> None:
        self.is_over = False
        """Whether their run has ended: nothing of it comes any more."""
        self._run_id = run_id
        self._telling = telling
        self._is_silent = telling.after >= 0
        self._brackets = Brackets(run_id)
        self._model: str | None = None
        self._spent = NO_USAGE
        self._state: str | None = None

    @property
    def messages(self) -> list[Told]:
        """All messages of the run by now, its user's first."""
        return self._brackets.messages.told()

    def payloads(self, stretch: Stretch, /) -> list[str]:
        """What the next stretch of the log says, frame by frame.

        Raises:
            KeyError: An event is of no class of the union.
        """
        if self.is_over:
            return []
        if type(stretch) is SpeechStretch:
            return self._speech(stretch)
        for event in events_of(stretch, self._run_id):
            if self._tells_the_last(event):
                break
        self._catch_up(stretch)
        return self._taken()

    def _tells_the_last(self, event: ev.KernelEvent) -> bool:
        """Say what an event says, and whether that was the end."""
        if self._is_silent and event.index > self._telling.after:
            self._begin_to_tell()
        self.SAYS[type(event)](self, event)
        if self._is_silent:
            self._brackets.said.clear()
        return self.is_over

    def _speech(self, stretch: SpeechStretch) -> list[str]:
        brackets, texts = self._brackets, stretch.texts
        if self._is_silent:
            # The log is dense, and nothing behind `after` was there yet: of this at least the first piece is missed.
            missed = texts[: self._telling.after + 1 - stretch.index]
            brackets.hear(stretch.kind, stretch.key, missed)
            brackets.said.clear()
            texts = texts[len(missed) :]
            self._catch_up(stretch)
            if not texts:
                return self._taken()
        brackets.hear(stretch.kind, stretch.key, texts)
        template = brackets.template
        told = [f"{template}{quoted(text)}}}" for text in texts]
        return [*self._taken(), *told] if brackets.said else told

    def _taken(self) -> list[str]:
        said, self._brackets.said = self._brackets.said, []
        return said

    # A client that attaches: silent up to the event that it was told last.

    def _catch_up(self, stretch: Stretch) -> None:
        """Begin to tell where the log, hidden events and all, has come to where the client stands."""
        if self._is_silent and _last(stretch) >= self._telling.after:
            self._begin_to_tell()

    def _begin_to_tell(self) -> None:
        self._is_silent = False
        said, telling = self._brackets.said, self._telling
        said.append(self._run_started())
        if telling.snapshots:
            if self._state is not None:
                said.append(self._state)
            said.append(self._messages_snapshot())
            said += self._brackets.reopened()

    def _run_started(self) -> str:
        telling = self._telling
        return frame(
            "RUN_STARTED",
            threadId=quoted(telling.thread_id),
            runId=quoted(telling.run_id),
            protocolVersion=quoted(VERSION),
            parentRunId=None if telling.parent_run_id is None else quoted(telling.parent_run_id),
            metadata=own_metadata(runId=self._run_id),
        )

    def _messages_snapshot(self) -> str:
        return frame("MESSAGES_SNAPSHOT", messages=self._brackets.messages.snapshot(self._telling.before))

    # What each event says.

    def _run_began(self, event: ev.RunStarted) -> None:
        telling, brackets = self._telling, self._brackets
        brackets.begin(telling.user_message_id, event.prompt, tool_call_limit=event.tool_call_limit)
        brackets.said.append(self._run_started())

    def _resumed(self, event: ev.Resumed) -> None:
        settled = [
            {"interruptId": one.interrupt_id, "settlement": one.settlement.value, "reason": one.reason}
            for one in event.resolutions
        ]
        self._brackets.said.append(own_custom("resumed", settled=settled))

    def _nothing(self, _: ev.Stage) -> None:
        """What goes on around the model's speech has no word here."""

    def _round_started(self, event: ev.RoundStarted) -> None:
        self._model = event.model
        self._brackets.begin_attempt(f"round {event.round}")

    def _round_ended(self, _: ev.RoundEnded) -> None:
        self._brackets.close_speech()
        self._brackets.end_told_calls()

    def _piece(self, event: ev.DeltaEvent) -> None:
        """A piece that stands among other events."""
        kind = _KINDS[type(event)]
        key = event.call_id if isinstance(event, ev.ToolArguments) else event.passage
        self._brackets.hear(kind, key, (event.text,))
        self._brackets.said.append(f"{self._brackets.template}{quoted(event.text)}}}")

    def _announced(self, event: ev.ToolAnnounced) -> None:
        self._brackets.call(event.call_id, event.name)

    def _called(self, event: ev.ToolCall) -> None:
        brackets, request = self._brackets, event.request
        call = brackets.call(request.call_id, request.name)
        arguments = json_text(json_terms(request.arguments))
        # What was asked about may be run with other arguments than those that were told.
        edited = {"arguments": request.arguments} if call.has_waited and not _same(call, arguments) else {}
        brackets.arguments(call, arguments)
        brackets.end_call(call)
        brackets.said.append(own_custom("tool_executing", toolCallId=call.call_id, **edited))

    def _progressed(self, event: ev.ToolProgress) -> None:
        self._brackets.said.append(
            own_custom("tool_progress", toolCallId=event.call_id, sequence=event.sequence, payload=event.payload)
        )

    def _returned(self, event: ev.ToolResult) -> None:
        call = self._brackets.call(event.outcome.call_id, "")
        self._brackets.settle(call, event.outcome)

    def _retracted(self, event: ev.Retracted) -> None:
        self._brackets.retract()
        said = self._brackets.said
        said.append(own_custom("retracted", round=event.round, attempt=event.attempt, reason=event.reason))
        said.append(self._messages_snapshot())

    def _extracted(self, event: ev.Extracted) -> None:
        told = {"tag": event.tag, "operations": event.operations, "diagnostic": event.diagnostic}
        self._brackets.said.append(own_custom("extracted", **told))

    def _extension(self, event: ev.Extension) -> None:
        if event.type == STATE:
            self._state = frame("STATE_SNAPSHOT", snapshot=json_of(event.payload))
            self._brackets.said.append(self._state)
            return
        metadata = own_metadata(eventId=event.event_id or None)
        self._brackets.said.append(custom(event.type, event.payload, metadata=metadata))

    def _dropped(self, event: ev.Dropped) -> None:
        told = {"kind": event.dropped_kind, "count": event.count, "from": event.first, "to": event.last}
        self._brackets.said.append(own_custom("dropped", **told))

    def _done(self, event: ev.Done) -> None:
        self._end(event, self._closed(event).done(event))

    def _cancelled(self, event: ev.Cancelled) -> None:
        self._end(event, self._closed(event).cancelled(event))

    def _failed(self, event: ev.Error) -> None:
        self._end(event, self._closed(event).failed(event))

    def _paused(self, event: ev.PauseEvent) -> None:
        for one in event.pending:
            self._wait(one)
        self._end(event, self._closed(event).paused(self._open_pauses(event)))

    def _wait(self, pending: PendingInterrupt) -> None:
        """A call that was said at once, and waits, has its arguments in what is asked."""
        call = self._brackets.calls.get(pending.call_id)
        if call is None:
            return
        call.has_waited = True
        if not is_hidden(pending) and pending.kind is not PauseKind.INTERRUPT:
            request = pending.request
            asked = request if pending.kind is PauseKind.ASK_USER else request["arguments"]
            self._brackets.arguments(call, json_text(json_terms(asked)))

    def _open_pauses(self, event: ev.PauseEvent) -> tuple[PendingInterrupt, ...]:
        open_ = self._telling.open_pauses
        if open_ is None or event.index != self._telling.after:
            return event.pending
        return tuple(one for one in event.pending if one.interrupt_id in open_) or event.pending

    def _closed(self, event: ev.ClosingEvent) -> Ending:
        """Close what is open, and what was spent since the segment began."""
        self._brackets.close()
        spent: UsageDelta = usage_since(event.outcome.usage, self._spent)
        self._spent = event.outcome.usage
        return Ending(self._telling, spent=spent, model=self._model, calls=self._brackets.calls.keys())

    def _end(self, event: ev.ClosingEvent, last: str) -> None:
        if self._telling.rests and event.index == self._telling.after:
            # Everything was closed in silence: the snapshot holds it, and nothing is open.
            self._brackets.said.clear()
            self._begin_to_tell()
        self._brackets.said.append(last)
        self.is_over = not self._is_silent

    SAYS: ClassVar[Mapping[type[ev.KernelEvent], Callable[[Any, Any], None]]] = {
        ev.RunStarted: _run_began,
        ev.Resumed: _resumed,
        ev.Stage: _nothing,
        ev.RoundStarted: _round_started,
        ev.RoundEnded: _round_ended,
        ev.Thinking: _piece,
        ev.TextDelta: _piece,
        ev.ToolAnnounced: _announced,
        ev.ToolArguments: _piece,
        ev.ToolCall: _called,
        ev.ToolProgress: _progressed,
        ev.ToolResult: _returned,
        ev.Retracted: _retracted,
        ev.Extracted: _extracted,
        ev.Extension: _extension,
        ev.Dropped: _dropped,
        ev.AskUser: _paused,
        ev.Interrupt: _paused,
        ev.Done: _done,
        ev.Error: _failed,
        ev.Cancelled: _cancelled,
    }
    """Total: an event class that is not in it is a `KeyError`."""


def _last(stretch: Stretch) -> int:
    """The index that the log has come to with a stretch."""
    return stretch.index + stretch.events - 1


def _same(call: Call, arguments: str) -> bool:
    """Whether a call is run with what was told of it."""
    try:
        return bool(json.loads(call.arguments) == json.loads(arguments))
    except ValueError:
        return False


_KINDS: Final = {ev.TextDelta: TEXT, ev.Thinking: THINKING, ev.ToolArguments: ARGUMENTS}
