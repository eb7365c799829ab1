"""Redaction of what is not speech: the strings of calls, results, progress, pauses and extensions.

Speech passes the redacting filter in its series. This is the same filter for the fields of the other events, and for
the strings in argument text, one walker a call. Facts are never redacted: a call runs with its true arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from treadle.runtime.asking import answers_schema
from treadle.text.automaton import StreamFilter
from treadle.text.filters.redact import RedactFilter
from treadle.text.json_strings import JsonStrings
from treadle.text.strings import map_strings
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest
from treadle.values.events import KernelEvent
from treadle.values.ids import CallId
from treadle.values.pauses import PauseKind, PendingInterrupt, Resolution

Fields = Mapping[str, Any]


class Redaction:
    """What one run's redacting filter does to events that are not speech."""

    __slots__ = ("_calls", "_filter")

    def __init__(self, pattern: RedactFilter) -> None:
        self._filter = pattern
        self._calls: dict[CallId, JsonStrings] = {}

    @classmethod
    def among(cls, filters: Sequence[StreamFilter]) -> Redaction | None:
        """The redaction that these filters ask for; None where none of them redacts."""
        found = [one for one in filters if isinstance(one, RedactFilter)]
        return cls(found[-1]) if found else None

    def fields(self, event: type[KernelEvent], fields: Fields) -> Fields:
        """The fields of a draft, their strings redacted."""
        change = _FIELDS.get(event)
        return fields if change is None else {**fields, **change(self, fields)}

    def arguments(self, call_id: CallId, piece: str) -> str:
        """What may be shown of a piece of a call's argument text by now."""
        if call_id not in self._calls:
            self._calls[call_id] = JsonStrings(self._filter)
        return self._calls[call_id].feed(piece)

    def rest(self) -> list[tuple[CallId, str]]:
        """What is still held of the calls of a turn, which has ended."""
        held = [(call_id, one.flush()) for call_id, one in self._calls.items()]
        self._calls.clear()
        return [(call_id, text) for call_id, text in held if text]

    def forget(self) -> None:
        """The turn is void: what is held of its calls is never shown."""
        self._calls.clear()

    def value(self, value: Any) -> Any:  # noqa: ANN401 (any JSON terms)
        """A value with its strings redacted."""
        return map_strings(value, self._filter.redacted)

    def request(self, request: ToolRequest) -> ToolRequest:
        """A call to show."""
        raw = request.raw_arguments
        if raw is not None:
            walker = JsonStrings(self._filter)
            raw = walker.feed(raw) + walker.flush()
        name = self._filter.redacted(request.name)
        return replace(request, name=name, arguments=self.value(request.arguments), raw_arguments=raw)

    def outcome(self, outcome: ToolOutcome) -> ToolOutcome:
        """A result to show."""
        return replace(outcome, content=self.value(outcome.content), error=self.value(outcome.error))

    def pending(self, pending: PendingInterrupt) -> PendingInterrupt:
        """A pause to show; its digest still binds the true arguments.

        The options of a question stay apart, so that each can be chosen: see `answer_check`. The schema of another kind
        of pause is what a tool declares, and is shown as it is.
        """
        request = self.value(pending.request)
        if pending.kind is not PauseKind.ASK_USER:
            return replace(pending, request=request)
        asked = [{**question, "options": _told_apart(question["options"])} for question in request["questions"]]
        return replace(pending, request={**request, "questions": asked}, response_schema=answers_schema(asked))

    def resolution(self, resolution: Resolution) -> Resolution:
        """An answer to show."""
        return replace(resolution, value=self.value(resolution.value), reason=self.value(resolution.reason))


def _told_apart(options: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Options whose labels read alike, each with its number behind its label."""
    labels = [option["label"] for option in options]
    told: list[Mapping[str, Any]] = []
    for number, option in enumerate(options, 1):
        label = option["label"]
        while labels.count(label) > 1 or label in [one["label"] for one in told]:
            label = f"{label} ({number})"
        told.append({**option, "label": label})
    return told


def _pending(redaction: Redaction, fields: Fields) -> Fields:
    return {"pending": tuple(redaction.pending(one) for one in fields["pending"])}


def _resolutions(redaction: Redaction, fields: Fields) -> Fields:
    return {"resolutions": tuple(redaction.resolution(one) for one in fields["resolutions"])}


def _strings(*names: str) -> Callable[[Redaction, Fields], Fields]:
    return lambda redaction, fields: {name: redaction.value(fields[name]) for name in names if name in fields}


_FIELDS: Final[dict[type[KernelEvent], Callable[[Redaction, Fields], Fields]]] = {
    ev.RunStarted: _strings("prompt"),
    ev.Resumed: _resolutions,
    ev.ToolAnnounced: _strings("name"),
    ev.ToolCall: lambda redaction, fields: {"request": redaction.request(fields["request"])},
    ev.ToolProgress: _strings("payload"),
    ev.ToolResult: lambda redaction, fields: {"outcome": redaction.outcome(fields["outcome"])},
    ev.Extension: _strings("payload"),
    ev.AskUser: _pending,
    ev.Interrupt: _pending,
    ev.Error: _strings("detail"),
    ev.Cancelled: _strings("reason"),
}
