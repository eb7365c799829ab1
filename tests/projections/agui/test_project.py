"""A run in AG-UI's events, example by example."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.projections.agui.rules import Event, read, violations
from tests.projections.agui.tellings import TELLING, names, told
from tests.projections.legal_logs import RUN
from treadle.projections.agui.project import STATE, AguiRun
from treadle.projections.agui.telling import Telling
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest
from treadle.values.ids import CallId, InterruptId, ThreadId
from treadle.values.model import ARGUMENTS, TEXT, THINKING
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import PauseKind, PendingInterrupt, Resolution, Settlement
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch
from treadle.values.usage import UsageDelta

C1 = CallId("r1.c1")
ADD = ToolRequest(call_id=C1, name="add", arguments={"a": 1})


class Log:
    """A log written by hand."""

    def __init__(self) -> None:
        self.stretches: list[Stretch] = []
        self.index = 0

    def add(self, kind: Any, **fields: Any) -> Log:  # noqa: ANN401 (any event)
        """An event."""
        entry = kind(index=self.index, run_id=RUN, **fields)
        self.stretches.append(EntryStretch(seq=self.index, index=self.index, entries=(entry,), at_s=0.0))
        self.index += 1
        return self

    def say(self, *texts: str, passage: int = 1, kind: str = TEXT, call: CallId | None = None) -> Log:
        """Speech."""
        key = call if call is not None else passage
        self.stretches.append(
            SpeechStretch(seq=self.index, index=self.index, kind=kind, key=key, texts=texts, at_s=0.0)
        )
        self.index += len(texts)
        return self

    def begin(self) -> Log:
        """The beginning of a run, as far as its model is asked."""
        started = {"agent": "a", "thread_id": ThreadId("t"), "root_run_id": RUN, "prompt": "hi", "tool_call_limit": 8}
        return self.add(ev.RunStarted, **started).add(ev.RoundStarted, round=1, attempt=1, model="m")

    def end(self, kind: Any = ev.Done, **fields: Any) -> Log:  # noqa: ANN401 (any closing event)
        """The end of a segment."""
        return self.add(kind, outcome=InvocationOutcome(text="", usage=fields.pop("usage", UsageDelta())), **fields)

    def told(self, telling: Telling = TELLING) -> list[Event]:
        """The events that it says, in order."""
        events = read(told(self.stretches, telling))
        assert violations(events) == [] or not AguiRun(RUN, telling).is_over
        return events


def customs(events: list[Event]) -> dict[str, Any]:
    """The custom events by name."""
    return {event["name"]: event["value"] for event in events if event["type"] == "CUSTOM"}


def pending(kind: PauseKind, number: int = 1, **request: Any) -> PendingInterrupt:  # noqa: ANN401 (what is asked)
    """An open pause."""
    return PendingInterrupt(
        interrupt_id=InterruptId(f"r1.i{number}"), kind=kind, call_id=CallId(f"r1.c{number}"), request=request
    )


def test_the_table_is_total() -> None:
    """Design §8: a total table keyed by event class."""
    assert set(AguiRun.SAYS) == set(ev.EVENT_TYPES)


def test_an_event_of_no_known_class_is_refused() -> None:
    """Design §8: an unknown class is a KeyError, never a silent pass."""

    class Unknown:
        index = 0

    stretch = EntryStretch(seq=0, index=0, entries=(Unknown(),), at_s=0.0)  # type: ignore[arg-type]  # the fault under test
    with pytest.raises(KeyError):
        AguiRun(RUN, TELLING).payloads(stretch)


def test_a_run_starts_with_the_clients_ids_and_ours_beside_them() -> None:
    """Spec: the ids of the request and the version of this side; ours is where a stop finds it."""
    events = Log().begin().told(replace(TELLING, parent_run_id="p"))
    assert events[0] == {
        "type": "RUN_STARTED",
        "threadId": "t1",
        "runId": "run-0",
        "protocolVersion": "1.0",
        "parentRunId": "p",
        "metadata": {"treadle": {"runId": "r1"}},
    }
    assert events[1] == {"type": "STEP_STARTED", "stepName": "round 1"}


def test_text_thinking_and_what_lies_between_them() -> None:
    """Spec: brackets; ours: what happens beside a passage does not cut it (BR-105)."""
    log = Log().begin().say("h", "m", kind=THINKING).say("a", passage=2)
    log.add(ev.Stage, stage_id="s", phase="p").add(ev.Extension, type="note", payload={"x": 1}, event_id="e1")
    events = log.say("b", passage=2).add(ev.RoundEnded, round=1, attempt=1).end().told()
    assert names(events)[2:] == [
        "REASONING_START",
        "REASONING_MESSAGE_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END",
        "REASONING_END",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "CUSTOM",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "STEP_FINISHED",
        "RUN_FINISHED",
    ]
    note = next(event for event in events if event["type"] == "CUSTOM")
    assert note == {
        "type": "CUSTOM",
        "name": "note",
        "value": {"x": 1},
        "metadata": {"treadle": {"eventId": "e1"}},
    }


@pytest.mark.requirement("BR-166", "BR-173")
def test_a_call_from_its_announcement_to_its_result() -> None:
    """Spec: start, args, end, result; executing and progress are custom events (BR-166)."""
    log = Log().begin().add(ev.ToolAnnounced, call_id=C1, name="add").say('{"a"', ": 1}", kind=ARGUMENTS, call=C1)
    log.add(ev.RoundEnded, round=1, attempt=1).add(ev.ToolCall, request=ADD, streamed=True)
    log.add(ev.ToolProgress, call_id=C1, sequence=0, payload={"done": 1})
    events = log.add(ev.ToolResult, outcome=ToolOutcome(call_id=C1, content=3)).end().told()
    assert names(events)[2:-2] == [
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "CUSTOM",
        "CUSTOM",
        "TOOL_CALL_RESULT",
    ]
    assert customs(events) == {
        "treadle.tool_executing": {"toolCallId": "r1.c1"},
        "treadle.tool_progress": {"toolCallId": "r1.c1", "sequence": 0, "payload": {"done": 1}},
    }


def test_arguments_that_did_not_come_in_pieces_come_whole() -> None:
    """A fault reported in the field (BR-043): a call without arguments has an empty object."""
    log = Log().begin().add(ev.ToolAnnounced, call_id=C1, name="ping")
    log.add(ev.ToolCall, request=ToolRequest(call_id=C1, name="ping"))
    events = log.add(ev.ToolResult, outcome=ToolOutcome(call_id=C1)).end().told()
    assert [event["delta"] for event in events if event["type"] == "TOOL_CALL_ARGS"] == ["{}"]


def test_what_was_lost_and_what_was_extracted_is_told() -> None:
    """Ours: every loss is announced; spec: a dropped notice."""
    log = Log().begin().add(ev.Dropped, dropped_kind="tool_progress", count=3, first=4, last=6)
    events = log.add(ev.Extracted, tag="M", operations=({"type": "add"},)).told()
    assert customs(events) == {
        "treadle.dropped": {"kind": "tool_progress", "count": 3, "from": 4, "to": 6},
        "treadle.extracted": {"tag": "M", "operations": [{"type": "add"}], "diagnostic": None},
    }


def test_a_state_that_an_agent_shares_is_a_snapshot() -> None:
    """Spec: STATE_SNAPSHOT replaces; who attaches is told it before all else."""
    log = Log().begin().add(ev.Extension, type=STATE, payload={"page": 2})
    snapshot = {"type": "STATE_SNAPSHOT", "snapshot": {"page": 2}}
    assert log.told()[-1] == snapshot
    assert log.told(replace(TELLING, after=2, snapshots=True))[1] == snapshot


def test_a_piece_among_other_events_is_said_as_well() -> None:
    """Ours: a projection is total, however a store gives it the log."""
    log = Log().begin().add(ev.Thinking, passage=1, text="a").add(ev.TextDelta, passage=2, text="b")
    log.add(ev.ToolAnnounced, call_id=C1, name="add").add(ev.ToolArguments, call_id=C1, text="{}")
    assert [event["delta"] for event in log.told() if "delta" in event] == ["a", "b", "{}"]


def test_a_retraction_closes_what_is_open_and_tells_what_stands() -> None:
    """Design §8: a retraction is a messages snapshot."""
    log = Log().begin().say("wrong").add(ev.Retracted, round=1, attempt=1, reason="worker_lost")
    events = log.add(ev.RoundStarted, round=1, attempt=2, model="m").say("right", passage=2).told()
    assert names(events)[3:] == [
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "CUSTOM",
        "MESSAGES_SNAPSHOT",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
    ]
    assert events[5]["value"] == {"round": 1, "attempt": 1, "reason": "worker_lost"}
    assert [one["id"] for one in events[6]["messages"]] == ["user-1"]


def test_a_call_that_waits_for_leave_has_its_arguments_before_it_is_asked_about() -> None:
    """Spec: the interrupt comes after the call's end, without a result."""
    log = Log().begin().add(ev.ToolAnnounced, call_id=C1, name="pay").add(ev.RoundEnded, round=1, attempt=1)
    one = pending(PauseKind.APPROVAL, name="pay", arguments={"cents": 5})
    events = log.end(ev.Interrupt, pending=(one,)).told()
    assert names(events)[2:] == ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "STEP_FINISHED", "RUN_FINISHED"]
    assert events[3]["delta"] == '{"cents":5}'


def test_questions_that_were_asked_at_once_are_the_arguments() -> None:
    """Ours: a page that draws the call draws what is asked. A pause of a hidden call, or of none, says nothing."""
    log = Log().begin().add(ev.ToolAnnounced, call_id=C1, name="ask_user")
    asked = {"questions": [{"text": "Which?"}]}
    events = log.end(
        ev.Interrupt,
        pending=(pending(PauseKind.ASK_USER, **asked), pending(PauseKind.INTERRUPT, 2, name="n")),
    ).told()
    assert [json.loads(event["delta"]) for event in events if event["type"] == "TOOL_CALL_ARGS"] == [asked]
    hidden = (
        Log()
        .begin()
        .add(ev.ToolAnnounced, call_id=C1, name="")
        .end(ev.Interrupt, pending=(pending(PauseKind.APPROVAL),))
    )
    assert "TOOL_CALL_ARGS" not in names(hidden.told())


def resumed(arguments: dict[str, Any], text: str = '{"cents": 5}') -> Log:
    """A run that was asked about a call, and then ran it with these arguments."""
    log = Log().begin().add(ev.ToolAnnounced, call_id=C1, name="pay").say(text, kind=ARGUMENTS, call=C1)
    log.add(ev.RoundEnded, round=1, attempt=1, usage=UsageDelta(input_tokens=3))
    one = pending(PauseKind.APPROVAL, name="pay", arguments={"cents": 5})
    log.end(ev.Interrupt, pending=(one,), usage=UsageDelta(input_tokens=3))
    settled = Resolution(interrupt_id=one.interrupt_id, settlement=Settlement.ANSWERED, value=arguments)
    log.add(ev.Resumed, resolutions=(settled,))
    log.add(ev.ToolCall, request=ToolRequest(call_id=C1, name="pay", arguments=arguments), streamed=True)
    log.add(ev.ToolResult, outcome=ToolOutcome(call_id=C1, content="paid"))
    return log.end(usage=UsageDelta(input_tokens=10))


@pytest.mark.requirement("AGUI-resume")
def test_a_segment_that_follows_a_pause_is_a_run_of_its_own() -> None:
    """Spec: RUN_STARTED with the new id, then the result of the old call; usage is that of this run alone."""
    events = resumed({"cents": 5}).told(replace(TELLING, run_id="run-1", after=5))
    assert names(events) == ["RUN_STARTED", "CUSTOM", "CUSTOM", "TOOL_CALL_RESULT", "RUN_FINISHED"]
    assert customs(events) == {
        "treadle.resumed": {"settled": [{"interruptId": "r1.i1", "settlement": "answered", "reason": None}]},
        "treadle.tool_executing": {"toolCallId": "r1.c1"},
    }
    assert events[-1]["usage"] == [{"model": "m", "inputTokens": 7}]


@pytest.mark.parametrize("text", ['{"cents": 5}', '{"cents'])
def test_other_arguments_than_those_that_were_asked_about_are_told(text: str) -> None:
    """Ours: shown = stored: an edited call is not shown as the one that was asked about."""
    events = resumed({"cents": 4}, text).told(replace(TELLING, after=5))
    assert customs(events)["treadle.tool_executing"] == {"toolCallId": "r1.c1", "arguments": {"cents": 4}}


@pytest.mark.requirement("AGUI-attach")
def test_who_attaches_is_told_where_everything_stands() -> None:
    """Design §8: RUN_STARTED, snapshots, then live; what is open is opened again."""
    log = Log().begin().say("a", "b", "c").add(ev.RoundEnded, round=1, attempt=1).end()
    events = log.told(replace(TELLING, after=3, snapshots=True))
    assert names(events) == [
        "RUN_STARTED",
        "MESSAGES_SNAPSHOT",
        "STEP_STARTED",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "STEP_FINISHED",
        "RUN_FINISHED",
    ]
    assert [one["content"] for one in events[1]["messages"]] == ["hi", "ab"]
    assert events[4]["delta"] == "c"


@pytest.mark.requirement("AGUI-attach")
def test_a_client_that_stands_at_a_hidden_event_is_told_when_the_log_is_past_it() -> None:
    """Ours: a place in the log is one, whatever a mount shows of it."""
    log = Log().begin()
    passed = EntryStretch(seq=3, index=4, entries=(), at_s=0.0)
    projection = AguiRun(RUN, replace(TELLING, after=3, snapshots=True))
    for stretch in log.stretches:
        assert projection.payloads(stretch) == []
    assert names(read(projection.payloads(passed))) == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "STEP_STARTED"]


@pytest.mark.requirement("AGUI-attach")
def test_a_run_that_rests_is_told_with_its_end() -> None:
    """A fault reported in the field (BR-081): a page that is loaded again sees what waits, not what was answered."""
    two = (pending(PauseKind.ASK_USER, questions=()), pending(PauseKind.ASK_USER, 2, questions=()))
    log = Log().begin().end(ev.AskUser, pending=two)
    telling = replace(TELLING, after=2, rests=True, snapshots=True, open_pauses=frozenset({InterruptId("r1.i2")}))
    projection = AguiRun(RUN, telling)
    events = read([payload for stretch in log.stretches for payload in projection.payloads(stretch)])
    assert names(events) == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]
    assert [one["id"] for one in events[-1]["outcome"]["interrupts"]] == ["token of r1.i2"]
    assert projection.is_over
    everything = log.told(replace(telling, open_pauses=frozenset()))
    assert len(everything[-1]["outcome"]["interrupts"]) == 2


@pytest.mark.requirement("BR-093")
def test_nothing_follows_an_end() -> None:
    """Spec: after RUN_FINISHED nothing comes (BR-093)."""
    log = Log().begin().end()
    projection = AguiRun(RUN, TELLING)
    for stretch in log.stretches:
        projection.payloads(stretch)
    assert projection.is_over
    assert projection.payloads(log.stretches[0]) == []
    both = EntryStretch(
        seq=0,
        index=0,
        entries=tuple(one.entries[0] for one in log.stretches + log.stretches),
        at_s=0.0,  # type: ignore[union-attr]  # no speech
    )
    assert names(read(AguiRun(RUN, TELLING).payloads(both)))[-1] == "RUN_FINISHED"


def test_the_messages_of_a_run_can_be_had_without_telling_it() -> None:
    """Ours: of what a thread's earlier runs said, a client is told as messages."""
    projection = AguiRun(RUN, replace(TELLING, after=2**62))
    for stretch in Log().begin().say("a").end().stretches:
        assert projection.payloads(stretch) == []
    assert not projection.is_over
    assert [named for named, _ in projection.messages] == ["user-1", "r1.p1"]
