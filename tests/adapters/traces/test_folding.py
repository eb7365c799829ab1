"""Records to spans as values: which there are, how they ended, what they say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.adapters.traces.stored import BEGAN_S, of, speech, stored
from tests.kernel.plays import RUN, Played
from tests.kernel.scenes import (
    LEAVE,
    QUESTION,
    answered,
    begun,
    expired,
    paused,
    request,
    returned,
    tell,
    turned,
)
from tests.values.event_samples import SAMPLES
from tests.values.fact_samples import FACT_SAMPLES
from treadle.adapters.traces import conventions as conv
from treadle.adapters.traces.folding import RunFold, fold
from treadle.adapters.traces.spans import FinishedSpan
from treadle.kernel.inputs import CancelRequested, DeadlinePassed, Input, ModelAnnounced, ModelBroke, TookOver
from treadle.values import events as ev
from treadle.values.facts import FACT_TYPES, RequestKept
from treadle.values.ids import RunId, ThreadId
from treadle.values.limits import Limit, Retries
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import Settlement
from treadle.values.records import Entry
from treadle.values.stretches import EntryStretch
from treadle.values.usage import NO_USAGE, UsageDelta

AGENT, CHAT, TOOL = "invoke_agent a", "chat m", "execute_tool add"
BROKE = ModelBroke(code="upstream_error", shown=True, usage=UsageDelta(input_tokens=3))
AGAIN = Retries(attempts=2, after_output=True)


def ends(spans: list[FinishedSpan]) -> list[tuple[str, object, str | None]]:
    """Name, outcome and error of each span, in the order of their ends."""
    return [(span.name, span.attributes[conv.OUTCOME], span.failure) for span in spans]


def called() -> Played:
    """A run whose model called a tool once."""
    run = begun()
    tell(run, turned(request("add", a=1)))
    return run


def waiting() -> Played:
    """A run that waits for leave to run a call."""
    run = begun()
    tell(run, turned(request("add"), gated={0: LEAVE}))
    return run


def taken_over() -> Played:
    """A run whose worker was lost in mid answer, and which came to its end all the same."""
    run = begun()
    tell(run, ModelAnnounced(slot=0, name="add"), TookOver(shown=True), turned(text="x"))
    return run


ENDINGS: dict[str, tuple[Callable[[], Played], list[tuple[str, str, str | None]]]] = {
    "done": (lambda: _told(begun(), turned(text="x")), [(CHAT, "done", None), (AGENT, "done", None)]),
    "done after a call": (
        lambda: _told(called(), returned(1), turned(text="x")),
        [(CHAT, "done", None), (TOOL, "ok", None), (CHAT, "done", None), (AGENT, "done", None)],
    ),
    "error after output": (
        lambda: _told(begun(), BROKE),
        [(CHAT, "error", "upstream_error"), (AGENT, "error", "upstream_error")],
    ),
    "error before output": (
        lambda: _told(begun(), replace(BROKE, shown=False)),
        [(CHAT, "error", "upstream_error"), (AGENT, "error", "upstream_error")],
    ),
    "a second attempt, nothing shown by the first": (
        lambda: _told(begun(retries=AGAIN), replace(BROKE, shown=False, retryable=True), turned(text="x")),
        [(CHAT, "error", "upstream_error"), (CHAT, "done", None), (AGENT, "done", None)],
    ),
    "a second attempt, the first taken back": (
        lambda: _told(begun(retries=AGAIN), replace(BROKE, retryable=True), turned(text="x")),
        [(CHAT, "retracted", "upstream_error"), (CHAT, "done", None), (AGENT, "done", None)],
    ),
    "cancelled in mid answer": (
        lambda: _told(begun(), CancelRequested(shown=True)),
        [(CHAT, "cancelled", None), (AGENT, "cancelled", None)],
    ),
    "cancelled before anything was shown": (
        lambda: _told(begun(), CancelRequested()),
        [(CHAT, "cancelled", None), (AGENT, "cancelled", None)],
    ),
    "cancelled while a tool runs": (
        lambda: _told(called(), CancelRequested(), returned(1)),
        [(CHAT, "done", None), (TOOL, "ok", None), (AGENT, "cancelled", None)],
    ),
    "over its time": (
        lambda: _told(begun(), DeadlinePassed(limit=Limit.WALL_CLOCK, shown=True)),
        [(CHAT, "error", Limit.WALL_CLOCK.value), (AGENT, "error", Limit.WALL_CLOCK.value)],
    ),
    "waiting for leave": (waiting, [(CHAT, "done", None), (AGENT, "interrupt", None)]),
    "waiting for an answer, asked by a tool that ran": (
        lambda: _told(called(), paused(1, QUESTION)),
        [(CHAT, "done", None), (TOOL, "paused", None), (AGENT, "ask_user", None)],
    ),
    "leave given": (
        lambda: _told(waiting(), answered(1), returned(1), turned(text="x")),
        [
            (CHAT, "done", None),
            (AGENT, "interrupt", None),
            (TOOL, "ok", None),
            (CHAT, "done", None),
            (AGENT, "done", None),
        ],
    ),
    "leave refused": (
        lambda: _told(waiting(), answered(1, Settlement.DECLINED), turned(text="x")),
        [
            (CHAT, "done", None),
            (AGENT, "interrupt", None),
            (TOOL, "denied", None),
            (CHAT, "done", None),
            (AGENT, "done", None),
        ],
    ),
    "cancelled while it waits": (
        lambda: _told(waiting(), CancelRequested()),
        [(CHAT, "done", None), (AGENT, "interrupt", None), (TOOL, "cancelled", None), (AGENT, "cancelled", None)],
    ),
    "damaged arguments": (
        lambda: _told(begun(), turned(request("add", damage="not json")), turned(text="x")),
        [(CHAT, "done", None), (TOOL, "failed", "failed"), (CHAT, "done", None), (AGENT, "done", None)],
    ),
    "a lost worker, in mid answer": (
        taken_over,
        [(CHAT, "retracted", "worker_lost"), (CHAT, "done", None), (AGENT, "done", None)],
    ),
    "a lost worker, in a call": (
        lambda: _told(called(), TookOver(), turned(text="x")),
        [(CHAT, "done", None), (TOOL, "unknown", "unknown"), (CHAT, "done", None), (AGENT, "done", None)],
    ),
    "released in a call": (
        called,
        [(CHAT, "done", None), (TOOL, "released", None), (AGENT, "released", None)],
    ),
    "released before anything was shown": (begun, [(CHAT, "released", None), (AGENT, "released", None)]),
}


def _told(run: Played, *given: Input) -> Played:
    tell(run, *given)
    return run


@pytest.mark.requirement("TRACE-ends", "BR-180")
@pytest.mark.parametrize("name", ENDINGS)
def test_each_ending_leaves_its_spans(name: str) -> None:
    """Design, law 8; BR-180: whatever the end, one span a segment, an attempt and a call; a cancel is no error."""
    scene, expected = ENDINGS[name]
    assert ends(fold(of(scene()), RUN)) == expected


def test_a_segment_holds_its_attempts_and_calls_and_follows_the_earlier_one() -> None:
    """Ours: attempts and calls stand in their segment; a segment is tied to the one before, not put into it."""
    spans = fold(of(_told(waiting(), answered(1), returned(1), turned(text="x"))), RUN)
    assert [(span.name, span.key, span.parent, span.follows) for span in sorted(spans, key=lambda one: one.key)] == [
        (AGENT, 1, None, None),
        (CHAT, 2, 1, None),
        (AGENT, 3, None, 1),
        (TOOL, 4, 3, None),
        (CHAT, 5, 3, None),
    ]
    assert [span.attributes[conv.SEGMENT] for span in spans if span.name == AGENT] == [1, 2]
    assert [span.is_client for span in spans if span.name == CHAT] == [True, True]


@pytest.mark.requirement("TRACE-times")
def test_times_are_those_of_the_records() -> None:
    """Design: an attempt lasts from the asking, be it that it showed nothing for long, to the end of its turn."""
    run = _told(called(), returned(1), turned(text="x"))
    entries = [type(entry).__name__ for entry in run.entries]
    chat, tool, _, agent = fold(of(run), RUN)
    assert (agent.started_s, agent.ended_s) == (BEGAN_S + 1, BEGAN_S + len(entries) - 1)
    assert chat.started_s == BEGAN_S + entries.index("RoundOpened")
    assert chat.ended_s == BEGAN_S + entries.index("RoundEnded")
    assert tool.started_s == BEGAN_S + entries.index("ToolCall")
    assert tool.ended_s == BEGAN_S + entries.index("ToolResult")


@pytest.mark.requirement("TRACE-times")
def test_a_clock_that_goes_back_or_says_no_number_ends_no_span_before_it_began() -> None:
    """Ours: two workers have two clocks, and a trace does not go back in time."""
    run = _told(begun(), turned(text="x"))
    odd = [5000.0, float("nan"), 4000.0, float("inf"), 4500.0, float("-inf"), 1.0, 2.0]
    stretches = [replace(stretch, at_s=at_s) for stretch, at_s in zip(of(run), odd, strict=False)]
    assert {(span.started_s, span.ended_s) for span in fold(stretches, RUN)} == {(5000.0, 5000.0)}


@pytest.mark.requirement("TRACE-usage")
def test_usage_is_there_where_it_was_reported_and_nowhere_else() -> None:
    """Promise 10: zero is told where a provider said zero, and never invented; a cut attempt tells what it spent."""
    zero = UsageDelta(output_tokens=5, reported=frozenset({"input_tokens"}))
    run = begun(retries=AGAIN)
    tell(run, replace(BROKE, shown=False, retryable=True), turned(request("add"), usage=zero), returned(1))
    tell(run, turned(text="x", usage=NO_USAGE))
    first, second, _, third, agent = fold(of(run), RUN)
    assert _usage(first) == {"gen_ai.usage.input_tokens": 3}
    assert _usage(second) == {"gen_ai.usage.input_tokens": 0, "gen_ai.usage.output_tokens": 5}
    assert _usage(third) == {}
    assert _usage(agent) == {
        "gen_ai.usage.input_tokens": 3,
        "gen_ai.usage.output_tokens": 5,
        conv.UNMEASURED_ATTEMPTS: 1,
    }


def _usage(span: FinishedSpan) -> dict[str, object]:
    return {name: value for name, value in span.attributes.items() if ".usage." in name}


def test_what_a_run_says_of_itself() -> None:
    """Ours: agent, model, thread and run on the segment; the rest only where it is known."""
    started = ev.RunStarted(
        index=0,
        run_id=RUN,
        agent="a",
        thread_id=ThreadId("t1"),
        root_run_id=RunId("r0"),
        parent_run_id=RunId("r0"),
        prompt="secret",
        tool_call_limit=0,
    )
    failed = ev.Error(
        index=1,
        run_id=RUN,
        outcome=InvocationOutcome(text="secret", stop_reason="length"),
        code="length",
        reference="r1.e1.1",
        detail="secret",
    )
    (agent,) = fold(stored([started, failed]), RUN)
    assert agent.attributes == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "a",
        "gen_ai.conversation.id": "t1",
        "gen_ai.response.finish_reasons": ("length",),
        "error.type": "length",
        "treadle.run_id": "r1",
        "treadle.root_run_id": "r0",
        "treadle.parent_run_id": "r0",
        "treadle.segment": 1,
        "treadle.outcome": "error",
        "treadle.termination": "error",
        "treadle.error.reference": "r1.e1.1",
    }


@pytest.mark.requirement("TRACE-middle")
def test_a_worker_that_takes_over_traces_from_where_it_stands() -> None:
    """Ours: a fold that begins in the middle opens the segment itself, says so, and ends what it opened."""
    stretches = of(taken_over())
    cut = next(at for at, one in enumerate(stretches) if type(one.entries[0]).__name__ == "RoundCut")  # type: ignore[union-attr]  # entries alone
    spans = fold(stretches[cut:], RUN)
    assert ends(spans) == [(CHAT, "done", None), ("invoke_agent", "done", None)]
    assert spans[-1].attributes[conv.TAKEN_OVER] is True
    assert conv.SEGMENT not in spans[-1].attributes


@pytest.mark.requirement("TRACE-middle")
def test_a_call_of_another_worker_began_as_long_ago_as_its_result_says() -> None:
    """Ours: the span of a call whose dispatch was not seen is told by its result, within its segment."""
    run = _told(called(), returned(1), turned(text="x"))
    result = next(entry for entry in run.entries if isinstance(entry, ev.ToolResult))
    slow = replace(result, outcome=replace(result.outcome, duration_ms=1500.0))
    stage = ev.Stage(index=0, run_id=RUN, stage_id="tools", phase="stopping")
    before = EntryStretch(seq=0, index=0, entries=(stage,), at_s=10.0)
    tool, agent = fold([before, EntryStretch(seq=0, index=0, entries=(slow,), at_s=20.0)], RUN)
    assert (tool.name, tool.started_s, tool.ended_s) == ("execute_tool", 18.5, 20.0)
    assert (agent.started_s, agent.ended_s) == (10.0, 20.0)
    late, _ = fold([EntryStretch(seq=0, index=0, entries=(slow,), at_s=20.0)], RUN)
    assert (late.started_s, late.ended_s) == (20.0, 20.0)


@pytest.mark.requirement("TRACE-nothing")
def test_facts_alone_and_nothing_at_all_make_no_span() -> None:
    """Ours: a run of which nothing was done has no span; what is heard while it waits begins none."""
    kept = [entry for entry in begun().entries if isinstance(entry, RequestKept)]
    assert fold([], RUN) == fold(stored(kept), RUN) == []
    run = waiting()
    tell(run, expired(1))
    answers = [entry for entry in run.entries if type(entry).__name__ == "AnswerKept"]
    assert fold(stored(answers), RUN) == []


def test_without_facts_what_was_shown_has_the_same_spans() -> None:
    """Design, law 5: the facts of a run that is over can be deleted; then attempts that showed nothing are unseen."""
    for name, (scene, expected) in ENDINGS.items():
        if "before" not in name and "nothing" not in name:
            told = ends(fold(of(scene(), facts=False), RUN))
            assert [(span, outcome) for span, outcome, _ in told] == [(span, end) for span, end, _ in expected], name


def test_nothing_follows_the_end_of_a_run() -> None:
    """EV-4: a record after the final event, were there one, opens nothing."""
    stretches = of(_told(begun(), turned(text="x")))
    assert fold([*stretches, *stretches, speech("x")], RUN) == fold(stretches, RUN)


@pytest.mark.requirement("TRACE-ends")
def test_a_segment_that_begins_over_an_open_one_ends_it_first() -> None:
    """Ours: this should never be; it must not leave a span open."""
    stretches = of(called())
    assert ends(fold([*stretches, *stretches], RUN)) == 2 * [
        (CHAT, "done", None),
        (TOOL, "released", None),
        (AGENT, "released", None),
    ]


@pytest.mark.parametrize("entry", [*SAMPLES, *FACT_SAMPLES], ids=lambda entry: type(entry).__name__)
def test_every_class_of_entry_is_taken_or_passed_over(entry: Entry) -> None:
    """Ours: a new class of event is a decision here, not a surprise in a trace; a fact never shows what it holds."""
    spans = fold(stored([entry]), RUN, content=True)
    assert len(spans) == len({span.key for span in spans})
    if isinstance(entry, FACT_TYPES):
        assert "Let me look." not in repr(spans)
        assert "1+2?" not in repr(spans)


def test_an_entry_that_cannot_be_read_is_told_and_the_rest_is_traced() -> None:
    """BR-185: what breaks on one value costs that value alone; offline it is raised."""
    told: list[Exception] = []
    run = _told(begun(), turned(text="x"))
    strange: Any = object()
    stretches = of(run)
    odd = EntryStretch(seq=0, index=0, entries=(strange,), at_s=BEGAN_S)
    folded = RunFold(RUN, failed=told.append)
    assert len(folded.feed([*stretches[:2], odd, *stretches[2:]])) == 4
    assert [type(one) for one in told] == [KeyError]
    with pytest.raises(KeyError):
        fold([odd], RUN)
