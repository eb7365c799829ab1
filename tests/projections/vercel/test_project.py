"""A run as one response, case by case; what is true of every run is in test_project_properties.py."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.projections.vercel.held import OPTIONS, folded
from tests.values.event_samples import OUTCOME, SAMPLE_OF
from treadle.projections.vercel.project import ResponseOptions, VercelResponse
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest
from treadle.values.events import EVENT_TYPES
from treadle.values.ids import CallId, InterruptId, RunId, ThreadId
from treadle.values.model import ARGUMENTS, TEXT, THINKING
from treadle.values.pauses import PauseKind, PendingInterrupt, Resolution, Settlement
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch

RUN = RunId("r1")
CALL = CallId("r1.c1")
START = {"agent": "calc", "thread_id": ThreadId("t1"), "root_run_id": RUN, "prompt": "1+2?", "tool_call_limit": 64}


class Log:
    """A log, written event by event."""

    def __init__(self) -> None:
        self.stretches: list[Stretch] = []
        self.next = 0

    def tell(self, kind: type[ev.KernelEvent], **fields: Any) -> Log:  # noqa: ANN401 (its own fields)
        """An event."""
        made: Any = kind(index=self.next, run_id=RUN, **fields)
        self.stretches.append(EntryStretch(seq=self.next, index=self.next, entries=(made,), at_s=0.0))
        self.next += 1
        return self

    def say(self, kind: str, key: int | CallId, *texts: str) -> Log:
        """Speech."""
        of = {"seq": self.next, "index": self.next, "at_s": 0.0}
        self.stretches.append(SpeechStretch(kind=kind, key=key, texts=texts, **of))
        self.next += len(texts)
        return self

    def round(self, number: int = 1, attempt: int = 1) -> Log:
        """A model is asked."""
        return self.tell(ev.RoundStarted, round=number, attempt=attempt, model="m")

    def ended(self, number: int = 1, attempt: int = 1) -> Log:
        """Its turn is over."""
        return self.tell(ev.RoundEnded, round=number, attempt=attempt)

    def hide(self) -> Log:
        """An event that this reader may not know of: what stands for it where it is the last."""
        self.next += 1
        self.stretches.append(EntryStretch(seq=self.next, index=self.next, entries=(), at_s=0.0))
        return self

    def told(self, options: ResponseOptions = OPTIONS) -> list[dict[str, Any]]:
        """The chunks of a response."""
        return [json.loads(one) for one in folded(self.stretches, options, RUN) if one != "[DONE]"]

    def types(self, options: ResponseOptions = OPTIONS) -> list[str]:
        """What they are."""
        return [one["type"] for one in self.told(options)]


def begun() -> Log:
    """A run that has begun."""
    return Log().tell(ev.RunStarted, **START)


def asked(log: Log, kind: PauseKind = PauseKind.APPROVAL) -> Log:
    """A run that waits for leave."""
    pending = PendingInterrupt(
        interrupt_id=InterruptId("r1.i1"), kind=kind, call_id=CALL, request={"name": "transfer", "arguments": {"a": 1}}
    )
    log.round().say(TEXT, 1, "I would.").tell(ev.ToolAnnounced, call_id=CALL, name="transfer").ended()
    return log.tell(ev.Interrupt, pending=(pending,), outcome=OUTCOME)


def resumed(log: Log) -> Log:
    """And goes on."""
    granted = Resolution(interrupt_id=InterruptId("r1.i1"), settlement=Settlement.ANSWERED)
    request = ToolRequest(call_id=CALL, name="transfer", arguments={"a": 1})
    log.tell(ev.Resumed, resolutions=(granted,)).tell(ev.ToolCall, request=request)
    return log.tell(ev.ToolResult, outcome=ToolOutcome(call_id=CALL, content="done"))


@pytest.mark.requirement("VERCEL-total")
def test_the_table_is_total() -> None:
    """Design 8: a total table keyed by event class."""
    assert set(VercelResponse.HEARS) == set(EVENT_TYPES)


def test_an_event_of_no_known_class_is_refused() -> None:
    """Design 8: an unknown class is a KeyError, never a silent pass."""

    class Unknown:
        index, kind = 0, "unknown"

    stretch = EntryStretch(seq=0, index=0, entries=(Unknown(),), at_s=0.0)  # type: ignore[arg-type]  # the fault under test
    with pytest.raises(KeyError):
        VercelResponse(RUN, OPTIONS).payloads(stretch)


@pytest.mark.parametrize("kind", EVENT_TYPES, ids=lambda kind: kind.kind)
def test_every_class_is_heard(kind: type[ev.KernelEvent]) -> None:
    """Design 8: no class passes in silence for want of a word; docs/protocols/vercel.md says what each becomes."""
    before = begun().round().tell(ev.ToolAnnounced, call_id=CALL, name="ask_user")
    before.tell(ev.ToolCall, request=ToolRequest(call_id=CALL, name="ask_user"))
    if kind is ev.Resumed:
        before.tell(ev.AskUser, pending=SAMPLE_OF[ev.AskUser].pending, outcome=OUTCOME)  # type: ignore[union-attr] # a pause
    options = replace(OPTIONS, live_from=before.next)
    said = len(before.told(options))
    after = replace(SAMPLE_OF[kind], index=before.next)
    before.stretches.append(EntryStretch(seq=before.next, index=before.next, entries=(after,), at_s=0.0))
    assert (len(before.told(options)) == said) is (kind is ev.RoundEnded)


@pytest.mark.requirement("VERCEL-message")
def test_a_run_is_a_message_and_a_round_a_step() -> None:
    """Source: AI SDK. Steps end behind the results of their calls, or `useChat` posts on and on."""
    log = begun().round().say(THINKING, 1, "hm").say(TEXT, 2, "Let", " me")
    log.tell(ev.ToolAnnounced, call_id=CALL, name="add").say(ARGUMENTS, CALL, "{", "}").ended()
    log.tell(ev.ToolCall, request=ToolRequest(call_id=CALL, name="add"))
    log.tell(ev.ToolResult, outcome=ToolOutcome(call_id=CALL, content=3))
    log.round(2).say(TEXT, 3, "It is 3.").ended(2).tell(ev.Done, outcome=OUTCOME)
    assert log.types() == [
        "start",
        "start-step",
        "reasoning-start",
        "reasoning-delta",
        "reasoning-end",
        "text-start",
        "text-delta",
        "text-delta",
        "text-end",
        "tool-input-start",
        "tool-input-delta",
        "tool-input-delta",
        "tool-input-available",
        "tool-output-available",
        "finish-step",
        "start-step",
        "text-start",
        "text-delta",
        "text-end",
        "finish-step",
        "finish",
    ]
    told = log.told()
    assert told[0] == {
        "type": "start",
        "messageId": "r1",
        "messageMetadata": {
            "runId": "r1",
            "threadId": "t1",
            "agent": "calc",
            "prompt": "1+2?",
            "state": "running",
        },
    }
    assert told[-1] == {
        "type": "finish",
        "finishReason": "stop",
        "messageMetadata": {
            "state": "done",
            "usage": {"inputTokens": 7, "outputTokens": 3, "totalTokens": 10},
            "durationMs": 12.345,
            "output": {"sum": 3},
            "termination": "completed",
        },
    }


def test_nothing_comes_behind_the_end() -> None:
    """Source: BR-093. One end, last."""
    log = begun().tell(ev.Done, outcome=OUTCOME)
    response = VercelResponse(RUN, OPTIONS)
    said = [payload for stretch in log.stretches for payload in response.payloads(stretch)]
    assert (said[-1], response.is_over) == ("[DONE]", True)
    assert response.payloads(log.stretches[0]) == []


def test_what_lies_behind_the_end_in_one_stretch_is_not_said() -> None:
    """Ours: a response ends with its segment, wherever the log is cut."""
    log = asked(begun())
    entries = (
        *[entry for stretch in log.stretches if isinstance(stretch, EntryStretch) for entry in stretch.entries],
        ev.Resumed(index=log.next, run_id=RUN, resolutions=()),
    )
    response = VercelResponse(RUN, OPTIONS)
    said = response.payloads(EntryStretch(seq=0, index=0, entries=entries, at_s=0.0))
    assert said[-1] == "[DONE]"


@pytest.mark.requirement("VERCEL-ends")
def test_a_failed_run_says_its_code_and_what_it_has_cost() -> None:
    """Design promise 10, and 8: a stable code and a fixed sentence; the provider's own words only where they may be."""
    log = begun().round().say(TEXT, 1, "And").ended().tell(ev.Error, outcome=OUTCOME, code="stalled", reference="e1")
    metadata, error = log.told()[-2:]
    assert error == {"type": "error", "errorText": "stalled: the model sent nothing for too long"}
    assert metadata["messageMetadata"] == {
        "state": "error",
        "usage": {"inputTokens": 7, "outputTokens": 3, "totalTokens": 10},
        "durationMs": 12.345,
        "code": "stalled",
        "retryable": False,
        "reference": "e1",
    }


@pytest.mark.requirement("VERCEL-ends")
@pytest.mark.parametrize("reason", [None, "stop button"])
def test_a_cancelled_run_is_told_apart_from_a_failed_one(reason: str | None) -> None:
    """Source: BR-099. The client itself makes nothing of `abort`, so the metadata says it too."""
    log = begun().round().say(TEXT, 1, "And").ended().tell(ev.Cancelled, outcome=OUTCOME, reason=reason)
    metadata, abort = log.told()[-2:]
    assert abort == {"type": "abort", **({"reason": reason} if reason else {})}
    assert metadata["messageMetadata"]["state"] == "cancelled"


@pytest.mark.requirement("VERCEL-approval", "VERCEL-segments")
def test_a_pause_ends_the_response_and_not_the_message() -> None:
    """Source: AI SDK. `tool-calls`, since `interrupted` would keep the page from ever sending the answer."""
    log = asked(begun())
    assert log.types()[-3:] == ["tool-approval-request", "finish-step", "finish"]
    assert (log.told()[-1]["finishReason"], log.told()[-1]["messageMetadata"]["state"]) == ("tool-calls", "paused")
    pause = log.next - 1
    resumed(log).round(2).say(TEXT, 2, "Done.").ended(2).tell(ev.Done, outcome=OUTCOME)
    answered = replace(OPTIONS, after=pause, live_from=pause + 1, answered=frozenset({InterruptId("r1.i1")}))
    assert log.types(answered) == [
        "start",
        "tool-input-available",
        "tool-output-available",
        "start-step",
        "text-start",
        "text-delta",
        "text-end",
        "finish-step",
        "finish",
    ]
    assert log.told(answered)[0]["messageId"] == "r1"


def test_an_answer_to_one_of_several_pauses_is_told_that_the_others_are_open() -> None:
    """Ours: the run rests; the page has the parts, and is to be ready for the next answer."""
    log = asked(begun())
    pause = log.next - 1
    assert log.types(replace(OPTIONS, after=pause, live_from=pause)) == ["start", "finish"]


def test_whoever_comes_back_is_told_past_segments_without_their_ends() -> None:
    """Design 8: GET: whole message from `start`."""
    log = asked(begun())
    came = log.next
    resumed(log).round(2).say(TEXT, 2, "Done.").ended(2).tell(ev.Done, outcome=OUTCOME)
    types = log.types(replace(OPTIONS, live_from=came))
    assert types.count("start") == types.count("finish") == 1
    assert types[types.index("finish-step") + 1] == "tool-approval-response"
    request = next(one for one in log.told(replace(OPTIONS, live_from=came)) if one["type"] == "tool-approval-request")
    assert request["approvalId"] == "r1.i1"


def test_whoever_comes_to_an_open_pause_may_answer_it() -> None:
    """Source: BR-081. A page that is loaded again still asks."""
    log = asked(begun())
    request = next(
        one for one in log.told(replace(OPTIONS, live_from=log.next - 1)) if one["type"] == "tool-approval-request"
    )
    assert request["approvalId"] == "token-r1.i1"


def test_a_run_that_is_final_is_all_there_is_behind_its_last_event() -> None:
    """Ours: who goes on behind an end finds a message that is over."""
    log = begun().tell(ev.Done, outcome=OUTCOME)
    assert log.types(replace(OPTIONS, after=1, live_from=1)) == ["start", "finish"]


@pytest.mark.requirement("VERCEL-retraction")
def test_what_is_taken_back_ends_the_response_and_not_the_run() -> None:
    """Design 8: a wire that cannot take text back ends its response with the code `restarted`; all is closed first."""
    log = begun().round().say(TEXT, 1, "It was").tell(ev.ToolAnnounced, call_id=CALL, name="add")
    log.tell(ev.Retracted, round=1, attempt=1, reason="upstream_error").round(1, 2).say(TEXT, 2, "It is")
    types = log.types()
    assert types[-4:] == ["tool-input-start", "tool-input-error", "finish-step", "error"]
    assert log.told()[-1]["errorText"].startswith("restarted: ")
    log.ended(1, 2).tell(ev.Done, outcome=OUTCOME)
    replayed = log.told(replace(OPTIONS, live_from=log.next - 1))
    assert [one["delta"] for one in replayed if one["type"] == "text-delta"] == ["It is"]
    assert [one["type"] for one in replayed].count("start-step") == 1


def test_what_nobody_was_told_is_taken_back_in_silence() -> None:
    """Ours: where an exposure hid all of an attempt, nothing has to be unsaid."""
    log = begun().round().hide().tell(ev.Retracted, round=1, attempt=1, reason="upstream_error").round(1, 2)
    log.say(TEXT, 2, "It is").ended(1, 2).tell(ev.Done, outcome=OUTCOME)
    assert log.types() == ["start", "start-step", "text-start", "text-delta", "text-end", "finish-step", "finish"]


def test_what_others_said_in_an_attempt_outlives_it() -> None:
    """docs/events.md: void are its text, its thinking, its calls. What was taken out of void text is void too."""
    log = begun().round().say(TEXT, 1, "It was").tell(ev.Extension, type="chart", payload=1)
    log.tell(ev.Extracted, tag="MEMORY_EXTRACT", operations=({"a": 1},))
    log.tell(ev.Retracted, round=1, attempt=1, reason="upstream_error").round(1, 2)
    log.say(TEXT, 2, "It is").ended(1, 2).tell(ev.Done, outcome=OUTCOME)
    stays = ["data-treadle-extension", "text-start", "text-delta", "text-end", "finish-step", "finish"]
    assert log.types(replace(OPTIONS, live_from=log.next - 1)) == ["start", "start-step", *stays]
    reset = log.types(replace(OPTIONS, resets=True))
    assert reset[reset.index("reset-step") - 1] == "text-end"
    assert reset[reset.index("reset-step") + 1 :] == stays


def test_an_attempt_is_held_until_a_late_reader_is_where_the_log_was() -> None:
    """Ours: what may have been taken back by now is not said; what comes is said at once."""
    log = begun().round().say(TEXT, 1, "It", " is").hide()
    response = VercelResponse(RUN, replace(OPTIONS, live_from=log.next))
    said = [len(response.payloads(stretch)) for stretch in log.stretches]
    assert said == [1, 1, 0, 3]
    (more,) = response.payloads(SpeechStretch(seq=9, index=log.next, kind=TEXT, key=1, texts=(" 3.",), at_s=0.0))
    assert json.loads(more)["delta"] == " 3."


@pytest.mark.requirement("VERCEL-data")
def test_what_has_no_word_of_its_own_is_a_data_part() -> None:
    """Source: AI SDK: `data-NAME`. Each has an id of its own, so that none takes another's place; a stage passes."""
    log = begun().tell(ev.Stage, stage_id="recall", phase="ended", capability="memory", counts={"blocks": 2})
    log.tell(ev.Extension, type="chart", payload={"a": 1}, event_id="x1")
    log.tell(ev.Dropped, dropped_kind="tool_progress", count=3, first=4, last=6)
    log.tell(ev.Extracted, tag="MEMORY_EXTRACT", diagnostic="no JSON")
    assert log.told()[1:] == [
        {
            "type": "data-treadle-stage",
            "id": "recall",
            "data": {"phase": "ended", "capability": "memory", "counts": {"blocks": 2}},
            "transient": True,
        },
        {
            "type": "data-treadle-extension",
            "id": "r1.e2",
            "data": {"type": "chart", "payload": {"a": 1}, "eventId": "x1"},
        },
        {
            "type": "data-treadle-dropped",
            "id": "r1.e3",
            "data": {"kind": "tool_progress", "count": 3, "from": 4, "to": 6},
        },
        {
            "type": "data-treadle-extracted",
            "id": "r1.e4",
            "data": {"tag": "MEMORY_EXTRACT", "operations": [], "diagnostic": "no JSON"},
        },
    ]


def test_a_part_is_not_cut_by_what_others_say() -> None:
    """Source: BR-105. A passage goes on behind progress, extensions and stages."""
    log = begun().round().say(TEXT, 1, "**bo").tell(ev.Extension, type="chart").say(TEXT, 1, "ld**").ended()
    types = log.tell(ev.Done, outcome=OUTCOME).types()
    assert (types.count("text-start"), types.count("text-delta")) == (1, 2)


@pytest.mark.requirement("VERCEL-no-loop")
def test_a_step_that_holds_what_the_page_gave_is_not_the_last() -> None:
    """Source: AI SDK: `lastAssistantMessageIsCompleteWithToolCalls` looks at the last step, and would post it again."""
    log = asked(begun(), PauseKind.FRONT_END)
    pause = log.next - 1
    log.tell(ev.Resumed, resolutions=(Resolution(interrupt_id=InterruptId("r1.i1"), settlement=Settlement.ANSWERED),))
    log.tell(ev.ToolResult, outcome=ToolOutcome(call_id=CALL, content="a.txt"))
    log.tell(ev.Done, outcome=OUTCOME, termination="empty_answer")
    options = replace(OPTIONS, page=frozenset({"transfer"}), after=pause, live_from=pause + 1)
    assert log.types(options)[-3:] == ["start-step", "finish-step", "finish"]


def test_single_events_are_said_like_stretches() -> None:
    """Ours: a delta is a delta, wherever it stands."""
    spoken = begun().round().say(THINKING, 1, "hm").say(TEXT, 2, "ok").tell(ev.ToolAnnounced, call_id=CALL, name="add")
    spoken.say(ARGUMENTS, CALL, "{}")
    single = begun().round().tell(ev.Thinking, passage=1, text="hm").tell(ev.TextDelta, passage=2, text="ok")
    single.tell(ev.ToolAnnounced, call_id=CALL, name="add").tell(ev.ToolArguments, call_id=CALL, text="{}")
    assert single.told() == spoken.told()


def test_nobody_goes_on_in_the_middle_of_speech() -> None:
    """Ours: `after` is a pause; a text that was open would have no start."""
    log = begun().round().say(TEXT, 1, "a", "b")
    with pytest.raises(ValueError, match="event 3 of the run is none"):
        log.told(replace(OPTIONS, after=3, live_from=4))
