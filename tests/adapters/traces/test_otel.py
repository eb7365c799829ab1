"""Spans as they reach an exporter: ended once, under the right parent, whatever happens to the run or to tracing."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from tests.adapters.traces.exporting import (
    BrokenExporter,
    BrokenProcessor,
    BrokenProvider,
    Kept,
    attributes,
)
from tests.adapters.traces.stored import BEGAN_S, cut_up, of, parts, speech, stored
from tests.kernel.plays import REQUEST, RUN, Play, Played, played, plays
from tests.kernel.scenes import LEAVE, answered, begun, request, returned, tell, turned
from treadle.adapters.traces import conventions as conv
from treadle.adapters.traces.folding import fold
from treadle.adapters.traces.otel import REMEMBERED, OtelTraces
from treadle.kernel.inputs import CancelRequested, Started, ToolReturned
from treadle.ports.observer import RunObserver
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest
from treadle.values.facts import RoundOpened
from treadle.values.ids import RunId, call_id
from treadle.values.limits import RunRules
from treadle.values.stretches import EntryStretch, Stretch
from treadle.values.usage import UsageDelta

AGENT, CHAT, TOOL = "invoke_agent a", "chat m", "execute_tool add"
CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def whole() -> list[Stretch]:
    """A run that called a tool and came to its end."""
    run = begun()
    tell(run, turned(request("add", a=1)), returned(1), turned(text="x"))
    return of(run)


def stopped() -> list[Stretch]:
    """A run that was stopped after one delta, with the usage known so far."""
    run = begun()
    tell(run, CancelRequested(shown=True, usage=UsageDelta(input_tokens=7)))
    entries = list(run.entries)
    started = next(one for one in entries if isinstance(one, ev.RoundStarted))
    entries.remove(started)
    at = next(at for at, one in enumerate(entries) if isinstance(one, RoundOpened)) + 1
    before, after = stored([*entries[:at], started]), stored(entries)[at:]
    return [*before, speech("one", at_s=before[-1].at_s), *after]


def feed(traces: RunObserver, stretches: Sequence[Stretch], run_id: RunId = RUN) -> None:
    """Tell what was stored, one append a stretch, then that the worker is done with the run."""
    for stretch in stretches:
        traces.stored(run_id, [stretch])
    traces.released(run_id)


@contextmanager
def current_span(kept: Kept) -> Iterator[trace.Span]:
    """A span of the caller, current while the block runs."""
    with kept.provider.get_tracer("caller").start_as_current_span("caller") as span:
        yield span


def by_name(kept: Kept, name: str) -> list[ReadableSpan]:
    """The spans with this name, in the order of their ends."""
    return [span for span in kept.spans if span.name == name]


def ids(span: ReadableSpan) -> tuple[int, int | None]:
    """A span's own id and its parent's."""
    return span.context.span_id, span.parent.span_id if span.parent else None


def test_a_run_is_exported_as_a_segment_with_its_attempts_and_calls() -> None:
    """Design, law 8: the spans of the conventions, in one trace, with the version that names them."""
    kept = Kept()
    feed(OtelTraces(kept.provider), whole())
    assert kept.ends() == [
        (CHAT, "done", "UNSET"),
        (TOOL, "ok", "UNSET"),
        (CHAT, "done", "UNSET"),
        (AGENT, "done", "UNSET"),
    ]
    (agent,) = by_name(kept, AGENT)
    assert [span.parent.span_id if span.parent else None for span in kept.spans] == [agent.context.span_id] * 3 + [None]
    assert {span.context.trace_id for span in kept.spans} == {agent.context.trace_id}
    assert [span.kind.name for span in kept.spans] == ["CLIENT", "INTERNAL", "CLIENT", "INTERNAL"]
    assert {(span.instrumentation_scope.name, span.instrumentation_scope.schema_url) for span in kept.spans} == {  # type: ignore[union-attr]  # an ended span has a scope
        ("treadle", conv.SCHEMA_URL)
    }


@pytest.mark.requirement("TRACE-times")
def test_exported_times_are_those_of_the_records() -> None:
    """Ours: a run of long ago is traced where it was, in nanoseconds."""
    kept = Kept()
    OtelTraces(kept.provider).export(RUN, whole())
    assert [(span.start_time, span.end_time) for span in kept.spans] == [
        (round(span.started_s * 1e9), round(span.ended_s * 1e9)) for span in fold(whole(), RUN)
    ]


@pytest.mark.requirement("BR-178")
@pytest.mark.parametrize("again", [1, 2], ids=["released once", "released twice"])
def test_a_run_that_is_left_after_one_delta_has_its_spans_ended_once(again: int) -> None:
    """BR-178: exactly one ended span each, marked as stopped, with the usage known so far."""
    kept = Kept()
    traces = OtelTraces(kept.provider)
    feed(traces, stopped())
    for _ in range(again):
        traces.released(RUN)
    assert kept.ends() == [(CHAT, "cancelled", "UNSET"), (AGENT, "cancelled", "UNSET")]
    assert [attributes(span)["gen_ai.usage.input_tokens"] for span in kept.spans] == [7, 7]
    assert attributes(kept.spans[0])[conv.PIECES] == 1
    assert (kept.counts.begun, kept.counts.ended, traces.open_runs) == (2, 2, 0)


@pytest.mark.requirement("BR-178")
def test_a_run_that_nobody_reads_is_traced_all_the_same() -> None:
    """BR-178: spans are ended by the worker that stores the run, not by whoever iterates over it."""
    kept = Kept()
    OtelTraces(kept.provider).stored(RUN, whole())
    assert [outcome for _, outcome, _ in kept.ends()] == ["done", "ok", "done", "done"]


@pytest.mark.requirement("BR-180")
def test_a_cancel_has_its_span_and_is_no_error() -> None:
    """BR-180: one span, marked as cancelled, without an error, with partial values."""
    kept = Kept()
    feed(OtelTraces(kept.provider), stopped())
    (agent,) = by_name(kept, AGENT)
    told = attributes(agent)
    assert (agent.status.status_code.name, told[conv.OUTCOME], told[conv.TERMINATION]) == (
        "UNSET",
        "cancelled",
        "cancelled",
    )
    assert conv.ERROR_TYPE not in told


def test_a_worker_that_lets_a_run_go_in_mid_answer_ends_its_spans_as_released() -> None:
    """Ours: a lost lease, a drain: no closing event comes from here, and no span stays open."""
    kept = Kept()
    traces = OtelTraces(kept.provider)
    feed(traces, stopped()[:5])
    assert kept.ends() == [(CHAT, "released", "UNSET"), (AGENT, "released", "UNSET")]
    assert traces.open_runs == 0


@pytest.mark.requirement("TRACE-nothing")
def test_nothing_stored_and_a_run_never_heard_of_make_no_span() -> None:
    """Ours: an empty append and a release without a run are nothing."""
    kept = Kept()
    traces = OtelTraces(kept.provider)
    traces.stored(RUN, [])
    traces.released(RUN)
    traces.released(RunId("nobody"))
    assert (kept.counts.begun, traces.open_runs) == (0, 0)


@pytest.mark.requirement("TRACE-ends")
@given(play=plays, seed=st.integers(0, 2**32))
def test_any_run_is_exported_as_it_is_folded(play: Play, seed: int) -> None:
    """Design, law 8: every span begun is ended once, and live and offline say the same."""
    stretches = cut_up(played(play).entries, seed)
    kept = Kept()
    traces = OtelTraces(kept.provider)
    for portion in parts(stretches, seed):
        traces.stored(RUN, portion)
    traces.released(RUN)
    assert kept.counts.begun == kept.counts.ended == len(kept.spans)
    assert traces.open_runs == 0
    assert [(span.name, attributes(span), span.status.status_code.name) for span in kept.spans] == [
        (span.name, span.attributes, "UNSET" if span.failure is None else "ERROR") for span in fold(stretches, RUN)
    ]


# Parents.


@pytest.mark.requirement("BR-174", "BR-175", "TRACE-parent")
async def test_the_callers_span_is_the_parent_and_stays_the_current_one() -> None:
    """BR-174, BR-175: the run's task has the caller's context; nothing is attached to it, so nothing is to be reset."""
    kept = Kept()
    traces = OtelTraces(kept.provider)

    async def worker() -> None:
        for stretch in whole():
            before = trace.get_current_span()
            traces.stored(RUN, [stretch])
            assert trace.get_current_span() is before
            await asyncio.sleep(0)
        traces.released(RUN)

    with current_span(kept) as caller:
        running = asyncio.create_task(worker())
        await asyncio.sleep(0)
        assert trace.get_current_span() is caller
    assert not trace.get_current_span().get_span_context().is_valid
    await running
    assert by_name(kept, AGENT)[0].parent.span_id == caller.get_span_context().span_id  # type: ignore[union-attr]  # it has a parent


@pytest.mark.requirement("BR-175")
async def test_a_run_given_up_from_another_task_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """BR-175: begun in one task and released in another, in whatever context: one end, no error logged."""
    kept = Kept()
    traces = OtelTraces(kept.provider)
    with current_span(kept):
        await asyncio.create_task(_call(lambda: traces.stored(RUN, stopped()[:5])))
    await asyncio.create_task(_call(lambda: traces.released(RUN)))
    assert [span.name for span in kept.spans if span.name != "caller"] == [CHAT, AGENT]
    assert caplog.records == []


async def _call(what: Callable[[], None]) -> None:
    what()


@pytest.mark.requirement("TRACE-parent")
def test_a_traceparent_in_the_request_names_the_caller_wherever_the_run_is_taken_up() -> None:
    """Ours: the property goes with the run to any worker, and is stronger than what is current there."""
    for given_property, expected in ((CALLER, 0xB7AD6B7169203331), ("00-zz", None), (7, None), ("", None)):
        kept = Kept()
        entries = [
            replace(one, request=replace(REQUEST, properties={"traceparent": given_property}))
            if type(one).__name__ == "RequestKept"
            else one
            for stretch in whole()
            for one in stretch.entries  # type: ignore[union-attr]  # entries alone
        ]
        with current_span(kept) as caller:
            feed(OtelTraces(kept.provider), stored(entries))
        assert ids(by_name(kept, AGENT)[0])[1] == (expected or caller.get_span_context().span_id)


@pytest.mark.requirement("TRACE-parent")
def test_a_run_that_a_call_began_stands_under_the_run_of_the_call() -> None:
    """Ours: a child run has a log of its own, and one trace with its parent where one worker has both."""
    kept = Kept()
    traces = OtelTraces(kept.provider)
    traces.stored(RUN, whole()[:5])
    child = ev.RunStarted(
        index=0,
        run_id=RunId("r2"),
        agent="b",
        thread_id=REQUEST.thread_id,
        root_run_id=RUN,
        parent_run_id=RUN,
        prompt="",
        tool_call_limit=0,
    )
    feed(traces, stored([child]), RunId("r2"))
    traces.released(RUN)
    assert ids(by_name(kept, "invoke_agent b")[0])[1] == ids(by_name(kept, AGENT)[0])[0]


def waited() -> tuple[list[Stretch], int]:
    """A run that waited for leave and went on, and where its second segment begins."""
    run = begun()
    tell(run, turned(request("add"), gated={0: LEAVE}), answered(1), returned(1), turned(text="x"))
    stretches = of(run)
    at = next(at for at, one in enumerate(stretches) if type(one.entries[0]).__name__ == "AnswerKept")  # type: ignore[union-attr]  # entries alone
    return stretches, at


@pytest.mark.requirement("TRACE-segments")
def test_a_segment_is_linked_to_the_earlier_one_and_keeps_the_runs_parent() -> None:
    """Ours: a pause may last for days, so its segments are tied by a link and not by a parent."""
    kept = Kept()
    traces = OtelTraces(kept.provider)
    stretches, at = waited()
    with current_span(kept) as caller:
        feed(traces, stretches[:at])
    assert traces.open_runs == 0
    feed(traces, stretches[at:])
    first, second = by_name(kept, AGENT)
    assert (list(first.links), [link.context for link in second.links]) == ([], [first.context])
    assert {ids(first)[1], ids(second)[1]} == {caller.get_span_context().span_id}
    assert attributes(second)[conv.SEGMENT] == 2


@pytest.mark.requirement("TRACE-segments")
def test_a_segment_on_another_machine_is_not_linked_but_learns_whose_run_it_is() -> None:
    """Ours: a worker that never had the run learns its names from the log; its spans are not made a second time."""
    stretches, at = waited()
    bare, taught = Kept(), Kept()
    feed(OtelTraces(bare.provider), stretches[at:])
    traces = OtelTraces(taught.provider)
    traces.learn(RUN, stretches[:at])
    feed(traces, stretches[at:])
    assert [name for name, _, _ in bare.ends()] == [TOOL, CHAT, "invoke_agent"]
    assert taught.ends() == [(TOOL, "ok", "UNSET"), (CHAT, "done", "UNSET"), (AGENT, "done", "UNSET")]
    assert attributes(taught.spans[-1])[conv.SEGMENT] == 2
    assert not taught.spans[-1].links


@pytest.mark.slow
@pytest.mark.requirement("TRACE-bounded")
def test_runs_that_are_over_leave_nothing_and_those_that_wait_are_bounded() -> None:
    """Design, section 6: a waiting run holds no memory but a bounded trace of it."""
    kept = Kept()
    traces = OtelTraces(kept.provider)
    feed(traces, whole(), RunId("over"))
    stretches, at = waited()
    for number in range(REMEMBERED + 5):
        feed(traces, stretches[:at], RunId(f"w{number}"))
    assert traces.open_runs == 0
    assert traces.resting_runs == REMEMBERED
    gc.collect()
    assert (kept.counts.begun, len(kept.counts.alive)) == (4 + 2 * (REMEMBERED + 5), 0)


# What goes wrong.


@pytest.mark.requirement("BR-185")
@pytest.mark.parametrize("content", [False, True])
def test_any_value_that_a_tool_returns_can_be_traced(*, content: bool, caplog: pytest.LogCaptureFixture) -> None:
    """BR-185: a date, a NaN, half a surrogate, an object of no form: the trace has it and the run goes on."""
    value = {
        "at": datetime(2020, 1, 2, tzinfo=UTC),
        "n": float("nan"),
        "half": "\ud83d",
        "d": Decimal("1.50"),
        "o": object(),
    }
    run = begun()
    tell(run, turned(ToolRequest(name="add", arguments={"since": value["at"], "half": "\ud83d"})))
    tell(run, ToolReturned(outcome=ToolOutcome(call_id=call_id(RUN, 1), content=value)), turned(text="\ud83d"))
    kept = Kept()
    feed(OtelTraces(kept.provider, content=content), of(run))
    told = attributes(by_name(kept, TOOL)[0])
    assert (conv.TOOL_RESULT in told, conv.TOOL_ARGUMENTS in told) == (content, content)
    if content:
        assert json.loads(told[conv.TOOL_RESULT]) == {
            "at": "2020-01-02T00:00:00+00:00",
            "n": None,
            "half": "\ufffd",
            "d": "1.50",
            "o": {"unencodable": "object"},
        }
        assert json.loads(told[conv.TOOL_ARGUMENTS]) == {"since": "2020-01-02T00:00:00+00:00", "half": "\ufffd"}
    for span in kept.spans:
        span.to_json().encode()
    assert caplog.records == []


def _failing_processor() -> TracerProvider:
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(BrokenProcessor())
    return provider


def _failing_exporter() -> TracerProvider:
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(BrokenExporter()))
    return provider


@pytest.mark.requirement("BR-185", "TRACE-harmless")
@pytest.mark.parametrize("provider", [BrokenProvider, _failing_processor, _failing_exporter])
def test_a_tracer_that_fails_harms_no_run_and_is_told_once(
    provider: Callable[[], Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Ours: nothing is raised into the run's task, and a collector that is away does not fill the log."""
    traces = OtelTraces(provider())
    for number in range(3):
        feed(traces, whole(), RunId(f"r{number}"))
    ours = [record for record in caplog.records if record.name == "treadle.traces"]
    assert len(ours) == (0 if provider is _failing_exporter else 1)
    assert traces.open_runs == 0


@pytest.mark.requirement("TRACE-harmless")
def test_a_processor_that_fails_at_an_end_is_asked_once_for_each_span() -> None:
    """Ours: an end that failed is an end; it is not tried again."""
    provider = TracerProvider(shutdown_on_exit=False)
    broken = BrokenProcessor()
    provider.add_span_processor(broken)
    traces = OtelTraces(provider)
    feed(traces, whole())
    traces.released(RUN)
    assert (broken.begun, broken.ended) == (4, 4)


@pytest.mark.requirement("TRACE-harmless")
@pytest.mark.parametrize("method", ["stored", "learn", "export"])
def test_stretches_that_are_none_harm_nothing(method: str, caplog: pytest.LogCaptureFixture) -> None:
    """Ours: what no store can give is told to the operator and to nobody else."""
    strange: Any = [object()]
    getattr(OtelTraces(Kept().provider), method)(RUN, strange)
    assert [(record.name, record.levelno) for record in caplog.records] == [("treadle.traces", logging.WARNING)]


@pytest.mark.requirement("TRACE-harmless")
def test_a_name_of_a_run_that_is_none_harms_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """Ours: the border holds for both methods of the port, and tells a class of failure once."""
    traces = OtelTraces(Kept().provider)
    strange: Any = []
    traces.stored(strange, whole())
    traces.released(strange)
    assert len(caplog.records) == 1


def test_an_entry_of_no_known_class_costs_itself_alone(caplog: pytest.LogCaptureFixture) -> None:
    """Ours: the entries around it are traced."""
    kept = Kept()
    strange: Any = object()
    stretches = whole()
    odd = EntryStretch(seq=0, index=0, entries=(strange,), at_s=BEGAN_S)
    feed(OtelTraces(kept.provider), [*stretches[:2], odd, *stretches[2:]])
    assert [name for name, _, _ in kept.ends()] == [CHAT, TOOL, CHAT, AGENT]
    assert len(caplog.records) == 1


def test_without_a_provider_the_global_one_is_asked_and_nothing_fails() -> None:
    """Ours: tracing that nobody set up is silent."""
    traces = OtelTraces()
    feed(traces, whole())
    assert traces.open_runs == 0


@pytest.mark.slow
@pytest.mark.requirement("BR-181")
def test_a_thousand_runs_half_of_them_stopped_leave_nothing_behind() -> None:
    """BR-181: what tracing holds is back to nothing, and no coroutine is left that nobody awaited."""
    kept = Kept()
    traces = OtelTraces(kept.provider)
    held: list[weakref.ref[Played]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in range(1000):
            run = _counted(number)
            held.append(weakref.ref(run))
            feed(traces, of(run) if number % 2 else stopped()[:5], RunId(f"r{number}"))
            del run
        assert (traces.open_runs, kept.counts.begun) == (0, kept.counts.ended)
        assert traces.resting_runs == 500
        gc.collect()
    assert [ref for ref in held if ref() is not None] == []


class _Weak(Played):
    """A played run that can be watched while it goes."""


def _counted(number: int) -> Played:
    run = _Weak()
    run.tell(Started(request=REQUEST, rules=RunRules(agent="a", model=f"m{number}")))
    tell(run, turned(text="x"))
    return run


# Content.


@pytest.mark.requirement("TRACE-content")
def test_content_is_told_on_request_and_as_it_was_shown() -> None:
    """Promise 11: nothing of what was said crosses unless it is asked for; then as the conventions' messages."""
    run = begun()
    tell(run, turned(request("add", a=1)), returned(1, content={"sum": 3}), turned(text="x"))
    stretches = of(run)
    at = next(at for at, one in enumerate(stretches) if isinstance(one.entries[0], ev.RoundStarted))  # type: ignore[union-attr]  # entries alone
    said = [speech("It ", "is", at_s=BEGAN_S), speech("hm", kind="thinking")]
    spoken = [*stretches[: at + 1], *said, *stretches[at + 1 :]]
    plain, full = Kept(), Kept()
    feed(OtelTraces(plain.provider), spoken)
    feed(OtelTraces(full.provider, content=True), spoken)
    told = [name for one in plain.spans for name in attributes(one)]
    assert not any(name.endswith((".messages", ".arguments", ".result")) for name in told)
    chat, tool, _, agent = (attributes(span) for span in full.spans)
    assert json.loads(chat[conv.OUTPUT_MESSAGES])[0]["parts"] == [
        {"type": "text", "content": "It is"},
        {"type": "reasoning", "content": "hm"},
        {"type": "tool_call", "id": "r1.c1", "name": "add"},
    ]
    assert (tool[conv.TOOL_ARGUMENTS], tool[conv.TOOL_RESULT]) == ('{"a":1}', '{"sum":3}')
    assert json.loads(agent[conv.INPUT_MESSAGES]) == [{"role": "user", "parts": [{"type": "text", "content": "hi"}]}]
