"""Whether what a reader was given is a sound segment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.runtime.agents import add, scripted
from treadle.codec.events import kernel_event_json
from treadle.projections.typed.wire import STREAM_SHAPES, stream_event_json
from treadle.testing.stream_check import KERNEL, TYPED, assert_stream, check_stream
from treadle.values.events import EVENT_TYPES

Terms = list[dict[str, Any]]

TWO_ROUNDS = (
    'think: Let me| see.\ntext: Let me |add.\ncall: add cut=2 {"a": 1, "b": 2}\nusage: 10 5\n---\ntext: It is |3.'
)


async def kernel_terms(script: str = TWO_ROUNDS) -> Terms:
    """The kernel events of a run, as JSON."""
    async with scripted(script, tools=[add]).events("hi") as run:
        return [kernel_event_json(event) async for event in run]


async def typed_terms(script: str = TWO_ROUNDS) -> Terms:
    """The stream events of a run, as JSON."""
    async with scripted(script, tools=[add]).stream("hi") as run:
        return [stream_event_json(event) async for event in run]


def without(at: int) -> Callable[[Terms], Terms]:
    """The stream without one of its events."""
    return lambda events: [*events[:at], *events[at + 1 :]] if at >= 0 else events[:at]


def changed(kind: str, /, **fields: object) -> Callable[[Terms], Terms]:
    """The stream with other fields in its first event of this kind."""

    def change(events: Terms) -> Terms:
        at = next(at for at, event in enumerate(events) if kind in (event.get("kind"), event.get("type")))
        events[at] = {**events[at], **fields}
        return events

    return change


KERNEL_PLANTED: list[tuple[str, Callable[[Terms], Terms], str]] = [
    ("no end", without(-1), "no closing event"),
    ("a hole", without(4), "expected 4"),
    ("does not begin at 0", changed("run_started", index=1), "index is 1, expected 0"),
    ("another run", changed("done", run_id="r9"), "run_id is 'r9'"),
    ("no index", changed("stage", index=None), "index must be a whole number"),
    ("passage falls", changed("thinking", passage=9), "comes after 9"),
    ("one passage of two kinds", changed("text_delta", passage=1), "holds thinking and text_delta"),
    ("empty text", changed("text_delta", text=""), "text is empty"),
    ("empty arguments", changed("tool_arguments", text=""), "arguments is empty"),
    ("text not shown", changed("done", outcome={"text": "x", "answer_at": 0}), "the outcome's text is 'x'"),
    ("answer not shown", lambda events: _with_answer_at(events, 0), "the answer is"),
    ("unknown kind", changed("round_ended", kind="round_over"), "is of no known kind"),
    ("a field is missing", changed("done", outcome={}), "field 'text' is missing"),
    ("a foreign word", lambda events: [*events, {"type": "usage"}], "is of another vocabulary"),
    ("not streamed", changed("tool_call", streamed=False), "called not streamed after 2 pieces"),
]


def _with_answer_at(events: Terms, at: int) -> Terms:
    events[-1]["outcome"]["answer_at"] = at
    return events


@pytest.mark.parametrize(
    ("change", "words"), [row[1:] for row in KERNEL_PLANTED], ids=[row[0] for row in KERNEL_PLANTED]
)
async def test_what_is_planted_among_kernel_events_is_found(change: Callable[[Terms], Terms], words: str) -> None:
    """Each rule can fail, over kernel events (EV-1 to EV-10)."""
    events = await kernel_terms()
    # A stage says nothing of the rules; here it stands for any event without one.
    events.insert(1, {**events[0], "kind": "stage"})
    events = [{**event, "index": index} for index, event in enumerate(events)]
    assert check_stream(events) == []
    assert any(words in problem for problem in check_stream(change(events)))


TYPED_PLANTED: list[tuple[str, Callable[[Terms], Terms], str]] = [
    ("no completion", without(-1), "no closing event"),
    ("two completions", lambda events: [*events, events[-1]], "comes after the closing event"),
    ("empty text", changed("text_delta", text=""), "text is empty"),
    ("empty thinking", changed("thinking_delta", text=""), "thinking is empty"),
    ("empty arguments", changed("tool_call_delta", arguments_delta=""), "arguments are empty"),
    ("a message without its end", lambda events: [e for e in events if e["type"] != "message_end"], "opens while"),
    ("no result", lambda events: [e for e in events if e["type"] != "tool_result"], "has no result before"),
    ("two results", lambda events: [e for e in events for _ in range(1 + (e["type"] == "tool_result"))], "settled"),
    ("text not shown", changed("response_complete", text="x"), "the outcome's text is 'x'"),
    ("answer not shown", changed("response_complete", answer=""), "the answer is ''"),
    ("unknown type", changed("usage", type="costs"), "is of no known kind"),
    ("no type", lambda events: [{"text": "a"}, *events], "is of no known kind"),
    ("resumed in the middle", lambda events: [events[0], {"type": "resolved"}, *events[1:]], "in mid stream"),
]


@pytest.mark.parametrize(("change", "words"), [row[1:] for row in TYPED_PLANTED], ids=[row[0] for row in TYPED_PLANTED])
async def test_what_is_planted_among_stream_events_is_found(change: Callable[[Terms], Terms], words: str) -> None:
    """Each rule can fail, over stream events (EV-3 to EV-10)."""
    events = await typed_terms()
    assert check_stream(events) == []
    assert any(words in problem for problem in check_stream(change(events)))


async def test_every_single_event_that_is_lost_from_a_log_is_noticed() -> None:
    """An index without a hole is the whole log (EV-1)."""
    events = await kernel_terms()
    assert all(check_stream(without(at)(events)) for at in range(len(events) - 1))


async def test_every_event_of_a_call_and_of_text_that_is_lost_is_noticed() -> None:
    """A stream without indexes is held by its brackets and its text (EV-5, EV-6, EV-10)."""
    events = await typed_terms()
    beside = {"thinking_delta", "usage", "extension"}
    for at, event in enumerate(events):
        if event["type"] not in beside:
            assert check_stream(without(at)(events)), event


async def test_events_are_taken_as_objects_and_as_json() -> None:
    """One run, four ways to hold its events (ours)."""
    agent = scripted(TWO_ROUNDS, tools=[add])
    async with agent.events("hi") as run:
        kernel_events = [event async for event in run]
    async with agent.stream("hi") as stream:
        stream_events = [event async for event in stream]
    for events in (kernel_events, stream_events, await kernel_terms(), await typed_terms()):
        assert_stream(events)


def test_what_is_no_event_is_refused() -> None:
    """A mistake in a test is not a finding about a stream (ours)."""
    with pytest.raises(TypeError, match="not 'str'"):
        check_stream(["done"])  # type: ignore[list-item]  # on purpose


async def test_every_violation_is_told_at_once() -> None:
    """A reader of a failed test sees all of it (ours)."""
    events = await kernel_terms()
    with pytest.raises(AssertionError, match=r"(?s)not a sound segment:\n.*expected.*\n.*no closing event"):
        assert_stream(without(3)(events)[:-1])


def test_every_kind_has_a_rule_or_is_said_to_have_none() -> None:
    """A new event is not passed in silence (ours)."""
    assert set(KERNEL) == {kind.kind for kind in EVENT_TYPES}
    assert set(TYPED) == {kind.type for kind in STREAM_SHAPES}


def _paused(call_id: str) -> Terms:
    """A segment that ends in a pause on a call, in kernel words."""
    pending = [{"call_id": call_id, "interrupt_id": "r.i1"}]
    told: Terms = [
        {"kind": "run_started"},
        {"kind": "round_started", "round": 1, "attempt": 1},
        {"kind": "tool_announced", "call_id": "r.c1", "name": "f"},
        {"kind": "round_ended", "round": 1, "attempt": 1},
        {"kind": "interrupt", "pending": pending, "outcome": {"text": "", "answer_at": 0}},
    ]
    return [{**event, "index": index, "run_id": "r"} for index, event in enumerate(told)]


def test_a_pause_waits_for_a_call_that_is_there() -> None:
    """A segment may end with a call open, if the pause is on that very call (EV-5)."""
    assert check_stream(_paused("r.c1")) == []
    assert len(check_stream(_paused("r.c2"))) == 2


def test_a_resumed_segment_begins_where_the_last_one_ended() -> None:
    """Its index goes on, its calls were announced before, and its text is the tail of the run's (ours)."""
    told: Terms = [
        {"kind": "resumed"},
        {"kind": "tool_call", "request": {"call_id": "r.c1", "name": "f"}, "streamed": True},
        {"kind": "tool_result", "outcome": {"call_id": "r.c1", "status": "ok"}},
        {"kind": "round_started", "round": 2, "attempt": 1},
        {"kind": "text_delta", "passage": 2, "text": "b"},
        {"kind": "round_ended", "round": 2, "attempt": 1},
        {"kind": "done", "outcome": {"text": "ab", "answer_at": 1}},
    ]
    events = [{**event, "index": 7 + index, "run_id": "r"} for index, event in enumerate(told)]
    assert check_stream(events) == []
    assert check_stream([{**event, "index": event["index"] + (event["kind"] == "done")} for event in events])
    typed: Terms = [
        {"type": "resolved"},
        {"type": "tool_result", "call_id": "r.c1", "status": "ok"},
        {"type": "response_complete", "outcome": "cancelled", "text": "a", "answer": "a", "pending": []},
    ]
    assert check_stream(typed) == []
