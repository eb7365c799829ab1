"""Streams of typed events over any source. The rows of the reference are in tests/behaviour/test_typed_rows.py."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.event_sources import Source, Told, Unclosable, read
from tests.values.event_samples import OUTCOME, QUESTION, RUN, event, kernel_events
from treadle.errors import ModelTruncatedError, PlanError, RunFailedError, StateError
from treadle.projections.typed.closing import bare_closing, closing, completion, typed_of
from treadle.projections.typed.events import MessageStart, ResponseComplete, TextDelta
from treadle.runtime.typed_stream import TypedStream, public_stream, typed_stream
from treadle.values import events as ev

FORMS = pytest.mark.parametrize("form", [typed_stream, public_stream])
Form = Callable[..., TypedStream]

HELLO = event(ev.TextDelta, passage=1, text="Hello")
BEGUN = event(ev.RoundStarted, round=1, attempt=1, model="m")
DONE = event(ev.Done, outcome=OUTCOME)
FAILED = event(ev.Error, outcome=OUTCOME, code="stalled")
STOPPED = event(ev.Cancelled, outcome=OUTCOME)
ASKED = event(ev.AskUser, outcome=OUTCOME, pending=(QUESTION,))
ENDS = pytest.mark.parametrize("end", [DONE, FAILED, STOPPED, ASKED], ids=lambda end: end.kind)

not_ends = st.lists(kernel_events(*(kind for kind in ev.EVENT_TYPES if kind not in ev.CLOSING_TYPES)), max_size=5)


@given(not_ends, kernel_events(*ev.CLOSING_TYPES), st.lists(kernel_events(), max_size=3))
async def test_a_public_stream_says_what_each_event_says_up_to_the_first_end(
    before: list[ev.KernelEvent], end: ev.KernelEvent, after: list[ev.KernelEvent]
) -> None:
    """Ours: order kept, one completion, last, and nothing after it."""
    source = Source([*before, end, *after])
    said = await read(public_stream(source))
    assert said == [one for given_out in (*before, end) for one in typed_of(given_out)]
    assert [isinstance(one, ResponseComplete) for one in said].count(True) == 1
    assert (source.events, source.closed) == (after, 1)


@ENDS
async def test_a_public_stream_raises_nothing_for_an_end(end: ev.ClosingEvent) -> None:
    """Ours: every ending is told in the stream."""
    assert await read(public_stream(Source([HELLO, end]))) == [TextDelta(text="Hello"), *closing(end)]


@pytest.mark.parametrize("end", [DONE, STOPPED, ASKED], ids=lambda end: end.kind)
async def test_a_bare_stream_ends_as_its_form_says(end: ev.ClosingEvent) -> None:
    """Ours: an error apart, the bare form is what the projection says."""
    source = Source([HELLO, end, HELLO])
    assert await read(typed_stream(source)) == [TextDelta(text="Hello"), *bare_closing(end)]
    assert source.events == [HELLO]


async def test_a_bare_stream_raises_the_runs_own_exception_after_an_error() -> None:
    """Ours: same object, not wrapped."""
    own = ModelTruncatedError("the stream broke off")
    with pytest.raises(ModelTruncatedError) as caught:
        await read(typed_stream(Source([HELLO, FAILED], raises=own)))
    assert caught.value is own


@pytest.mark.parametrize("after", [[], [HELLO, DONE]], ids=["nothing", "more events"])
async def test_a_bare_stream_raises_of_its_own_where_the_source_tells_an_error_and_raises_none(
    after: list[ev.KernelEvent],
) -> None:
    """Ours: a failed run never looks like one that ended well; the partial result is in the exception."""
    with pytest.raises(RunFailedError) as caught:
        await read(typed_stream(Source([HELLO, FAILED, *after])))
    assert (caught.value.code, caught.value.result) == ("run_failed", completion(FAILED))


async def test_a_bare_stream_without_an_end_raises() -> None:
    """Ours: a cut stream is never shown as done."""
    with pytest.raises(RunFailedError) as caught:
        await read(typed_stream(Source([HELLO])))
    assert caught.value.result is None


async def test_a_public_stream_without_an_end_is_told_as_an_error() -> None:
    """Ours: a cut stream is never shown as done, and what was shown is kept."""
    assert await read(public_stream(Source([BEGUN, HELLO]))) == [
        MessageStart(message_id="r1.m1", model="m"),
        TextDelta(text="Hello"),
        ResponseComplete(
            outcome="error",
            text="Hello",
            answer="Hello",
            run_id=RUN,
            termination="error",
            error_code="internal",
            error_class="internal",
            retryable=False,
        ),
    ]


@pytest.mark.parametrize(
    ("failure", "code", "retryable"),
    [
        (RuntimeError("dsn=postgres://u:p@h"), "internal", False),
        (ModelTruncatedError("cut"), "upstream_truncated", True),
    ],
)
async def test_a_source_that_breaks_ends_a_public_stream_as_an_error(
    failure: Exception,
    code: str,
    retryable: bool,  # noqa: FBT001 (a column of the table above)
) -> None:
    """Ours: the text is kept, foreign words go to the operator and to no reader."""
    source = Source([HELLO], raises=failure)
    with Told() as told:
        said = await read(public_stream(source))
    last = said[-1]
    assert (last.outcome, last.text, last.error_code, last.retryable) == ("error", "Hello", code, retryable)
    assert "postgres" not in repr(said)
    assert [context["exception"] for context in told] == [failure]
    assert source.closed == 1


@FORMS
@pytest.mark.parametrize("misuse", [StateError("no"), PlanError(("no model",))])
async def test_a_broken_rule_of_ours_goes_through(form: Form, misuse: Exception) -> None:
    """Ours: a bug is not an end of a run, and nobody catches it on the way."""
    source = Source([HELLO], raises=misuse)
    with pytest.raises(type(misuse)):
        await read(form(source))
    assert source.closed == 1


@FORMS
async def test_a_stream_that_is_closed_before_its_first_step_closes_its_source(form: Form) -> None:
    """Ours: no way out leaves a source open."""
    source = Source([HELLO, DONE])
    stream = form(source)
    await stream.aclose()
    assert source.closed == 1
    assert await read(stream) == []
    assert source.events == [HELLO, DONE]


@FORMS
async def test_a_stream_is_closed_once(form: Form) -> None:
    """Ours: whoever closes twice, or after the end, does no harm."""
    source = Source([HELLO, DONE])
    async with form(source) as stream:
        await read(stream)
        await stream.aclose()
    await stream.aclose()
    assert source.closed == 1


@FORMS
async def test_leaving_the_block_closes_the_source(form: Form) -> None:
    """Ours: `async with` is the way to read a stream in part."""
    source = Source([HELLO, HELLO, DONE])
    async with form(source) as stream:
        async for _ in stream:
            break
    assert (source.closed, len(source.events)) == (1, 2)


@FORMS
async def test_a_reader_who_just_walks_away_has_the_source_closed_by_the_loop(form: Form) -> None:
    """Ours: a plain `break` leaks nothing."""
    source = Source([HELLO, HELLO, DONE])
    async for _ in form(source):
        break
    for _ in range(5):
        await asyncio.sleep(0)
    assert source.closed == 1


@FORMS
async def test_a_second_loop_goes_on_where_the_first_one_stopped(form: Form) -> None:
    """Ours: a stream has one place."""
    async with form(Source([BEGUN, HELLO, DONE])) as stream:
        async for first in stream:
            assert first == MessageStart(message_id="r1.m1", model="m")
            break
        assert await anext(stream) == TextDelta(text="Hello")
        assert await read(stream) == list(closing(DONE))


@FORMS
async def test_a_cancelled_reader_closes_the_source_and_is_cancelled(form: Form) -> None:
    """Ours: a cancel is never swallowed, and leaves nothing open."""
    source = Source([HELLO], hangs=True)
    reader = asyncio.create_task(read(form(source)))
    async with asyncio.timeout(5):
        await source.waits.wait()
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    assert source.closed == 1


@FORMS
async def test_a_timeout_around_a_step_closes_the_source(form: Form) -> None:
    """Ours: the reader's own deadline is a cancel like any other."""
    source = Source(hangs=True)
    stream = form(source)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await anext(stream)
    await stream.aclose()
    assert source.closed == 1


@FORMS
async def test_a_close_from_another_task_closes_the_source_while_its_reader_waits(form: Form) -> None:
    """Ours: who closes need not be who reads; a reader that is woken by it ends without an end of its own."""
    woken = asyncio.Event()

    class Wakeable(Source):
        async def __anext__(self) -> ev.KernelEvent:
            self.waits.set()
            await woken.wait()
            raise StopAsyncIteration

        async def aclose(self) -> None:
            await super().aclose()
            woken.set()

    source = Wakeable()
    stream = form(source)
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        reader = tasks.create_task(read(stream))
        await source.waits.wait()
        await stream.aclose()
    assert (reader.result(), source.closed) == ([], 1)


async def test_a_public_stream_that_was_closed_tells_no_end_where_its_source_breaks_by_that() -> None:
    """Ours: the reader has left; what breaks then is the operator's alone."""
    woken = asyncio.Event()

    class Breaking(Source):
        async def __anext__(self) -> ev.KernelEvent:
            self.waits.set()
            await woken.wait()
            raise OSError("closed under the reader")

        async def aclose(self) -> None:
            woken.set()

    source = Breaking()
    stream = public_stream(source)
    with Told() as told:
        async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
            reader = tasks.create_task(read(stream))
            await source.waits.wait()
            await stream.aclose()
    assert reader.result() == []
    assert [type(context["exception"]) for context in told] == [OSError]


@FORMS
async def test_a_generator_that_is_being_read_is_closed_at_its_next_event(form: Form) -> None:
    """Ours: a generator refuses to be closed by another task; what it still gives is not given on."""
    go_on, waits, closed = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def source() -> AsyncIterator[ev.KernelEvent]:
        try:
            waits.set()
            await go_on.wait()
            yield HELLO
            yield DONE
        finally:
            closed.set()

    stream = form(source())
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        reader = tasks.create_task(read(stream))
        await waits.wait()
        await stream.aclose()
        go_on.set()
        await closed.wait()
    assert reader.result() == []


@FORMS
@ENDS
async def test_a_source_that_fails_to_close_changes_nothing_that_was_told(form: Form, end: ev.ClosingEvent) -> None:
    """Ours: a completed stream stays completed; the failure goes to the loop's exception handler."""
    failure = OSError("the socket is gone")
    own = ModelTruncatedError("cut")
    source = Source([end], raises=own, close_raises=failure)
    with Told() as told:
        if form is typed_stream and end is FAILED:
            with pytest.raises(ModelTruncatedError):
                await read(form(source))
        else:
            assert await read(form(source)) == list(closing(end) if form is public_stream else bare_closing(end))
    assert [context["exception"] for context in told] == [failure]


@FORMS
async def test_a_close_that_fails_is_told_to_nobody_who_leaves(form: Form) -> None:
    """Ours: it would stand in the way of the reader's own exception."""
    failure = OSError("the socket is gone")

    async def leave() -> None:
        async with form(Source([HELLO, DONE], close_raises=failure)):
            raise KeyError("mine")

    with Told() as told, pytest.raises(KeyError, match="mine"):
        await leave()
    assert [context["exception"] for context in told] == [failure]


@FORMS
async def test_a_source_without_a_close_is_fine(form: Form) -> None:
    """Ours: any async iterable of kernel events is a source."""
    assert await read(form(Unclosable([HELLO, DONE]))) == [TextDelta(text="Hello"), *closing(DONE)]
