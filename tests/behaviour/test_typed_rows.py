"""The typed stream, row by row of the reference."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import treadle.projections
from tests.runtime.event_sources import Source, Told, Unclosable, read
from tests.values.event_samples import CALL, OUTCOME, QUESTION, SAMPLES, USAGE, event
from treadle.errors import ModelTruncatedError, RunFailedError
from treadle.projections.typed.closing import bare_of, closing, completion, typed_of
from treadle.projections.typed.events import (
    AskUserQuestion,
    Dropped,
    Extension,
    Interrupt,
    ResponseComplete,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallStart,
    ToolResult,
    Usage,
)
from treadle.projections.typed.project import project, usage_of
from treadle.runtime.typed_stream import TypedStream, public_stream, typed_stream
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.outcome import InvocationOutcome
from treadle.values.usage import NO_USAGE, UsageDelta

PROJECTIONS = Path(treadle.projections.__file__).parent
Form = Callable[..., TypedStream]

HELLO = event(ev.TextDelta, passage=1, text="Hello")
DONE = event(ev.Done, outcome=OUTCOME)
FAILED = event(ev.Error, outcome=OUTCOME, code="stalled")
STOPPED = event(ev.Cancelled, outcome=OUTCOME)
ASKED = event(ev.AskUser, outcome=OUTCOME, pending=(QUESTION,))
NON_PAUSES = [sample for sample in SAMPLES if not isinstance(sample, ev.PAUSE_TYPES)]


def result(**fields: Any) -> tuple[Any, ...]:  # noqa: ANN401 (fields by name)
    """What the result of a call says."""
    return project(event(ev.ToolResult, outcome=ToolOutcome(call_id=CALL, **fields)))


def spent(usage: UsageDelta) -> ev.Done:
    """A run that ended well and spent this."""
    done: ev.Done = event(ev.Done, outcome=InvocationOutcome(text="", usage=usage))
    return done


@pytest.mark.requirement("T01", "T02")
def test_the_typed_projection_reads_kernel_events_and_no_other_projection() -> None:
    """Reference: an older stream has lost order, attribution and usage already."""
    others = [folder.name for folder in PROJECTIONS.iterdir() if folder.is_dir() and folder.name != "typed"]
    sources = "".join(path.read_text(encoding="utf-8") for path in (PROJECTIONS / "typed").glob("*.py"))
    assert "from treadle.values import events" in sources
    assert not [name for name in others if f"treadle.projections.{name}" in sources]


@pytest.mark.requirement("T03")
def test_nothing_is_said_that_the_kernel_did_not_report() -> None:
    """Reference: no synthetic zero and no synthetic text."""
    assert project(event(ev.RoundEnded, round=1, attempt=1))[0].usage is None  # type: ignore[union-attr]  # a message's end
    assert closing(spent(NO_USAGE)) == (completion(spent(NO_USAGE)),)
    assert completion(spent(NO_USAGE)).text == ""


@pytest.mark.requirement("T04", "T05")
def test_the_order_within_an_event_and_between_events_is_the_kernels() -> None:
    """Reference: the tuples in sequence are the stream."""
    call = event(ev.ToolCall, request=ToolRequest(call_id=CALL, name="add", arguments={"a": 1}))
    events = [HELLO, call, event(ev.ToolResult, outcome=ToolOutcome(call_id=CALL, content="1", duration_ms=1.0)), HELLO]
    assert [one.type for one in (said for told in events for said in project(told))] == [
        "text_delta",
        "tool_call_start",
        "tool_call_delta",
        "tool_result",
        "extension",
        "text_delta",
    ]
    assert {type(project(sample)) for sample in SAMPLES} == {tuple}


@pytest.mark.requirement("T06")
def test_thinking_is_a_thinking_delta() -> None:
    """Reference: the same text."""
    assert project(event(ev.Thinking, passage=1, text=" hm\n")) == (ThinkingDelta(text=" hm\n"),)


@pytest.mark.requirement("T07", "T09")
@pytest.mark.parametrize("kind", [ev.Thinking, ev.TextDelta, ev.ToolArguments])
def test_an_empty_delta_says_nothing(kind: type[ev.DeltaEvent]) -> None:
    """Reference: None or empty gives nothing."""
    where = {"call_id": CALL} if kind is ev.ToolArguments else {"passage": 1}
    assert project(event(kind, text="", **where)) == ()


@pytest.mark.requirement("T08")
@pytest.mark.parametrize("text", ["Hello", " ", "\n\n", "\u2028"])
def test_text_is_a_text_delta(text: str) -> None:
    """Reference: unchanged, and white space alone is not empty."""
    assert project(event(ev.TextDelta, passage=1, text=text)) == (TextDelta(text=text),)


@pytest.mark.requirement("T10", "T11")
def test_a_dispatched_call_starts_executing() -> None:
    """Reference: the kernel tells of it when it reserves and dispatches; ours: and when it is announced."""
    dispatched = event(ev.ToolCall, request=ToolRequest(call_id=CALL, name="add"))
    announced = event(ev.ToolAnnounced, call_id=CALL, name="add")
    assert project(dispatched) == (ToolCallStart(call_id=CALL, tool_name="add", phase="executing"),)
    assert project(announced) == (ToolCallStart(call_id=CALL, tool_name="add", phase="announced"),)


@pytest.mark.requirement("T12")
def test_the_arguments_follow_the_start_in_one_delta_unless_they_were_streamed() -> None:
    """Reference: the whole object as text; ours: once."""
    request = ToolRequest(call_id=CALL, name="add", arguments={"a": 1, "b": ["é"]})
    start, delta = project(event(ev.ToolCall, request=request))
    assert isinstance(start, ToolCallStart)
    assert isinstance(delta, ToolCallDelta)
    assert delta.call_id == CALL
    assert json.loads(delta.arguments_delta) == {"a": 1, "b": ["é"]}
    assert project(event(ev.ToolCall, request=request, streamed=True)) == (start,)


@pytest.mark.requirement("T13")
def test_a_call_without_arguments_is_its_start_alone() -> None:
    """Reference: `{}` and none given look the same."""
    for request in (ToolRequest(call_id=CALL, name="now"), ToolRequest(call_id=CALL, name="now", arguments={})):
        assert len(project(event(ev.ToolCall, request=request))) == 1


@pytest.mark.requirement("T14", "T19")
@pytest.mark.parametrize("kind", [ev.ToolCall, ev.ToolResult])
def test_a_call_or_result_without_its_payload_cannot_be_made(kind: type[ev.KernelEvent]) -> None:
    """Reference: it says nothing; ours: it does not exist."""
    with pytest.raises(TypeError):
        event(kind)


@pytest.mark.requirement("T15")
def test_a_result_has_the_calls_id_its_content_and_its_error() -> None:
    """Reference: content, else the error text, else nothing; ours: each in its own field."""
    assert result(content="3")[0] == ToolResult(call_id=CALL, status=ToolStatus.OK, content="3")
    assert result(status=ToolStatus.FAILED, error="boom")[0] == ToolResult(
        call_id=CALL, status=ToolStatus.FAILED, content="", error="boom"
    )
    assert result()[0].content == ""


@pytest.mark.requirement("T16")
def test_a_result_is_followed_by_its_timing() -> None:
    """Reference: an extension under the call's id; ours: where the call ran."""
    said = result(content="3", duration_ms=4.25)
    assert said[1:] == (
        Extension(
            extension_type="tool_timing",
            payload={"call_id": CALL, "duration_ms": 4.25, "is_error": False},
            event_id=CALL,
        ),
    )
    assert said[0].duration_ms == 4.25
    assert result(status=ToolStatus.TIMEOUT, error="late", duration_ms=9.0)[1].payload["is_error"] is True
    assert len(result(status=ToolStatus.DENIED, error="no")) == 1


@pytest.mark.requirement("T17")
def test_a_result_is_an_error_by_its_status_and_loses_neither_content_nor_error() -> None:
    """Reference: an empty result with an error loses the error's text."""
    for content in (None, "", "half of it"):
        said = result(status=ToolStatus.FAILED, content=content, error="boom")[0]
        assert (said.is_error, said.content, said.error) == (True, content or "", "boom")
    assert result(content="3")[0].is_error is False


@pytest.mark.requirement("T18")
@pytest.mark.parametrize("content", [{"a": [1, None]}, [1, 2], 3, 1.5, True, float("nan"), object()])
def test_whatever_a_tool_gives_its_content_is_text(content: object) -> None:
    """Reference: a mapping kills the stream."""
    said = result(content=content)[0].content
    assert type(said) is str
    json.loads(said, parse_constant=pytest.fail)


@pytest.mark.requirement("T20")
@pytest.mark.parametrize("end", [DONE, FAILED, STOPPED], ids=lambda end: end.kind)
def test_final_events_say_nothing_by_themselves(end: ev.FinalEvent) -> None:
    """Reference: the caller decides what an end means."""
    assert project(end) == ()


@pytest.mark.requirement("T21", "T23")
def test_a_pause_says_what_it_waits_for() -> None:
    """Reference: questions as a question event, everything else as an interrupt."""
    assert project(ASKED) == (AskUserQuestion(pending=(QUESTION,)),)
    assert project(event(ev.Interrupt, outcome=OUTCOME, pending=(QUESTION,))) == (Interrupt(pending=(QUESTION,)),)


@pytest.mark.requirement("T22", "T24")
@pytest.mark.parametrize("sample", NON_PAUSES, ids=lambda sample: sample.kind)
def test_what_is_no_pause_says_no_pause(sample: ev.KernelEvent) -> None:
    """Reference: text that carries a pause disappears; ours: only a pause carries one."""
    assert not [said for said in project(sample) if isinstance(said, AskUserQuestion | Interrupt)]
    assert not hasattr(sample, "pending")


@pytest.mark.requirement("T25")
@pytest.mark.parametrize("kind", [ev.AskUser, ev.Interrupt])
def test_a_pause_without_anything_to_answer_is_an_error(kind: type[ev.PauseEvent]) -> None:
    """Reference: a person sees a stream that just ends."""
    with pytest.raises(ValueError, match="wait"):
        project(event(kind, outcome=OUTCOME, pending=()))


@pytest.mark.requirement("T26")
def test_stages_say_nothing_losses_are_told_and_strangers_are_refused() -> None:
    """Reference: all three give nothing."""
    assert project(event(ev.Stage, stage_id="s", phase="recall")) == ()
    assert project(event(ev.Dropped, dropped_kind="tool_progress", count=3, first=4, last=6)) == (
        Dropped(dropped_kind="tool_progress", count=3, first=4, last=6),
    )
    with pytest.raises(AssertionError):
        project(object())  # type: ignore[arg-type]  # the fault under test


@pytest.mark.requirement("T30")
async def test_done_says_usage_and_then_one_completion() -> None:
    """Reference: in that order, and usage only if there is any."""
    assert await read(typed_stream(Source([DONE]))) == [usage_of(USAGE), completion(DONE)]
    assert [one.type for one in await read(typed_stream(Source([spent(NO_USAGE)])))] == ["response_complete"]


@pytest.mark.requirement("T31")
def test_a_completion_has_the_outcomes_text() -> None:
    """Reference: or none at all."""
    assert completion(DONE).text == OUTCOME.text
    assert completion(event(ev.Done, outcome=InvocationOutcome(text=""))).text == ""


@pytest.mark.requirement("T32")
@pytest.mark.parametrize(("measured", "told"), [(12.345, 12.3), (0.06, 0.1), (7.0, 7.0)])
def test_a_completions_duration_has_one_decimal(measured: float, told: float) -> None:
    """Reference: 12.345 is told as 12.3."""
    assert completion(event(ev.Done, outcome=InvocationOutcome(text="", duration_ms=measured))).duration_ms == told


@pytest.mark.requirement("T33")
async def test_a_failed_bare_stream_raises_the_runs_own_exception() -> None:
    """Reference: nothing is said, and the exception is not wrapped."""
    own = ModelTruncatedError("the stream broke off")
    stream = typed_stream(Source([HELLO, FAILED], raises=own))
    assert await anext(stream) == TextDelta(text="Hello")
    with pytest.raises(ModelTruncatedError) as caught:
        await anext(stream)
    assert caught.value is own


@pytest.mark.requirement("T34")
async def test_a_failed_source_that_raises_nothing_does_not_end_in_silence() -> None:
    """Reference: neither an end nor an exception."""
    with pytest.raises(RunFailedError) as caught:
        await read(typed_stream(Source([HELLO, FAILED])))
    assert caught.value.result == completion(FAILED)


@pytest.mark.requirement("T35")
async def test_a_cancelled_bare_stream_just_ends() -> None:
    """Reference: in particular without a completion."""
    assert await read(typed_stream(Source([HELLO, STOPPED]))) == [TextDelta(text="Hello")]


@pytest.mark.requirement("T36")
async def test_a_paused_bare_stream_ends_with_the_pause() -> None:
    """Reference: after every earlier delta, without a completion; ours: its usage before it."""
    assert await read(typed_stream(Source([HELLO, ASKED]))) == [
        TextDelta(text="Hello"),
        usage_of(USAGE),
        AskUserQuestion(pending=(QUESTION,)),
    ]


@pytest.mark.requirement("T37")
@pytest.mark.parametrize("end", [DONE, FAILED, STOPPED, ASKED], ids=lambda end: end.kind)
async def test_a_public_stream_completes_on_every_ending(end: ev.ClosingEvent) -> None:
    """Reference: pauses included."""
    said = await read(public_stream(Source([HELLO, end])))
    assert said[-1] == completion(end)
    assert [type(one) for one in said].count(ResponseComplete) == 1


@pytest.mark.requirement("T38")
@pytest.mark.parametrize("form", [typed_stream, public_stream])
async def test_the_source_is_closed_on_every_way_out(form: Form) -> None:
    """Reference: success, exception, cancel, and a reader who walks away."""
    ended, broken, left = (
        Source([DONE]),
        Source([HELLO], raises=BaseExceptionGroup("x", [KeyboardInterrupt()])),
        Source([HELLO, DONE]),
    )
    waiting = Source(hangs=True)
    await read(form(ended))
    with pytest.raises(BaseExceptionGroup):
        await read(form(broken))
    async with form(left) as stream:
        await anext(stream)
    reader = asyncio.create_task(read(form(waiting)))
    async with asyncio.timeout(5):
        await waiting.waits.wait()
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    assert [source.closed for source in (ended, broken, left, waiting)] == [1, 1, 1, 1]


@pytest.mark.requirement("T39")
async def test_a_source_without_a_close_is_accepted() -> None:
    """Reference: closing is optional."""
    async with typed_stream(Unclosable([HELLO, DONE])) as stream:
        assert await anext(stream) == TextDelta(text="Hello")


@pytest.mark.requirement("T40")
@pytest.mark.parametrize("form", [typed_stream, public_stream])
async def test_a_stream_closed_before_its_first_step_closes_its_source(form: Form) -> None:
    """Reference: the source is never closed."""
    source = Source([HELLO, DONE])
    await form(source).aclose()
    assert (source.closed, len(source.events)) == (1, 2)


@pytest.mark.requirement("T41")
async def test_a_close_that_fails_changes_nothing_for_the_reader() -> None:
    """Reference: it replaces the run's own exception, and fails a completed stream."""
    own, failure = ModelTruncatedError("cut"), OSError("the socket is gone")
    with Told() as told:
        assert await read(typed_stream(Source([DONE], close_raises=failure))) == list(closing(DONE))
        with pytest.raises(ModelTruncatedError) as caught:
            await read(typed_stream(Source([FAILED], raises=own, close_raises=failure)))
    assert caught.value is own
    assert [context["exception"] for context in told] == [failure, failure]


@pytest.mark.requirement("T42")
@pytest.mark.parametrize("form", [typed_stream, public_stream])
async def test_nothing_is_said_after_the_first_end(form: Form) -> None:
    """Reference: later text is shown, and a second end completes again."""
    source = Source([DONE, HELLO, DONE])
    assert await read(form(source)) == list(closing(DONE))
    assert source.events == [HELLO, DONE]


@pytest.mark.requirement("T43")
async def test_text_passes_as_it_is_and_is_the_completions_text() -> None:
    """Reference: filtering belongs to the close state; ours: so both texts are the same."""
    texts = ["Use arr[", "<MEM", " [semantic] </think>"]
    outcome = InvocationOutcome(text="".join(texts))
    events = [*(event(ev.TextDelta, passage=1, text=text) for text in texts), event(ev.Done, outcome=outcome)]
    said = await read(typed_stream(Source(events)))
    assert "".join(one.text for one in said if isinstance(one, TextDelta)) == said[-1].text == outcome.text


@pytest.mark.requirement("T50", "T51")
def test_usage_that_nobody_reported_is_absent() -> None:
    """Reference: zero means unreported; ours: unless it was measured."""
    assert usage_of(NO_USAGE) is None
    assert closing(event(ev.Done, outcome=InvocationOutcome(text="")))[:-1] == ()
    assert usage_of(UsageDelta(reported=frozenset({"input_tokens"}))) == Usage(input_tokens=0)


@pytest.mark.requirement("T52")
def test_a_total_without_a_split_is_told() -> None:
    """Reference: it is dropped for want of a field."""
    assert closing(spent(UsageDelta(total_tokens=9)))[0] == Usage(total_tokens=9)


@pytest.mark.requirement("T53", "T54")
def test_a_split_is_told_as_it_was_reported() -> None:
    """Reference: both numbers; ours: None for the one that was not given."""
    assert usage_of(UsageDelta(input_tokens=7, output_tokens=3)) == Usage(input_tokens=7, output_tokens=3)
    assert usage_of(UsageDelta(input_tokens=10)) == Usage(input_tokens=10, output_tokens=None)


@pytest.mark.requirement("T55")
@pytest.mark.parametrize("end", [DONE, FAILED, STOPPED, ASKED], ids=lambda end: end.kind)
def test_every_ending_tells_what_was_spent(end: ev.ClosingEvent) -> None:
    """Reference: only `done` does."""
    assert typed_of(end)[0] == usage_of(USAGE)
    assert completion(end).usage == usage_of(USAGE)
    assert (usage_of(USAGE) in bare_of(end)) == (end in (DONE, ASKED))


@pytest.mark.requirement("T56")
def test_cache_and_reasoning_are_told() -> None:
    """Reference: none of it is carried."""
    told = usage_of(
        UsageDelta(
            cache_read_tokens=1, cache_creation_tokens=2, reasoning_tokens=3, cache_ttl="5m", unmeasured_rounds=1
        )
    )
    assert told == Usage(
        cache_read_tokens=1, cache_creation_tokens=2, reasoning_tokens=3, cache_ttl="5m", unmeasured_rounds=1
    )
