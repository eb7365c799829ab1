"""Stretches of a run's log to the events of a response.

In: stretches, in log order from the first. Out: payloads of one segment of the run, in order; what comes before that
segment is folded in silence, and nothing comes behind it. A passage of text is a message, one of thinking a reasoning
item, a call that the server runs an `mcp_call`, if it is told at all. A pause is a call of a function or a request for
approval, and what names it is its token.

Shape: `response.created` first, numbers dense from 0, what is open is closed before the end. An event that was sent
cannot be taken back, so a retraction of anything said ends the response as failed; the run goes on, and whoever asks
for the response anew is told what came of it (`whole`).

Source: docs/protocols/openai.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from treadle.codec.events import kernel_event_json
from treadle.codec.failure_words import RESTARTED
from treadle.projections.openai_responses.asking import asked
from treadle.projections.openai_responses.calls import CallsOfRun
from treadle.projections.openai_responses.frames import Frames
from treadle.projections.openai_responses.speech import WORDS, OpenSpeech
from treadle.projections.openai_responses.wire import (
    COMPLETED,
    IN_PROGRESS,
    INCOMPLETE,
    NO_MARKS,
    QUEUED,
    STOPPED,
    WAITS,
    Ended,
    Item,
    Marks,
    Response,
    ResponseId,
    failed,
    settled_item,
    usage_json,
)
from treadle.values import events as ev
from treadle.values.events import CLOSING_TYPES, KernelEvent
from treadle.values.ids import CallId, RunId
from treadle.values.mappings import Json
from treadle.values.model import TEXT, THINKING
from treadle.values.pauses import PendingInterrupt
from treadle.values.stretches import SpeechStretch, Stretch, events_of
from treadle.values.usage import NO_USAGE, UsageDelta, usage_since

NOTE: Final = "treadle."
"""Begins the type of an event that this protocol has no word for; the kind of the kernel event in it follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a reader wants to be told, and may do.

    Shape: `segment` counts from 1. `after` is the number of the last event that is not told again. `token_of` gives the
        token of a pause, None where the reader may not answer it or cannot see what it asks; it is the same function
        for all who may the same (`may_answer`). `tells_losses`: what was lost of a tool's progress or a source's events
        would have been told.
    Units: `created` is when the run was asked for, in UTC seconds.
    """

    model: str
    created: int
    segment: int = 1
    after: int = -1
    marks: Marks = NO_MARKS
    may_answer: bool = True
    tells_losses: bool = False
    token_of: Callable[[PendingInterrupt], str | None] = field(compare=False)


class ResponseRun:
    """One segment of a run as events."""

    def __init__(self, run_id: RunId, options: Options) -> None:
        self.is_over = False
        self._run_id = run_id
        self._options = options
        self._frames = Frames(options.after)
        self._ended: Ended = QUEUED
        self._created = options.created
        self._completed: int | None = None
        self._usage: Item | None = None
        self._segment = 1
        self._at_s = 0.0
        self._before: UsageDelta = NO_USAGE
        self._output: list[Item] = []
        self._begins = 0
        """How many items there were when the attempt at hand began."""
        self._open: OpenSpeech | None = None
        self._calls = CallsOfRun()
        self._running: dict[CallId, int] = {}
        """Where the item of a call is that runs."""

    @property
    def response(self) -> Item:
        """The response as it stands."""
        return Response(
            named=ResponseId(run_id=self._run_id, segment=self._options.segment),
            model=self._options.model,
            created=self._created,
            marks=self._options.marks,
            ended=self._ended,
            output=self._items(),
            usage=self._usage,
            completed=self._completed,
        ).json()

    def payloads(self, stretch: Stretch, /) -> list[str]:
        """The events that the next stretch says."""
        if isinstance(stretch, SpeechStretch):
            return self._spoken(stretch.kind, stretch.key, stretch.texts)
        self._at_s = stretch.at_s
        said: list[str] = []
        for event in events_of(stretch, self._run_id):
            if self.is_over:
                break
            said += self._told(event)
        return said

    def _told(self, event: KernelEvent) -> list[str]:
        tell = self.TABLE[type(event)]
        self._calls.see(event)
        if self._segment == self._options.segment:
            return [] if tell is None else tell(self, event)
        if isinstance(event, CLOSING_TYPES):
            self._segment += 1
            self._before = event.outcome.usage
        return []

    def _opened(self, event: ev.RunStarted | ev.Resumed) -> list[str]:
        if isinstance(event, ev.Resumed):
            self._created = int(self._at_s)
        self._ended = IN_PROGRESS
        kinds = ("response.created", "response.in_progress")
        return [frame for kind in kinds for frame in self._frames.event(kind, response=self.response)]

    def _piece(self, event: ev.TextDelta | ev.Thinking) -> list[str]:
        return self._spoken(TEXT if isinstance(event, ev.TextDelta) else THINKING, event.passage, (event.text,))

    def _spoken(self, kind: str, key: int | CallId, texts: tuple[str, ...]) -> list[str]:
        if kind not in WORDS or self.is_over or self._ended is QUEUED:
            return []
        said: list[str] = []
        speech = self._open
        if speech is None or speech.passage != key:
            said += self._hushed("completed")
            self._open = speech = OpenSpeech(self._run_id, kind, int(key), at=len(self._output))
            self._output.append({})
            said += speech.begun(self._frames)
        return said + speech.said(self._frames, texts)

    def _hushed(self, status: str) -> list[str]:
        """The passage at hand is over."""
        if (speech := self._open) is None:
            return []
        self._open = None
        self._output[speech.at] = speech.item(status)
        return speech.closed(self._frames, status)

    def _attempted(self, _: ev.RoundStarted) -> list[str]:
        self._begins = len(self._output)
        return []

    def _turned(self, event: ev.RoundEnded) -> list[str]:
        return self._hushed("completed" if event.outcome == "done" else "incomplete")

    def _retracted(self, _: ev.Retracted) -> list[str]:
        if len(self._output) == self._begins:
            return []
        return self._closed("response.failed", failed(RESTARTED))

    def _called(self, event: ev.ToolCall) -> list[str]:
        return self._run(event.request.call_id)

    def _run(self, named: CallId) -> list[str]:
        """The item of a call, from its beginning to where it runs."""
        item = self._calls.item(named, self._options.model)
        if item is None:
            return []
        at = self._running[named] = len(self._output)
        self._output.append(item)
        place: dict[str, Json] = {"output_index": at, "item_id": item["id"]}
        frames, arguments = self._frames, item["arguments"]
        return [
            *frames.event("response.output_item.added", output_index=at, item={**item, "arguments": ""}),
            *frames.event("response.mcp_call_arguments.delta", **place, delta=arguments),
            *frames.event("response.mcp_call_arguments.done", **place, arguments=arguments),
            *frames.event("response.mcp_call.in_progress", **place),
        ]

    def _settled(self, event: ev.ToolResult) -> list[str]:
        named = event.outcome.call_id
        # What never ran, or ran in a segment before, is told whole with its result.
        begun = [] if named in self._running else self._run(named)
        if (at := self._running.pop(named, None)) is None:
            return []
        item = self._output[at] = settled_item(self._output[at], event.outcome)
        kind = "response.mcp_call.failed" if event.outcome.is_error else "response.mcp_call.completed"
        frames = self._frames
        return [
            *begun,
            *frames.event(kind, output_index=at, item_id=item["id"]),
            *frames.event("response.output_item.done", output_index=at, item=item),
        ]

    def _noted(self, event: KernelEvent) -> list[str]:
        return self._frames.event(f"{NOTE}{event.kind}", event=kernel_event_json(event))

    def _dropped(self, event: ev.Dropped) -> list[str]:
        return self._noted(event) if self._options.tells_losses else []

    def _paused(self, event: ev.PauseEvent) -> list[str]:
        said = self._rested()
        told = [(one, token) for one in event.pending if (token := self._options.token_of(one)) is not None]
        for pending, token in told:
            said += self._asked(pending, token)
        self._spent(event)
        return said + (self._completed_here() if told else self._closed("response.incomplete", WAITS))

    def _asked(self, pending: PendingInterrupt, token: str) -> list[str]:
        item, said = asked(pending, token, self._frames, server=self._options.model, at=len(self._output))
        self._output.append(item)
        return said

    def _done(self, event: ev.Done) -> list[str]:
        said = self._rested()
        self._spent(event)
        return said + self._completed_here()

    def _errored(self, event: ev.Error) -> list[str]:
        said = self._rested()
        self._spent(event)
        if event.code in INCOMPLETE:
            return said + self._closed("response.incomplete", Ended(status="incomplete", reason=INCOMPLETE[event.code]))
        ended = failed(event.code, detail=event.detail, reference=event.reference)
        return said + self._closed("response.failed", ended)

    def _cancelled(self, event: ev.Cancelled) -> list[str]:
        said = self._rested()
        self._spent(event)
        return said + self._closed("response.incomplete", STOPPED)

    def _rested(self) -> list[str]:
        """What is open is closed: a passage that was cut, a call that waits in the middle of its work."""
        said = self._hushed("incomplete")
        for at in self._running.values():
            item = self._output[at] = {**self._output[at], "status": "incomplete"}
            said += self._frames.event("response.output_item.done", output_index=at, item=item)
        self._running.clear()
        return said

    def _spent(self, event: ev.ClosingEvent) -> None:
        self._usage = usage_json(usage_since(event.outcome.usage, self._before))

    def _completed_here(self) -> list[str]:
        self._completed = int(self._at_s)
        return self._closed("response.completed", COMPLETED)

    def _closed(self, kind: str, ended: Ended) -> list[str]:
        said = self._rested()
        self.is_over = True
        self._ended = ended
        return said + self._frames.event(kind, response=self.response)

    TABLE: ClassVar[Mapping[type[KernelEvent], Callable[[ResponseRun, Any], list[str]] | None]] = {
        ev.RunStarted: _opened,
        ev.Resumed: _opened,
        ev.Stage: None,
        ev.RoundStarted: _attempted,
        ev.RoundEnded: _turned,
        ev.Thinking: _piece,
        ev.TextDelta: _piece,
        ev.ToolAnnounced: None,
        ev.ToolArguments: None,
        ev.ToolCall: _called,
        ev.ToolProgress: _noted,
        ev.ToolResult: _settled,
        ev.Retracted: _retracted,
        ev.Extracted: _noted,
        ev.Extension: _noted,
        ev.Dropped: _dropped,
        ev.AskUser: _paused,
        ev.Interrupt: _paused,
        ev.Done: _done,
        ev.Error: _errored,
        ev.Cancelled: _cancelled,
    }
    """Total: an event class that is not in it is a `KeyError`."""

    def _items(self) -> list[Item]:
        items = [*self._output]
        if self._open is not None:
            items[self._open.at] = self._open.item("in_progress")
        return items
