"""Kernel events to what a person reads: text as it comes, thinking dimmed, a line a call and a line a result.

In: kernel events in order, from the first. Out: text, with a terminal's own colour codes or with none. Everything a
model or a tool said passes `foreign_text` first, and none of it is read as markup.
Knows nothing of where the text goes, and nothing of how the run is driven.

Source: docs/cli.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from rich.style import Style

from treadle.cli import foreign_text
from treadle.cli.ink import BAD, CALL, DIM, GOOD, ODD, PLAIN, Ink
from treadle.cli.usage_line import duration, usage_line
from treadle.codec.foreign import json_text, json_value
from treadle.values import events
from treadle.values.calls import ToolOutcome, ToolStatus
from treadle.values.ids import CallId
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import PauseKind, PendingInterrupt

THINKING = "[thinking] "


class Rendering:
    """One run, or the runs of one chat, as text for a person."""

    def __init__(self, *, terminal: bool) -> None:
        self._terminal = terminal
        self._ink = Ink(terminal=terminal)
        self._at_line_start = True
        self._thinking = False
        self._names: dict[CallId, str] = {}

    def show(self, event: events.KernelEvent) -> str:
        """What `event` adds to the screen; "" for an event that people are not shown."""
        self.SHOWN[type(event)](self, event)
        return self._ink.taken()

    def end(self) -> str:
        """What ends the screen's last line where it is open: the run goes on, and is not shown further."""
        self._end_line()
        return self._ink.taken()

    def _say(self, text: str, style: Style = PLAIN) -> None:
        self._ink.put(text, style)
        self._at_line_start = text.endswith("\n")

    def _end_line(self) -> None:
        self._thinking = False
        if not self._at_line_start:
            self._say("\n")

    def _say_line(self, text: str, style: Style = DIM) -> None:
        self._end_line()
        self._say(text, style)
        self._say("\n")

    def _hide(self, _event: events.KernelEvent) -> None:
        """People are not shown this."""

    def _text(self, event: events.TextDelta) -> None:
        if self._thinking:
            self._end_line()
        self._say(foreign_text.block(event.text))

    def _think(self, event: events.Thinking) -> None:
        if not self._thinking:
            self._end_line()
        self._thinking = True
        text = foreign_text.block(event.text)
        if self._terminal:
            self._say(text, DIM)
            return
        for line in text.splitlines(keepends=True):
            self._say(THINKING + line if self._at_line_start else line)

    def _announced(self, event: events.ToolAnnounced) -> None:
        self._names[event.call_id] = event.name

    def _call(self, event: events.ToolCall) -> None:
        request = event.request
        self._names[request.call_id] = request.name
        self._say_line(f"[tool] {foreign_text.line(request.name)} {foreign_text.value(request.arguments)}", CALL)

    def _progress(self, event: events.ToolProgress) -> None:
        self._say_line(f"[tool] {self._name(event.call_id)} so far: {foreign_text.value(event.payload)}")

    def _result(self, event: events.ToolResult) -> None:
        outcome = event.outcome
        took = f" in {duration(outcome.duration_ms)}" if outcome.duration_ms else ""
        status = GOOD if outcome.status is ToolStatus.OK else BAD
        self._say_line(f"[tool] {self._name(outcome.call_id)} {outcome.status}{took}: {_came(outcome)}", status)

    def _retracted(self, event: events.Retracted) -> None:
        reason = foreign_text.line(event.reason)
        self._say_line(f"[retracted] what round {event.round}, attempt {event.attempt} said is void ({reason})", ODD)

    def _extracted(self, event: events.Extracted) -> None:
        found = foreign_text.line(event.diagnostic) if event.diagnostic else foreign_text.value(event.operations)
        self._say_line(f"[extracted] {foreign_text.line(event.tag)}: {found}")

    def _extension(self, event: events.Extension) -> None:
        self._say_line(f"[extension] {foreign_text.line(event.type)}: {foreign_text.value(event.payload)}")

    def _dropped(self, event: events.Dropped) -> None:
        self._say_line(f"[dropped] {foreign_text.line(event.dropped_kind)} {event.first} to {event.last}", ODD)

    def _pause(self, event: events.PauseEvent) -> None:
        for pending in event.pending:
            self._say_line(f"[paused] {asked(pending)}", ODD)
        # Its calls go on, or end, in the next segment.
        self._spent(event.outcome)

    def _done(self, event: events.Done) -> None:
        if not event.outcome.text:
            self._say_line("[note] the model gave no text")
        self._closing(event.outcome)

    def _cut(self, event: events.Error | events.Cancelled) -> None:
        self._closing(event.outcome)

    def _closing(self, outcome: InvocationOutcome) -> None:
        self._names.clear()
        self._spent(outcome)

    def _spent(self, outcome: InvocationOutcome) -> None:
        self._say_line(f"[usage] {usage_line(outcome.usage)}; {duration(outcome.duration_ms)}")

    def _name(self, call_id: CallId) -> str:
        return foreign_text.line(self._names.get(call_id) or call_id)

    SHOWN: ClassVar[dict[type, Callable[[Any, Any], None]]] = {
        events.RunStarted: _hide,
        events.Resumed: _hide,
        events.Stage: _hide,
        events.RoundStarted: _hide,
        events.RoundEnded: _hide,
        events.Thinking: _think,
        events.TextDelta: _text,
        events.ToolAnnounced: _announced,
        events.ToolArguments: _hide,
        events.ToolCall: _call,
        events.ToolProgress: _progress,
        events.ToolResult: _result,
        events.Retracted: _retracted,
        events.Extracted: _extracted,
        events.Extension: _extension,
        events.Dropped: _dropped,
        events.AskUser: _pause,
        events.Interrupt: _pause,
        events.Done: _done,
        events.Error: _cut,
        events.Cancelled: _cut,
    }
    """How each event is shown. Total: an event that is not here is a `KeyError`, never passed over in silence."""


def asked(pending: PendingInterrupt) -> str:
    """What a pause waits for, on one line."""
    match pending.kind:
        case PauseKind.ASK_USER:
            return f"the run asks: {foreign_text.value(pending.request)}"
        case PauseKind.APPROVAL:
            # A person decides on exactly what is shown, so nothing of it is cut off.
            whole = json_text(json_value(pending.request))
            return f"a call waits for leave: {foreign_text.line(whole, longest_chars=len(whole))}"
        case PauseKind.INTERRUPT:
            return f"the run waits: {foreign_text.value(pending.request)}"
        case PauseKind.FRONT_END:
            return f"a call waits for the front end: {foreign_text.value(pending.request)}"


def _came(outcome: ToolOutcome) -> str:
    if outcome.is_error and outcome.error:
        return foreign_text.line(outcome.error)
    return foreign_text.value(outcome.content)
