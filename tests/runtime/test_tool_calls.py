"""Calls in motion: each ends in exactly one outcome, whatever its tool does."""

from __future__ import annotations

import asyncio
import logging
import math
from datetime import date

import pytest

from treadle.errors import ToolError
from treadle.kernel.inputs import Input, ToolProgressed, ToolReturned
from treadle.runtime.asking import CallAsks
from treadle.runtime.tool_calls import GRACE_S, ToolCalls
from treadle.testing.virtual_time import run_virtually
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.ids import CallId
from treadle.values.pauses import DEFAULT_PAUSES
from treadle.values.tools import ToolSpec


class LoopClock:
    """The clock of the running loop."""

    def now_s(self) -> float:
        return 0.0

    def monotonic_s(self) -> float:
        return asyncio.get_running_loop().time()


class OneTool:
    """A toolbox of one tool, which is a coroutine function of the request and the context."""

    def __init__(self, body, *, timeout_s=None):
        self.body = body
        self.timeout_s = timeout_s

    def specs(self):
        return (ToolSpec(name="t", description="", parameters={}, timeout_s=self.timeout_s),)

    def checked(self, request, /):
        return request

    def needs_approval(self, _request, /):
        return False

    async def call(self, request, context, /):
        return await self.body(request, context)


class Calls:
    """Calls of one tool, and what was posted of them."""

    def __init__(self, body, *, timeout_s=None):
        self.posted: list[Input] = []
        self.rooms = 0
        toolbox = OneTool(body, timeout_s=timeout_s)
        asks = CallAsks(toolbox=toolbox, clock=LoopClock(), rules=DEFAULT_PAUSES)
        self.calls = ToolCalls(toolbox=toolbox, clock=LoopClock(), post=self.posted.append, room=self.room, asks=asks)

    async def room(self):
        self.rooms += 1

    def start(self, *names, at_once=False):
        self.calls.start([ToolRequest(call_id=CallId(name), name="t") for name in names], at_once=at_once)

    @property
    def outcomes(self) -> list[ToolOutcome]:
        return [one.outcome for one in self.posted if isinstance(one, ToolReturned)]


async def until_idle():
    """Until nothing is ready to run."""
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.mark.parametrize("at_once", [True, False])
async def test_a_call_returns_what_its_tool_returns(at_once):
    """Design: a value comes back as an input."""

    async def body(request, context):
        assert not context.stop.is_set()
        return {"of": request.call_id}

    calls = Calls(body)
    calls.start("a", "b", at_once=at_once)
    assert len(calls.outcomes) == (2 if at_once else 0)
    await until_idle()
    assert [(one.call_id, one.status, one.content) for one in calls.outcomes] == [
        ("a", ToolStatus.OK, {"of": "a"}),
        ("b", ToolStatus.OK, {"of": "b"}),
    ]


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (ToolError("no such city"), "no such city"),
        (ToolError(""), "the tool failed"),
        (ValueError("password=1"), "ValueError: the tool failed"),
    ],
)
async def test_whatever_a_tool_raises_is_a_value(raised, told, at_once, caplog):
    """D20: of a foreign exception the model is told the class and a fixed sentence."""

    async def body(_request, _context):
        raise raised

    calls = Calls(body)
    with caplog.at_level(logging.CRITICAL):
        calls.start("a", at_once=at_once)
        await until_idle()
    assert [(one.status, one.error) for one in calls.outcomes] == [(ToolStatus.FAILED, told)]


@pytest.mark.requirement("VALUE-entry")
async def test_content_that_is_no_json_enters_in_the_form_that_it_has_everywhere():
    """Ours: a toolbox of the user's own may give anything; log, model and wires are given one form of it."""

    async def body(_request, _context):
        looped = [math.nan, "\ud83d", date(2024, 5, 6), {1: b"a"}]
        looped.append(looped)
        return looped

    calls = Calls(body)
    calls.start("a", at_once=True)
    assert [(one.status, one.content) for one in calls.outcomes] == [
        (ToolStatus.OK, (None, "\ufffd", "2024-05-06", {"1": "YQ=="}, {"unencodable": "list"}))
    ]


@pytest.mark.requirement("VALUE-entry")
async def test_progress_and_words_of_a_tool_enter_in_json_terms_too():
    """Ours: every way in has the same border."""

    async def body(_request, context):
        await context.progress({"at": math.inf})
        raise ToolError("half \ud83d")

    calls = Calls(body)
    calls.start("a", at_once=True)
    await until_idle()
    assert [one.payload for one in calls.posted if isinstance(one, ToolProgressed)] == [{"at": None}]
    assert [one.error for one in calls.outcomes] == ["half \ufffd"]


async def test_a_tool_that_cancels_itself_is_cancelled():
    """Ours: a call that nobody stopped still has one outcome."""

    async def body(_request, _context):
        raise asyncio.CancelledError

    calls = Calls(body)
    calls.start("a", at_once=True)
    assert [one.status for one in calls.outcomes] == [ToolStatus.CANCELLED]


async def test_progress_is_posted_in_order_and_waits_for_room():
    """Design: a tool that tells more than readers take is held back."""

    async def body(_request, context):
        await context.progress(1)
        await context.progress({"at": 2})

    calls = Calls(body)
    calls.start("a", at_once=True)
    await until_idle()
    told = [one.payload for one in calls.posted if isinstance(one, ToolProgressed)]
    assert (told, calls.rooms) == ([1, {"at": 2}], 2)


async def test_a_stopped_call_is_cancelled_and_tells_nothing_more():
    """Design: a stop is a cancellation; progress after it is dropped."""

    async def body(_request, context):
        try:
            await asyncio.Event().wait()
        finally:
            assert context.stop.is_set()
            await context.progress("late")

    calls = Calls(body)
    calls.start("a")
    await until_idle()
    calls.calls.stop([CallId("a"), CallId("never started")])
    calls.calls.stop([CallId("a")])
    await until_idle()
    assert [(one.status, one.error) for one in calls.outcomes] == [
        (ToolStatus.CANCELLED, "cancelled: the run was stopped")
    ]
    assert len(calls.posted) == 1


async def test_a_call_that_is_stopped_before_it_began_does_nothing():
    """EV-5: it has its one result all the same."""
    ran = []

    async def body(request, _context):
        ran.append(request)

    calls = Calls(body)
    calls.start("a")
    calls.calls.stop([CallId("a")])
    await until_idle()
    assert ([one.status for one in calls.outcomes], ran) == ([ToolStatus.CANCELLED], [])


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_in_a_tool_goes_through_and_the_call_ends_all_the_same(at_once, raised):
    """Ours: it is no failure of the tool and stops the event loop; whoever closes the run then waits for nobody."""

    async def body(_request, _context):
        raise raised

    async def main(calls):
        calls.start("a", at_once=at_once)
        await asyncio.Event().wait()

    async def close(calls):
        calls.calls.stop([CallId("a")])

    calls = Calls(body)
    with asyncio.Runner() as runner:
        with pytest.raises(raised):
            runner.run(main(calls))
        assert calls.outcomes == []
        runner.run(close(calls))
    assert [(one.call_id, one.status) for one in calls.outcomes] == [("a", ToolStatus.UNKNOWN)]


@pytest.mark.parametrize("at_once", [True, False])
def test_a_call_that_takes_too_long_is_stopped(at_once):
    """Design: a deadline for each call, from its dispatch."""

    async def body(_request, _context):
        await asyncio.Event().wait()

    async def main():
        calls = Calls(body, timeout_s=5)
        calls.start("a", at_once=at_once)
        await asyncio.sleep(6)
        assert [(one.status, one.duration_ms) for one in calls.outcomes] == [(ToolStatus.TIMEOUT, 5000)]

    run_virtually(main())


def test_a_call_without_a_deadline_may_take_its_time():
    """Ours: an infinite deadline is none, and one that was kept fires no more."""

    async def body(_request, _context):
        await asyncio.sleep(100)
        return "late"

    async def main():
        for timeout_s in (None, float("inf"), 101):
            calls = Calls(body, timeout_s=timeout_s)
            calls.start("a", at_once=True)
            await asyncio.sleep(300)
            assert [one.content for one in calls.outcomes] == ["late"]

    run_virtually(main())


def test_a_call_that_does_not_stop_is_unknown_and_counts_no_more():
    """EV-5: after its grace nobody knows what it still does; what it returns later is not told."""

    async def body(_request, _context):
        while True:
            try:
                await asyncio.sleep(10)
            except asyncio.CancelledError:
                continue
            return "after all"

    async def main():
        calls = Calls(body)
        calls.start("a", at_once=True)
        await asyncio.sleep(1)
        calls.calls.stop([CallId("a")])
        await asyncio.sleep(GRACE_S / 2)
        assert calls.outcomes == []
        await asyncio.sleep(GRACE_S)
        assert [one.status for one in calls.outcomes] == [ToolStatus.UNKNOWN]
        await asyncio.sleep(100)
        assert len(calls.outcomes) == 1

    run_virtually(main())


def test_closing_stops_what_runs_and_waits_for_it_within_its_grace():
    """Ours: no call outlives its run unnoticed."""
    seen = []

    async def body(request, _context):
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(GRACE_S / 2)
            seen.append(request.call_id)

    async def main():
        calls = Calls(body)
        calls.start("a", "b", at_once=True)
        await asyncio.sleep(0)
        await calls.calls.aclose()
        assert sorted(seen) == ["a", "b"]
        assert [one.status for one in calls.outcomes] == [ToolStatus.CANCELLED] * 2
        await calls.calls.aclose()

    run_virtually(main())
