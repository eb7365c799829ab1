"""Whether what a reader was given is a sound segment of a run.

In: the events of one segment: stream events, kernel events, or either of them as JSON. Out: violations, as sentences.

Source: docs/testing.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from treadle.codec.events import EVENT_SHAPES, kernel_event_json
from treadle.projections.typed.events import StreamEvent
from treadle.projections.typed.wire import STREAM_SHAPES, stream_event_json
from treadle.testing.stream_rules import StreamRules
from treadle.values.events import KernelEvent

AnyEvent = StreamEvent | KernelEvent | Mapping[str, Any]

_Event = Mapping[str, Any]
_Reading = Callable[[StreamRules, _Event], None]


def check_stream(events: Iterable[AnyEvent]) -> list[str]:
    """What is wrong with the events of one segment; empty for a sound one.

    Shape:  all events of the segment, in order, in one vocabulary: those of `Agent.stream` or those of `Agent.events`,
            as objects or as JSON. A segment that was resumed is held to what it shows itself.
    """
    rules, log = StreamRules(), _Log()
    readings: Mapping[str, _Reading] | None = None
    for at, event in enumerate(events):
        told = _json(event)
        vocabulary, kind = _vocabulary(told)
        rules.begin_event(f"event {at} ({kind})")
        readings = readings or vocabulary
        if readings is not vocabulary:
            rules.report("is of another vocabulary than the first event")
        elif kind not in readings:
            rules.report("is of no known kind")
        else:
            _read(readings[kind], rules, told)
            if readings is KERNEL:
                log.take(rules, told)
    return rules.finish()


def assert_stream(events: Iterable[AnyEvent]) -> None:
    """Hold the events of one segment to the rules of `check_stream`.

    Raises:
        AssertionError: It tells every violation.
    """
    problems = check_stream(events)
    if problems:
        raise AssertionError("not a sound segment:\n" + "\n".join(problems))


class _Log:
    """What kernel events say of their place: a dense index, one run, passages of one kind in order."""

    def __init__(self) -> None:
        self._next: int | None = None
        self._run_id: str | None = None
        self._passage = (0, "")

    def take(self, rules: StreamRules, event: _Event) -> None:
        index, kind = event.get("index"), event["kind"]
        if type(index) is not int:
            rules.report(f"index must be a whole number, not {index!r}")
            return
        if self._next is None and kind not in ("run_started", "resumed"):
            rules.report("a segment begins with 'run_started' or 'resumed'")
        expected = 0 if self._next is None and kind == "run_started" else self._next
        if expected is not None and index != expected:
            rules.report(f"index is {index!r}, expected {expected!r}")
        self._next = index + 1
        if self._run_id not in (None, event.get("run_id")):
            rules.report(f"run_id is {event.get('run_id')!r}, the first event's is {self._run_id!r}")
        self._run_id = self._run_id or event.get("run_id")
        if kind in ("text_delta", "thinking"):
            self._take_passage(rules, event.get("passage"), kind)

    def _take_passage(self, rules: StreamRules, passage: object, kind: str) -> None:
        before, of_kind = self._passage
        if type(passage) is not int or passage < max(before, 1):
            rules.report(f"passage {passage!r} comes after {before!r}")
            return
        if passage == before and kind != of_kind:
            rules.report(f"passage {passage!r} holds {of_kind} and {kind}")
        self._passage = (passage, kind)


def _json(event: AnyEvent) -> _Event:
    if isinstance(event, Mapping):
        return event
    if type(event) in EVENT_SHAPES:
        return kernel_event_json(event)  # type: ignore[arg-type]  # the table has the classes of the union
    if type(event) in STREAM_SHAPES:
        return stream_event_json(event)  # type: ignore[arg-type]  # the same
    raise TypeError(f"an event is a stream event, a kernel event or their JSON, not {type(event).__name__!r}")


def _vocabulary(event: _Event) -> tuple[Mapping[str, _Reading], str]:
    """Whose words an event speaks, and its own."""
    return (KERNEL, str(event["kind"])) if "kind" in event else (TYPED, str(event.get("type")))


def _read(reading: _Reading, rules: StreamRules, event: _Event) -> None:
    try:
        reading(rules, event)
    except KeyError as missing:
        rules.report(f"field {missing.args[0]!r} is missing")


def _nothing(rules: StreamRules, _: _Event) -> None:
    rules.other()


def _call_ids(event: _Event) -> list[str]:
    return [pause["call_id"] for pause in event["pending"] if pause["call_id"]]


def _closed(outcome: str) -> _Reading:
    def read(rules: StreamRules, event: _Event) -> None:
        stands = event["outcome"]
        text = stands["text"]
        waiting = _call_ids(event) if outcome == "paused" else ()
        rules.close(outcome, text=text, answer=text[stands["answer_at"] :], waiting=waiting)

    return read


def _completed(rules: StreamRules, event: _Event) -> None:
    rules.close(event["outcome"], text=event["text"], answer=event["answer"], waiting=_call_ids(event))


def _call_started(rules: StreamRules, event: _Event) -> None:
    if event["phase"] == "announced":
        rules.announce(event["call_id"], event["tool_name"])
    else:
        rules.calls.execute(event["call_id"], event["tool_name"])


def _call_delta(rules: StreamRules, event: _Event) -> None:
    if not event["arguments_delta"]:
        rules.report("arguments are empty")
    rules.calls.arguments(event["call_id"], event["arguments_delta"], after_execution=True)


def _tool_arguments(rules: StreamRules, event: _Event) -> None:
    rules.speech("arguments", event["text"])
    rules.calls.arguments(event["call_id"], event["text"], after_execution=False)


def _tool_call(rules: StreamRules, event: _Event) -> None:
    request = event["request"]
    rules.calls.execute(request["call_id"], request["name"], streamed=event["streamed"])


KERNEL: Final[Mapping[str, _Reading]] = {
    "run_started": lambda rules, _: rules.begin(),
    "resumed": lambda rules, _: rules.resume(),
    "stage": _nothing,
    "round_started": lambda rules, event: rules.open_message(f"round {event['round']}", event["attempt"]),
    "round_ended": lambda rules, event: rules.end_message(f"round {event['round']}"),
    "thinking": lambda rules, event: rules.speech("thinking", event["text"]),
    "text_delta": lambda rules, event: rules.text(event["text"]),
    "tool_announced": lambda rules, event: rules.announce(event["call_id"], event["name"]),
    "tool_arguments": _tool_arguments,
    "tool_call": _tool_call,
    "tool_progress": lambda rules, event: rules.calls.progress(event["call_id"], event["sequence"]),
    "tool_result": lambda rules, event: rules.calls.result(event["outcome"]["call_id"], event["outcome"]["status"]),
    "retracted": lambda rules, event: rules.retract(f"round {event['round']}"),
    "extracted": _nothing,
    "extension": _nothing,
    "dropped": _nothing,
    "ask_user": _closed("paused"),
    "interrupt": _closed("paused"),
    "done": _closed("done"),
    "error": _closed("error"),
    "cancelled": _closed("cancelled"),
}
TYPED: Final[Mapping[str, _Reading]] = {
    "text_delta": lambda rules, event: rules.text(event["text"]),
    "thinking_delta": lambda rules, event: rules.speech("thinking", event["text"]),
    "usage": _nothing,
    "message_start": lambda rules, event: rules.open_message(event["message_id"]),
    "message_end": lambda rules, event: rules.end_message(event["message_id"]),
    "tool_call_start": _call_started,
    "tool_call_delta": _call_delta,
    "tool_progress": lambda rules, event: rules.calls.progress(event["call_id"], event["sequence"]),
    "tool_result": lambda rules, event: rules.calls.result(event["call_id"], event["status"]),
    "extension": _nothing,
    "extracted": _nothing,
    "retracted": lambda rules, event: rules.retract(event["message_id"]),
    "dropped": _nothing,
    "ask_user_question": _nothing,
    "interrupt": _nothing,
    "resolved": lambda rules, _: rules.resume(),
    "response_complete": _completed,
}
