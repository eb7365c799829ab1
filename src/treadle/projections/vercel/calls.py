"""The tool parts of a message: what is told of calls, and of what a run asks people about them.

In: events of calls and pauses, in order. Out: chunks. It remembers the calls of one round and what was asked, so that
each part is begun, gets its input before its output, and is told alike from its first chunk to its last.

Source: docs/protocols/vercel.md.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from json.encoder import encode_basestring_ascii
from typing import Any, Final

from treadle.projections.vercel.wire import (
    PAUSE,
    RunsAt,
    ToolPart,
    chunk,
    data,
    moment,
    spoken,
    tool_failure,
    tool_output,
    tool_progress,
)
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolStatus
from treadle.values.exposure import is_hidden
from treadle.values.ids import CallId, InterruptId
from treadle.values.mappings import EMPTY, Json
from treadle.values.model import ARGUMENTS
from treadle.values.pauses import PauseKind, PendingInterrupt, Resolution, Settlement

TAKEN_BACK: Final = "the call was taken back: the answer is being made again"
_UNNAMED: Final = "step"
_QUESTIONS: Final = "ask_user"
_RUNS_AT: Final[Mapping[PauseKind, RunsAt]] = {
    PauseKind.APPROVAL: RunsAt.SERVER,
    PauseKind.ASK_USER: RunsAt.PERSON,
    PauseKind.FRONT_END: RunsAt.PAGE,
}
_DECLINED: Final[Mapping[Settlement, str]] = {
    Settlement.DECLINED: "a person said no",
    Settlement.EXPIRED: "nobody answered in time",
    Settlement.CANCELLED: "nothing was decided",
}


@dataclass(slots=True)
class _Call:
    """A call of the present round. `texts` are its arguments as they came, until they are told whole."""

    part: ToolPart
    texts: list[str] = field(default_factory=list)
    has_input: bool = False
    was_refused: bool = False
    """Whether leave to run it was asked and not given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A pause that was told.

    Shape: `approval_id` where leave was asked, and this reader does not know what was decided; `has_part`: it is a tool
        part of its own; `has_data`: a data part tells where it stands.
    """

    pending: PendingInterrupt
    approval_id: str | None = None
    has_part: bool = False
    has_data: bool = True


class ToolParts:
    """What is told of the calls of one run.

    Args:
        page: Names of the tools that the front end runs.
        person: Names of the tools whose calls are questions to a person.
    """

    def __init__(self, *, page: Collection[str], person: Collection[str]) -> None:
        self._page = page
        self._person = person
        self._calls: dict[CallId, _Call] = {}
        self._asked: dict[InterruptId, _Asked] = {}
        self._told = 0
        self.most = 0
        """How many calls the run may make; 0 where there is no limit."""
        self.acts_on_page = False
        """Whether the last step holds parts that are the page's to give an output to."""

    def begin_round(self) -> None:
        """Another round: all calls of the one before are settled."""
        self._calls.clear()
        self.acts_on_page = False

    def take_back(self) -> list[str]:
        """What the model said of calls is void; close those that were told."""
        said = [call.part.unfit(_read(call.texts), TAKEN_BACK) for call in self._calls.values()]
        self._calls.clear()
        return said

    def decided(self, answered: Collection[InterruptId]) -> None:
        """The reader has answered these itself: what it decided stands in its parts, and is not told again."""
        for named in answered:
            if (asked := self._asked.get(named)) is not None:
                self._asked[named] = replace(asked, approval_id=None)

    def announced(self, event: ev.ToolAnnounced) -> str:
        """The model speaks of a call."""
        return self._begin(event.call_id, event.name).part.started()

    def spoken(self, call_id: CallId, texts: Collection[str]) -> list[str]:
        """Pieces of what it is called with."""
        self._calls[call_id].texts += texts
        before = spoken(ARGUMENTS, call_id)
        return [f"{before}{encode_basestring_ascii(text)}}}" for text in texts]

    def called(self, event: ev.ToolCall) -> str:
        """It runs. Said again of one that waited for leave: its arguments may be others, and it waits no more."""
        request = event.request
        call = self._calls.get(request.call_id) or self._begin(request.call_id, request.name)
        return self._available(call, request.arguments)

    def progressed(self, event: ev.ToolProgress) -> str:
        """How far it is."""
        return tool_progress(event.call_id, event.payload)

    def settled(self, outcome: ToolOutcome) -> list[str]:
        """The one result it gets; nothing of a call that this reader never heard of."""
        call = self._calls.get(outcome.call_id)
        if call is None:
            return []
        if outcome.status is ToolStatus.OK:
            said = [] if call.has_input else [self._available(call, _read(call.texts), is_past=True)]
            return [*said, tool_output(outcome.call_id, outcome.content, duration_ms=outcome.duration_ms)]
        assert outcome.error is not None, "an outcome that is not `ok` has an error"
        if not call.has_input:
            return [call.part.unfit(_read(call.texts), outcome.error)]
        if call.was_refused:
            return [chunk("tool-output-denied", toolCallId=outcome.call_id)]
        return [tool_failure(outcome.call_id, outcome.error, duration_ms=outcome.duration_ms)]

    def asked(self, pending: PendingInterrupt, *, token: str | None, is_past: bool) -> list[str]:
        """A pause, for whoever may answer it; for others that a decision is due.

        Args:
            token: What an answer needs; None: this reader may not answer.
            is_past: It was answered, so nobody is to act on it.
        """
        if is_hidden(pending) or (token is None and not is_past):
            self._asked[pending.interrupt_id] = _Asked(pending=pending)
            return [_pause(pending, "open")]
        if pending.kind is PauseKind.APPROVAL:
            return self._asked_for_leave(pending, pending.interrupt_id if is_past or token is None else token)
        said = self._asked_for_output(pending, is_past=is_past)
        more = {"token": None if is_past else token, "responseSchema": pending.response_schema or None}
        return [*said, _pause(pending, "open", **more)]

    def answered(self, resolution: Resolution) -> list[str]:
        """How a pause was settled."""
        asked = self._asked.pop(resolution.interrupt_id)
        is_answered = resolution.settlement is Settlement.ANSWERED
        said: list[str] = []
        if asked.pending.kind is PauseKind.APPROVAL and (call := self._calls.get(asked.pending.call_id)) is not None:
            call.was_refused = not is_answered
        if asked.approval_id is not None:
            decided = {"approvalId": asked.approval_id, "approved": is_answered, "reason": resolution.reason}
            said.append(chunk("tool-approval-response", **decided))
        if asked.has_part and is_answered:
            said.append(tool_output(resolution.interrupt_id, resolution.value))
        elif asked.has_part:
            words = _DECLINED[resolution.settlement]
            told = f"{words}: {resolution.reason}" if resolution.reason else words
            said.append(tool_failure(resolution.interrupt_id, told))
        if asked.has_data:
            said.append(_pause(asked.pending, resolution.settlement.value, reason=resolution.reason))
        return said

    def _asked_for_leave(self, pending: PendingInterrupt, approval_id: str) -> list[str]:
        call = self._of(pending)
        said = [] if call.has_input else [self._available(call, pending.request["arguments"])]
        self._asked[pending.interrupt_id] = _Asked(pending=pending, approval_id=approval_id, has_data=False)
        # Where calls have no names, whoever is to decide about one is told what it is called.
        unnamed = pending.request["name"] if call.part.name != pending.request["name"] else None
        about = {
            "interruptId": pending.interrupt_id,
            "expiresAt": moment(pending.expires_at),
            "toolName": unnamed,
        }
        descriptor = {name: value for name, value in about.items() if value is not None}
        asks = {"approvalId": approval_id, "toolCallId": pending.call_id, "approvalDescriptor": descriptor}
        return [*said, chunk("tool-approval-request", **asks)]

    def _asked_for_output(self, pending: PendingInterrupt, *, is_past: bool) -> list[str]:
        request = pending.request
        if pending.kind is PauseKind.INTERRUPT:
            self._asked[pending.interrupt_id] = _Asked(pending=pending, has_part=True)
            self.acts_on_page = True
            part = ToolPart(call_id=pending.interrupt_id, name=request["name"], runs_at=RunsAt.PERSON)
            return [part.available(request["payload"], is_past=is_past)]
        self._asked[pending.interrupt_id] = _Asked(pending=pending)
        call = self._of(pending)
        if call.has_input:
            return []
        arguments = request["arguments"] if pending.kind is PauseKind.FRONT_END else request
        return [self._available(call, arguments, is_past=is_past)]

    def _available(self, call: _Call, arguments: Json, *, is_past: bool = False) -> str:
        call.has_input = True
        call.texts.clear()
        return call.part.available(arguments, is_past=is_past)

    def _of(self, pending: PendingInterrupt) -> _Call:
        """The call that a pause is about, also for a reader who is told of no calls but that one."""
        call = self._calls.get(pending.call_id)
        if call is not None:
            return call
        return self._begin(pending.call_id, pending.request.get("name", _QUESTIONS), _RUNS_AT[pending.kind])

    def _begin(self, call_id: CallId, name: str, runs_at: RunsAt | None = None) -> _Call:
        self._told += 1
        if runs_at is None:
            runs_at = RunsAt.PAGE if name in self._page else RunsAt.PERSON if name in self._person else RunsAt.SERVER
        self.acts_on_page = self.acts_on_page or runs_at is not RunsAt.SERVER
        title = None
        if not name:
            title = f"{_UNNAMED} {self._told}/{self.most}" if self._told <= self.most else f"{_UNNAMED} {self._told}"
        part = ToolPart(call_id=call_id, name=name or _UNNAMED, runs_at=runs_at, title=title)
        call = self._calls[call_id] = _Call(part)
        return call


def _pause(pending: PendingInterrupt, state: str, **more: Any) -> str:  # noqa: ANN401 (JSON terms)
    told = {
        "interruptId": pending.interrupt_id,
        "toolCallId": pending.call_id,
        "kind": pending.kind.value,
        "state": state,
        "expiresAt": moment(pending.expires_at) if state == "open" else None,
        **more,
    }
    return data(PAUSE, told, named=pending.interrupt_id)


def _read(texts: Collection[str]) -> Json:
    """What a call would have been called with: as JSON where it is that, else as it was said."""
    said = "".join(texts)
    if not said:
        return EMPTY
    try:
        read: Json = json.loads(said, parse_constant=_none)
    except (ValueError, RecursionError):
        return said
    return read


def _none(_: str) -> None:
    """JSON has no such number."""
