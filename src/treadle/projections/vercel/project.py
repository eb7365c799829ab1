"""A run's log to the chunks of one response: their message is the run, their step a round.

In: stretches of the log, in order from its first event. Out: payloads. A response tells a run from its first event on,
or goes on behind the pause that its request answered; either way the message has the run's id, so a client takes it for
the one that it has. It ends with the segment. What a reader who comes back is told of before it came leaves out what
was taken back since: an attempt is held until it is known to stand.

Knows nothing of HTTP, of framing, or of how the run is driven.

Source: AI SDK UI message stream, version 1 (docs/protocols/vercel.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii
from typing import Any, ClassVar, TypeAlias

from treadle.codec.failure_words import RESTARTED
from treadle.projections.vercel.calls import ToolParts
from treadle.projections.vercel.wire import (
    DONE,
    DROPPED,
    EXTENSION,
    EXTRACTED,
    STAGE,
    chunk,
    data,
    error_text,
    finish_reason,
    part_end,
    part_id,
    part_start,
    spoken,
    usage_json,
)
from treadle.values import events as ev
from treadle.values.events import KernelEvent
from treadle.values.ids import CallId, InterruptId, RunId
from treadle.values.mappings import Json
from treadle.values.model import ARGUMENTS, TEXT, THINKING
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import PendingInterrupt
from treadle.values.stretches import SpeechStretch, Stretch, events_of

TokenOf: TypeAlias = Callable[[PendingInterrupt], str | None]
"""The token of a pause; None for a reader who may not answer it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseOptions:
    """How one response tells a run.

    Shape: nothing up to `after`, which is -1 or the index of a pause, is told. What lies before `live_from` was there
        when the reader came: a pause there does not end the response, and what was taken back there is left out.
        `answered` are the pauses that the reader's own request has answered.
        `page` and `person` are the names of tools that the front end runs, and of those that ask a person. `resets`:
        the client knows `reset-step`, so what is taken back does not end the response.
    """

    token_of: TokenOf
    after: int = -1
    live_from: int = 0
    answered: frozenset[InterruptId] = frozenset()
    page: frozenset[str] = frozenset()
    person: frozenset[str] = frozenset()
    resets: bool = False


class VercelResponse:
    """One response, folded from the log of a run."""

    def __init__(self, run_id: RunId, options: ResponseOptions) -> None:
        self._is_over = False
        self._run_id = run_id
        self._options = options
        self._after = options.after
        self._live_from = options.live_from
        self._is_silent = options.after >= 0
        self._tools = ToolParts(page=options.page, person=options.person)
        self._out: list[str] = []
        self._held: int | None = None
        """Where in what is to be said the attempt begins that may yet be taken back."""
        self._last = -1
        self._start = ""
        self._part: tuple[str, str] | None = None
        self._in_step = False
        self._is_void = False
        """Whether what the step held was taken back, so that the next attempt goes on in it."""
        self._spoke = False
        self._step_data: list[str] = []

    @property
    def is_over(self) -> bool:
        """Whether it has ended: nothing of it comes any more."""
        return self._is_over

    def payloads(self, stretch: Stretch, /) -> list[str]:
        """What the next stretch says, chunk by chunk, unframed.

        Raises:
            KeyError: An event is of no known class.
            ValueError: The response is to go on behind an event that is no pause.
        """
        if self._is_over:
            return []
        if isinstance(stretch, SpeechStretch):
            self._speak(stretch.kind, stretch.key, stretch.texts)
            self._passed(stretch.index + len(stretch.texts) - 1)
            return self._ready()
        events = events_of(stretch, self._run_id)
        for event in events:
            self.HEARS[type(event)](self, event)
            if self.is_over:
                return self._ready()
            self._passed(event.index)
        if not events:
            self._passed(stretch.index - 1)
        return self._ready()

    def _passed(self, index: int) -> None:
        """All up to this event was heard."""
        self._last = index
        if self._is_silent:
            if index >= self._after:
                raise ValueError(f"a response goes on behind a pause; event {self._after} of the run is none")
            self._out.clear()

    def _ready(self) -> list[str]:
        """What can be said now: all but an attempt that may have been taken back by now."""
        out = self._out
        if self._held is None or self.is_over or self._last >= self._live_from - 1:
            self._held, self._out = None, []
            return out
        said, self._out = out[: self._held], out[self._held :]
        self._held = 0
        return said

    def _is_past(self, event: KernelEvent) -> bool:
        """Whether it is told, and was there when the reader came."""
        return not self._is_silent and event.index < self._live_from

    # Speech.

    def _speak(self, kind: str, key: int | CallId, texts: tuple[str, ...]) -> None:
        self._spoke = True
        if kind == ARGUMENTS:
            self._end_part()
            said = self._tools.spoken(CallId(str(key)), texts)
        else:
            part = (kind, part_id(self._run_id, int(key)))
            if part != self._part:
                self._end_part()
                self._part = part
                self._out.append(part_start(*part))
            before = spoken(*part)
            said = [f"{before}{encode_basestring_ascii(text)}}}" for text in texts]
        self._out += said

    def _text(self, event: ev.TextDelta) -> None:
        self._speak(TEXT, event.passage, (event.text,))

    def _thinking(self, event: ev.Thinking) -> None:
        self._speak(THINKING, event.passage, (event.text,))

    def _arguments(self, event: ev.ToolArguments) -> None:
        self._speak(ARGUMENTS, event.call_id, (event.text,))

    def _announced(self, event: ev.ToolAnnounced) -> None:
        self._end_part()
        self._spoke = True
        self._out.append(self._tools.announced(event))

    def _end_part(self) -> None:
        if self._part is not None:
            self._out.append(part_end(*self._part))
            self._part = None

    # Rounds are steps. Calls run behind their round, so a step ends where the next begins.

    def _run_started(self, event: ev.RunStarted) -> None:
        self._tools.most = event.tool_call_limit
        about = {
            "runId": event.run_id,
            "threadId": event.thread_id,
            "agent": event.agent,
            "prompt": event.prompt,
            "state": "running",
        }
        self._start = chunk("start", messageId=event.run_id, messageMetadata=about)
        self._out.append(self._start)

    def _round_started(self, event: ev.RoundStarted) -> None:
        if not self._is_void:
            self._end_step()
            self._begin_step()
        self._is_void = self._spoke = False
        if self._is_past(event):
            self._held = len(self._out)

    def _round_ended(self, _: ev.RoundEnded) -> None:
        self._end_part()
        self._held = None

    def _begin_step(self) -> None:
        self._in_step = True
        self._step_data.clear()
        self._tools.begin_round()
        self._out.append(chunk("start-step"))

    def _end_step(self) -> None:
        self._end_part()
        if self._in_step:
            self._out.append(chunk("finish-step"))
            self._in_step = False

    def _retracted(self, event: ev.Retracted) -> None:
        was_told = self._spoke and not self._is_silent
        self._is_void, self._spoke = True, False
        if self._held is not None and event.index < self._live_from:
            self._out[self._held :] = [said for said in self._out[self._held :] if _stands(said)]
            self._held = None
        elif was_told and self._options.resets:
            self._end_part()
            self._out += [chunk("reset-step"), *self._step_data]
        elif was_told:
            self._end_part()
            self._out += self._tools.take_back()
            self._end_step()
            self._end("error", errorText=error_text(RESTARTED))
        self._part = None
        self._tools.take_back()

    # Calls.

    def _called(self, event: ev.ToolCall) -> None:
        self._out.append(self._tools.called(event))

    def _progressed(self, event: ev.ToolProgress) -> None:
        self._out.append(self._tools.progressed(event))

    def _settled(self, event: ev.ToolResult) -> None:
        self._out += self._tools.settled(event.outcome)

    def _resumed(self, event: ev.Resumed) -> None:
        for resolution in event.resolutions:
            self._out += self._tools.answered(resolution)

    # Beside the speech.

    def _stage(self, event: ev.Stage) -> None:
        told = {
            "phase": event.phase,
            "capability": event.capability or None,
            "outcome": event.outcome,
            "reason": event.reason,
            "counts": event.counts or None,
        }
        self._out.append(data(STAGE, told, named=event.stage_id, transient=True))

    def _extension(self, event: ev.Extension) -> None:
        told = {"type": event.type, "payload": event.payload, "eventId": event.event_id or None}
        self._tell(EXTENSION, event, told)

    def _extracted(self, event: ev.Extracted) -> None:
        told = {"tag": event.tag, "operations": event.operations, "diagnostic": event.diagnostic}
        self._out.append(data(EXTRACTED, told, named=self._named(event)))

    def _dropped(self, event: ev.Dropped) -> None:
        told = {"kind": event.dropped_kind, "count": event.count, "from": event.first, "to": event.last}
        self._tell(DROPPED, event, told)

    def _tell(self, kind: str, event: KernelEvent, told: Mapping[str, Any]) -> None:
        said = data(kind, told, named=self._named(event))
        self._out.append(said)
        self._step_data.append(said)

    def _named(self, event: KernelEvent) -> str:
        return f"{self._run_id}.e{event.index}"

    # Ends.

    def _paused(self, event: ev.AskUser | ev.Interrupt) -> None:
        is_past = self._is_past(event)
        self._end_part()
        for pending in event.pending:
            token = None if is_past else self._options.token_of(pending)
            self._out += self._tools.asked(pending, token=token, is_past=is_past)
        self._end_step()
        self._go_on_behind(event)
        if event.index >= self._live_from and not self._is_silent:
            self._end("finish", finishReason="tool-calls", messageMetadata=_stands_at("paused", event.outcome))

    def _done(self, event: ev.Done) -> None:
        self._close(event)
        about = _stands_at("done", event.outcome, output=event.outcome.output, termination=event.termination)
        self._end("finish", finishReason=finish_reason(event), messageMetadata=about)

    def _failed(self, event: ev.Error) -> None:
        about = {"code": event.code, "retryable": event.retryable, "reference": event.reference}
        self._close(event)
        self._out.append(chunk("message-metadata", messageMetadata=_stands_at("error", event.outcome, **about)))
        self._end("error", errorText=error_text(event.code, event.detail))

    def _cancelled(self, event: ev.Cancelled) -> None:
        self._close(event)
        about = _stands_at("cancelled", event.outcome, reason=event.reason)
        self._out.append(chunk("message-metadata", messageMetadata=about))
        self._end("abort", reason=event.reason)

    def _close(self, event: ev.FinalEvent) -> None:
        """Close what is open. A step that holds what the page gave may not be the last, or the client would send it."""
        self._end_step()
        if self._tools.acts_on_page:
            self._begin_step()
            self._end_step()
        self._go_on_behind(event)

    def _go_on_behind(self, event: ev.ClosingEvent) -> None:
        if self._is_silent and event.index == self._after:
            self._is_silent = False
            self._out = [self._start]
            self._tools.decided(self._options.answered)

    def _end(self, kind: str, **fields: Any) -> None:  # noqa: ANN401 (JSON terms)
        self._out += [chunk(kind, **fields), DONE]
        self._is_over = True

    HEARS: ClassVar[Mapping[type[KernelEvent], Callable[[VercelResponse, Any], None]]] = {
        ev.RunStarted: _run_started,
        ev.Resumed: _resumed,
        ev.Stage: _stage,
        ev.RoundStarted: _round_started,
        ev.RoundEnded: _round_ended,
        ev.Thinking: _thinking,
        ev.TextDelta: _text,
        ev.ToolAnnounced: _announced,
        ev.ToolArguments: _arguments,
        ev.ToolCall: _called,
        ev.ToolProgress: _progressed,
        ev.ToolResult: _settled,
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
    """What each event says. Total: an event class that is not in it is a `KeyError`."""


def _stands(said: str) -> bool:
    """Whether a chunk outlives the attempt in which it was said: what others said beside the model does."""
    return said.startswith('{"type":"data-') and not said.startswith(f'{{"type":"{EXTRACTED}"')


def _stands_at(state: str, outcome: InvocationOutcome, **more: Json) -> dict[str, Json]:
    """The metadata of a message: how its run stands."""
    told = {"state": state, "usage": usage_json(outcome.usage), "durationMs": round(outcome.duration_ms, 3), **more}
    return {name: value for name, value in told.items() if value is not None}
