"""A run as the answer to one call of a tool: notifications of progress, then the result.

In: stretches of a log, from its first, and how one call is told. Out: messages as JSON text, unframed, each with the
index of its event. Nothing but the log and the telling decides what is said.

Shape: the numbers of progress grow by one. What the agent says is in the result alone, where nothing has to be taken
back: progress says that it writes, and which step it is at. In a session a pause asks the client in the midst of the
call; in the version without sessions it ends the call, which is then made again.

Source: docs/protocols/mcp.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, NamedTuple

from treadle.codec.foreign import json_terms, json_text
from treadle.projections.mcp.endings import Ending, asked_in_session
from treadle.projections.mcp.telling import Telling
from treadle.projections.mcp.wire import message, progress, progress_template
from treadle.values import events as ev
from treadle.values.exposure import HOW_IT_ENDED
from treadle.values.ids import CallId, InterruptId, RunId, ThreadId
from treadle.values.model import ARGUMENTS, TEXT
from treadle.values.pauses import Settlement
from treadle.values.stretches import SpeechStretch, Stretch, events_of
from treadle.values.usage import NO_USAGE, usage_since

EACH_CHARS: Final = 1_000
"""Characters of speech after which it is said again that there is some."""
LONGEST_WORDS: Final = 1_000
"""Characters of a notification's words."""


class Said(NamedTuple):
    """A message, and the event that it says."""

    at: int
    payload: str


class ToolCallRun:
    """One run, told to one call."""

    __slots__ = (
        "_asked", "_chars", "_index", "_limit", "_names", "_number", "_run_id", "_said", "_spent", "_steps", "_telling",
        "_template", "_thread_id", "is_over",
    )  # fmt: skip

    def __init__(self, run_id: RunId, telling: Telling) -> None:
        self.is_over = False
        """Whether the call has its result: nothing of it comes any more."""
        self._run_id = run_id
        self._telling = telling
        self._template = None if telling.token_json is None else progress_template(telling.token_json)
        self._said: list[Said] = []
        self._index = -1
        self._number = 0
        self._chars: dict[str, int] = {}
        self._names: dict[CallId, str] = {}
        self._steps = 0
        self._limit = 0
        self._thread_id = ThreadId("")
        self._spent = NO_USAGE
        self._asked: dict[InterruptId, str] = {}

    def payloads(self, stretch: Stretch, /) -> list[str]:
        """What the next stretch of the log says, message by message.

        Raises:
            KeyError: An event is of no class of the union.
        """
        return [said.payload for said in self.said(stretch)]

    def said(self, stretch: Stretch, /) -> list[Said]:
        """The same, each with the index of its event.

        Raises:
            KeyError: An event is of no class of the union.
        """
        if self.is_over:
            return []
        if type(stretch) is SpeechStretch:
            self._speech(stretch)
        else:
            for event in events_of(stretch, self._run_id):
                if self._says_the_last(event):
                    break
        said, self._said = self._said, []
        return said

    def _says_the_last(self, event: ev.KernelEvent) -> bool:
        """Say what an event says, and whether that was the result."""
        self._index = event.index
        self.SAYS[type(event)](self, event)
        return self.is_over

    # What is said, and what is not.

    @property
    def _is_silent(self) -> bool:
        return self._index <= self._telling.after

    def _say(self, payload: str) -> None:
        self._said.append(Said(self._index, payload))

    def _progress(self, words: str) -> None:
        """One more step. What was told to the call before this one counts, so that numbers grow over both."""
        self._number += 1
        if self._template is not None and not self._is_silent:
            cut = words if len(words) <= LONGEST_WORDS else f"{words[: LONGEST_WORDS - 1]}…"
            self._say(progress(self._template, self._number, cut))

    def _speech(self, stretch: SpeechStretch) -> None:
        if self._template is None or stretch.kind == ARGUMENTS:
            return
        words = "writing" if stretch.kind == TEXT else "thinking"
        chars = self._chars.get(words, 0)
        edge = _next_edge(chars)
        self._chars[words] = after = chars + sum(map(len, stretch.texts))
        if after <= edge:
            return
        for at, text in enumerate(stretch.texts):
            chars += len(text)
            if chars > edge:
                edge = _next_edge(chars)
                self._index = stretch.index + at
                self._progress(words)

    # What each event says.

    def _run_began(self, event: ev.RunStarted) -> None:
        self._thread_id = event.thread_id
        self._limit = event.tool_call_limit
        self._progress("started")

    def _resumed(self, event: ev.Resumed) -> None:
        for one in event.resolutions:
            asked = self._asked.pop(one.interrupt_id, None)
            if asked is not None and one.settlement in (Settlement.EXPIRED, Settlement.CANCELLED):
                params = {"requestId": asked, "reason": one.settlement.value}
                self._say(message(method="notifications/cancelled", params=params))
        self._asked.clear()
        self._progress("going on")

    def _nothing(self, _: ev.KernelEvent) -> None:
        """What is of no use to whoever waits for a result."""

    def _round_started(self, event: ev.RoundStarted) -> None:
        self._chars.clear()
        self._progress(f"round {event.round}" + (f", attempt {event.attempt}" if event.attempt > 1 else ""))

    def _piece(self, event: ev.TextDelta | ev.Thinking) -> None:
        """A piece that stands among other events."""
        words = "writing" if isinstance(event, ev.TextDelta) else "thinking"
        chars = self._chars.get(words, 0)
        self._chars[words] = chars + len(event.text)
        if chars + len(event.text) > _next_edge(chars):
            self._progress(words)

    def _called(self, event: ev.ToolCall) -> None:
        request = event.request
        self._names[request.call_id] = request.name
        self._steps += 1
        if request.name:
            self._progress(f"calling {request.name}")
        else:
            step = f"step {self._steps}"
            self._progress(f"{step}/{self._limit}" if self._steps <= self._limit else step)

    def _progressed(self, event: ev.ToolProgress) -> None:
        payload = event.payload
        told = payload if isinstance(payload, str) else json_text(json_terms(payload))
        self._progress(f"{self._names.get(event.call_id, 'a tool')}: {told}")

    def _returned(self, event: ev.ToolResult) -> None:
        if name := self._names.get(event.outcome.call_id):
            self._progress(f"{name}: {HOW_IT_ENDED.get(event.outcome.status, 'done')}")

    def _retracted(self, _: ev.Retracted) -> None:
        self._progress("starting over")

    def _extracted(self, event: ev.Extracted) -> None:
        self._own("extracted", {"tag": event.tag, "operations": event.operations, "diagnostic": event.diagnostic})

    def _extension(self, event: ev.Extension) -> None:
        self._own(event.type, event.payload)

    def _dropped(self, event: ev.Dropped) -> None:
        self._progress(f"{event.count} of {event.dropped_kind} lost")

    def _own(self, kind: str, value: object) -> None:
        """Something for programs, as JSON; where it is too long for a notification, only that it was there."""
        told = json_text({"type": kind, "value": json_terms(value)})
        self._progress(told if len(told) <= LONGEST_WORDS else json_text({"type": kind[: LONGEST_WORDS // 2]}))

    def _done(self, event: ev.Done) -> None:
        self._end(event, self._ending(event).done(event))

    def _failed(self, event: ev.Error) -> None:
        self._end(event, self._ending(event).failed(event))

    def _cancelled(self, event: ev.Cancelled) -> None:
        self._end(event, self._ending(event).cancelled(event))

    def _paused(self, event: ev.PauseEvent) -> None:
        telling = self._telling
        pending = tuple(one for one in event.pending if one.interrupt_id not in telling.settled)
        if not pending:
            # All of it was answered: this call is told how it goes on.
            self._spent = event.outcome.usage
            return
        if telling.is_modern or self._is_silent or (asked := asked_in_session(pending, telling)) is None:
            self._end(event, self._ending(event).paused(event, pending))
            return
        for one, (request_id, payload) in zip(pending, asked, strict=True):
            self._asked[one.interrupt_id] = request_id
            self._say(payload)

    def _ending(self, event: ev.ClosingEvent) -> Ending:
        spent = usage_since(event.outcome.usage, self._spent)
        return Ending(self._telling, run_id=self._run_id, thread_id=self._thread_id, spent=spent)

    def _end(self, event: ev.ClosingEvent, payload: str) -> None:
        self._spent = event.outcome.usage
        if not self._is_silent:
            self._say(payload)
            self.is_over = True

    SAYS: ClassVar[Mapping[type[ev.KernelEvent], Callable[[ToolCallRun, Any], None]]] = {
        ev.RunStarted: _run_began,
        ev.Resumed: _resumed,
        ev.Stage: _nothing,
        ev.RoundStarted: _round_started,
        ev.RoundEnded: _nothing,
        ev.Thinking: _piece,
        ev.TextDelta: _piece,
        ev.ToolAnnounced: _nothing,
        ev.ToolArguments: _nothing,
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


def _next_edge(chars: int) -> int:
    """What so much speech of a round has to go past to be told of again: nothing at first, then so much each."""
    return -(-chars // EACH_CHARS) * EACH_CHARS
