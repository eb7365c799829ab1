"""What a wire may say of a run: an allow-list, and a run's events cut down to it.

In: a kernel event, and the exposure of a mount. Out: the event as that mount may know it, or None. It stands between
the log and every projection, so a projection cannot tell what it never saw.

Source: ADR 0033 (exposure stands before the projections).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final, TypeVar

from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.events import KernelEvent
from treadle.values.ids import NO_RUN
from treadle.values.model import ARGUMENTS, THINKING
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import PauseKind, PendingInterrupt
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch, events_of
from treadle.values.usage import NO_USAGE


class ToolExposure(StrEnum):
    """What is told of calls."""

    FULL = "full"
    NAMES = "names"
    """That a tool was called, which one and how it ended; neither arguments nor results."""
    OPAQUE = "opaque"
    """That something was called."""
    NONE = "none"


class ErrorExposure(StrEnum):
    """What is told of failures."""

    CODE = "code"
    """The stable code, and a sentence that is the same each time."""
    TEXT = "text"
    """What a provider, a tool or a store of memories said as well."""


class PauseExposure(StrEnum):
    """What is told of a pause that asks about a call."""

    FULL = "full"
    """What it asks about, to whoever may answer it."""
    DUE = "due"
    """That a decision is due."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """What one mount may say.

    Shape: `extensions` are the types of extension events that are told: none at first. Questions to a person and named
    interrupts are written to be shown, and are told whatever `pauses` says.
    """

    tools: ToolExposure = ToolExposure.FULL
    thinking: bool = True
    errors: ErrorExposure = ErrorExposure.CODE
    usage: bool = True
    extensions: frozenset[str] = frozenset()
    extracted: bool = False
    pauses: PauseExposure = PauseExposure.FULL

    def __post_init__(self) -> None:
        object.__setattr__(self, "tools", ToolExposure(self.tools))
        object.__setattr__(self, "errors", ErrorExposure(self.errors))
        object.__setattr__(self, "pauses", PauseExposure(self.pauses))
        given: object = self.extensions
        if isinstance(given, str):
            raise TypeError(f"extensions is a set of types, not the text {given!r}")
        object.__setattr__(self, "extensions", frozenset(self.extensions))


UI: Final = Exposure()
"""The user's own page: all but what has to be asked for."""
TEXT_ONLY: Final = Exposure(tools=ToolExposure.NONE, thinking=False)
"""Text, and what a person is asked."""
OPAQUE: Final = Exposure(tools=ToolExposure.OPAQUE, thinking=False, pauses=PauseExposure.DUE)
"""Another agent: text, and that something is done."""

HOW_IT_ENDED: Final[Mapping[ToolStatus, str]] = {
    ToolStatus.FAILED: "the tool failed",
    ToolStatus.DENIED: "a person said no",
    ToolStatus.REFUSED: "the call was refused",
    ToolStatus.TIMEOUT: "the tool took too long",
    ToolStatus.CANCELLED: "the call was cancelled",
    ToolStatus.UNKNOWN: "nobody knows whether the tool took effect",
}
"""What is said of a call that did not end well, in place of the tool's own words."""


def exposed(event: KernelEvent, exposure: Exposure) -> KernelEvent | None:
    """An event as a mount of this exposure may know it; None where it may not know of it.

    Raises:
        KeyError: The class is none of the union.
    """
    return CUTS[type(event)](event, exposure)


def exposed_stretches(stretch: Stretch, exposure: Exposure) -> tuple[Stretch, ...]:
    """A stretch as a mount may know it: speech whole or not at all, of entries the events alone.

    Shape:  where its last events are hidden, an empty stretch of entries stands for them: `index` is that of the next
        event, so whoever counts knows how far the log is.
    """
    if isinstance(stretch, SpeechStretch):
        return (stretch,) if speaks(stretch.kind, exposure) else (_passed(stretch),)
    events = events_of(stretch, NO_RUN)
    told = [cut for cut in (exposed(event, exposure) for event in events) if cut is not None]
    is_whole_to_its_end = bool(told) and told[-1].index == events[-1].index
    shown = (replace(stretch, index=told[0].index, entries=tuple(told)),) if told else ()
    return shown if is_whole_to_its_end else (*shown, _passed(stretch))


def _passed(stretch: Stretch) -> EntryStretch:
    after = stretch.index + stretch.events
    return EntryStretch(
        seq=stretch.seq + stretch.records, index=after, entries=(), at_s=stretch.at_s, epoch=stretch.epoch
    )


def speaks(kind: str, exposure: Exposure) -> bool:
    """Whether speech of this kind is told."""
    if kind == THINKING:
        return exposure.thinking
    return kind != ARGUMENTS or exposure.tools is ToolExposure.FULL


def is_hidden(pending: PendingInterrupt) -> bool:
    """Whether a pause, as a mount knows it, says only that a decision is due."""
    return not pending.request and not pending.response_schema


_E = TypeVar("_E", bound=Any)


def _whole(event: _E, _: Exposure) -> _E:
    return event


def _thinking(event: ev.Thinking, exposure: Exposure) -> ev.Thinking | None:
    return event if exposure.thinking else None


def _announced(event: ev.ToolAnnounced, exposure: Exposure) -> ev.ToolAnnounced | None:
    if exposure.tools is ToolExposure.NONE:
        return None
    return replace(event, name="") if exposure.tools is ToolExposure.OPAQUE else event


def _only_full(event: _E, exposure: Exposure) -> _E | None:
    return event if exposure.tools is ToolExposure.FULL else None


def _call(event: ev.ToolCall, exposure: Exposure) -> ev.ToolCall | None:
    if exposure.tools is ToolExposure.NONE:
        return None
    if exposure.tools is not ToolExposure.FULL:
        name = event.request.name if exposure.tools is ToolExposure.NAMES else ""
        return replace(event, request=_bare(event.request, name), streamed=False)
    # What a call was damaged by is told to the model, and may quote what is in no answer.
    hides = exposure.errors is ErrorExposure.CODE and event.request.damage is not None
    return replace(event, request=replace(event.request, damage="damaged")) if hides else event


def _bare(request: ToolRequest, name: str) -> ToolRequest:
    return ToolRequest(call_id=request.call_id, name=name)


def _result(event: ev.ToolResult, exposure: Exposure) -> ev.ToolResult | None:
    outcome = event.outcome
    if exposure.tools is ToolExposure.NONE:
        return None
    error = outcome.error if exposure.errors is ErrorExposure.TEXT else HOW_IT_ENDED.get(outcome.status)
    if exposure.tools is ToolExposure.FULL:
        return event if error == outcome.error else replace(event, outcome=replace(outcome, error=error))
    told = ToolOutcome(
        call_id=outcome.call_id,
        status=outcome.status,
        error=HOW_IT_ENDED.get(outcome.status),
        duration_ms=outcome.duration_ms,
    )
    return replace(event, outcome=told)


def _stage(event: ev.Stage, exposure: Exposure) -> ev.Stage:
    # Why a step failed is said by what it uses: a store of memories, in its own words.
    return event if exposure.errors is ErrorExposure.TEXT else replace(event, reason=None)


def _extension(event: ev.Extension, exposure: Exposure) -> ev.Extension | None:
    return event if event.type in exposure.extensions else None


def _extracted(event: ev.Extracted, exposure: Exposure) -> ev.Extracted | None:
    return event if exposure.extracted else None


def _round_ended(event: ev.RoundEnded, exposure: Exposure) -> ev.RoundEnded:
    return event if exposure.usage else replace(event, usage=NO_USAGE)


def _outcome(outcome: InvocationOutcome, exposure: Exposure) -> InvocationOutcome:
    usage = outcome.usage if exposure.usage else NO_USAGE
    return replace(outcome, usage=usage, messages=(), tool_outcomes=())


def _ended(event: _E, exposure: Exposure) -> _E:
    ended: _E = replace(event, outcome=_outcome(event.outcome, exposure))
    return ended


def _failed(event: ev.Error, exposure: Exposure) -> ev.Error:
    detail = event.detail if exposure.errors is ErrorExposure.TEXT else None
    return replace(event, outcome=_outcome(event.outcome, exposure), detail=detail)


def _paused(event: _E, exposure: Exposure) -> _E:
    pending = tuple(_pause(one, exposure) for one in event.pending)
    paused: _E = replace(event, outcome=_outcome(event.outcome, exposure), pending=pending)
    return paused


def _pause(pending: PendingInterrupt, exposure: Exposure) -> PendingInterrupt:
    asks_about_a_call = pending.kind in (PauseKind.APPROVAL, PauseKind.FRONT_END)
    if exposure.pauses is PauseExposure.FULL or not asks_about_a_call:
        return pending
    return replace(pending, request={}, response_schema={}, arguments_digest="")


def _resumed(event: ev.Resumed, exposure: Exposure) -> ev.Resumed:
    if exposure.tools is ToolExposure.FULL:
        return event
    # What a person answered is the result of a call, or what it is run with.
    return replace(event, resolutions=tuple(replace(one, value=None, reason=None) for one in event.resolutions))


Cut = Callable[[Any, Exposure], KernelEvent | None]
CUTS: Final[Mapping[type[KernelEvent], Cut]] = {
    ev.RunStarted: _whole,
    ev.Resumed: _resumed,
    ev.Stage: _stage,
    ev.RoundStarted: _whole,
    ev.RoundEnded: _round_ended,
    ev.Thinking: _thinking,
    ev.TextDelta: _whole,
    ev.ToolAnnounced: _announced,
    ev.ToolArguments: _only_full,
    ev.ToolCall: _call,
    ev.ToolProgress: _only_full,
    ev.ToolResult: _result,
    ev.Retracted: _whole,
    ev.Extracted: _extracted,
    ev.Extension: _extension,
    ev.Dropped: _whole,
    ev.AskUser: _paused,
    ev.Interrupt: _paused,
    ev.Done: _ended,
    ev.Error: _failed,
    ev.Cancelled: _ended,
}
"""Total: an event class that is not in it is a `KeyError`."""
