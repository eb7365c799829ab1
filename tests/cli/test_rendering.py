"""Kernel events to what a person reads."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.cli.rendering import Rendering
from treadle.values import events
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.ids import CallId, InterruptId, RunId
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import PauseKind, PendingInterrupt
from treadle.values.usage import UsageDelta

RUN = RunId("r1")
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
HOSTILE = st.text(st.sampled_from("ab\n\r\t\x1b[31m]0;\x07\x9b\x00[/red] "))


@pytest.fixture
def colourful(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal that knows colours, whatever the tests run in."""
    monkeypatch.setenv("TERM", "xterm-256color")
    for name in ("NO_COLOR", "COLORTERM", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)


def text(words: str) -> events.TextDelta:
    """A piece of text."""
    return events.TextDelta(index=0, run_id=RUN, passage=1, text=words)


def thinking(words: str) -> events.Thinking:
    """A piece of thinking."""
    return events.Thinking(index=0, run_id=RUN, passage=1, text=words)


def call(name: str = "add", **arguments: object) -> events.ToolCall:
    """A dispatched call."""
    return events.ToolCall(
        index=0, run_id=RUN, request=ToolRequest(call_id=CallId("r1.c1"), name=name, arguments=arguments)
    )


def result(content: object, *, status: str = "ok", error: str | None = None) -> events.ToolResult:
    """What came of the call."""
    outcome = ToolOutcome(
        call_id=CallId("r1.c1"), status=ToolStatus(status), content=content, error=error, duration_ms=3.0
    )
    return events.ToolResult(index=0, run_id=RUN, outcome=outcome)


def done(said: str, **usage: int) -> events.Done:
    """The end of a run."""
    return events.Done(
        index=0, run_id=RUN, outcome=InvocationOutcome(text=said, usage=UsageDelta(**usage), duration_ms=5.0)
    )


def plain(run: Iterable[events.KernelEvent]) -> str:
    """A run as a pipe is shown it."""
    rendering = Rendering(terminal=False)
    return "".join(map(rendering.show, run))


def coloured(run: Iterable[events.KernelEvent]) -> str:
    """A run as a terminal is shown it."""
    rendering = Rendering(terminal=True)
    return "".join(map(rendering.show, run))


def test_every_kernel_event_has_its_place_in_the_table() -> None:
    """Design §8: a table keyed by event class is total."""
    assert set(Rendering.SHOWN) == set(events.EVENT_TYPES)


def test_a_run_reads_from_top_to_bottom() -> None:
    """docs/cli.md: text, thinking, calls with arguments, results with durations, usage at the end."""
    run = [
        thinking("I must "),
        thinking("add.\nYes."),
        text("Wait"),
        text("..."),
        call(a=1, b=2),
        result(3),
        text("It is 3."),
        done("Wait...It is 3.", input_tokens=9, output_tokens=4, total_tokens=13),
    ]
    assert plain(run) == (
        "[thinking] I must add.\n"
        "[thinking] Yes.\n"
        "Wait...\n"
        '[tool] add {"a":1,"b":2}\n'
        "[tool] add ok in 3.0 ms: 3\n"
        "It is 3.\n"
        "[usage] tokens: input 9, output 4, total 13; 5.0 ms\n"
    )


@pytest.mark.usefixtures("colourful")
def test_on_a_terminal_thinking_is_dimmed_and_text_is_not() -> None:
    """Ours: what is the answer and what led to it can be told apart at a glance."""
    assert coloured([thinking("hm"), text("yes")]) == "\x1b[2mhm\x1b[0m\nyes"


@given(st.lists(HOSTILE.filter(bool)))
def test_a_plain_rendering_holds_no_control_code(pieces: list[str]) -> None:
    """Ours: plain when piped, whatever the model says."""
    run = [event for piece in pieces for event in (text(piece), thinking(piece), call(piece or "x", a=piece))]
    shown = plain([*run, result("\x1b[2J"), result(None, status="failed", error="\x1b]0;owned\x07")])
    assert {sign for sign in shown if ord(sign) < 32 or 127 <= ord(sign) < 160} <= {"\n", "\t"}


@given(st.lists(HOSTILE.filter(bool)))
def test_a_terminal_is_sent_our_own_colours_and_no_other_control_code(pieces: list[str]) -> None:
    """Ours: the model does not command the terminal."""
    shown = coloured([event for piece in pieces for event in (text(piece), thinking(piece), result(piece))])
    assert {sign for sign in COLOURS.sub("", shown) if ord(sign) < 32 or 127 <= ord(sign) < 160} <= {"\n", "\t"}


@given(st.lists(st.text(st.sampled_from("ab c\t[bold]:smile:\n"), min_size=1)))
def test_text_is_shown_unchanged_however_long_or_marked_up(pieces: list[str]) -> None:
    """Ours: nothing wraps, trims, expands or reads markup in what a model says."""
    assert plain([text(piece * 40) for piece in pieces]) == "".join(piece * 40 for piece in pieces)


def test_a_call_that_never_ran_is_named_by_its_announcement() -> None:
    """Design §4: a call with damaged arguments has a result and was never dispatched."""
    announced = events.ToolAnnounced(index=0, run_id=RUN, call_id=CallId("r1.c1"), name="add")
    shown = plain([announced, result(None, status="failed", error="the arguments are no JSON object")])
    assert shown == "[tool] add failed in 3.0 ms: the arguments are no JSON object\n"


def test_a_run_without_text_says_so_and_missing_usage_is_not_a_zero() -> None:
    """Design, promise 10; and an empty screen would look like a fault of ours."""
    assert plain([done("")]) == "[note] the model gave no text\n[usage] tokens not reported; 5.0 ms\n"


def test_what_waits_for_leave_is_shown_whole() -> None:
    """Design §8: a pause shows whoever may answer it exactly what it asks about."""
    pending = PendingInterrupt(
        interrupt_id=InterruptId("r1.i1"),
        kind=PauseKind.APPROVAL,
        call_id=CallId("r1.c1"),
        request={"text": "x" * 2000},
    )
    shown = plain([events.Interrupt(index=0, run_id=RUN, pending=(pending,), outcome=InvocationOutcome(text=""))])
    assert shown.startswith('[paused] a call waits for leave: {"text":"' + "x" * 2000 + '"}\n[usage] ')


@pytest.mark.parametrize("kind", list(PauseKind))
def test_every_kind_of_pause_says_what_it_waits_for(kind: PauseKind) -> None:
    """Ours: a person who is asked must see the question."""
    pending = PendingInterrupt(
        interrupt_id=InterruptId("r1.i1"), kind=kind, call_id=CallId("r1.c1"), request={"which": "blue"}
    )
    closing = events.AskUser if kind is PauseKind.ASK_USER else events.Interrupt
    shown = plain([closing(index=0, run_id=RUN, pending=(pending,), outcome=InvocationOutcome(text=""))])
    assert '{"which":"blue"}' in shown


def test_losses_retractions_progress_and_foreign_events_take_a_line_each() -> None:
    """Design, EV-9: every loss is announced."""
    run: list[events.KernelEvent] = [
        text("no"),
        events.Retracted(index=0, run_id=RUN, round=1, attempt=1, reason="retry"),
        events.Dropped(index=0, run_id=RUN, dropped_kind="tool_progress", count=2, first=3, last=4),
        call(),
        events.ToolProgress(index=0, run_id=RUN, call_id=CallId("r1.c1"), sequence=0, payload="half"),
        events.Extension(index=0, run_id=RUN, type="x.y", payload={"n": 1}),
        events.Extracted(index=0, run_id=RUN, tag="memory", operations=({"add": 1},)),
        events.Extracted(index=0, run_id=RUN, tag="memory", diagnostic="not closed"),
    ]
    assert plain(run).splitlines() == [
        "no",
        "[retracted] what round 1, attempt 1 said is void (retry)",
        "[dropped] tool_progress 3 to 4",
        "[tool] add {}",
        "[tool] add so far: half",
        '[extension] x.y: {"n":1}',
        '[extracted] memory: [{"add":1}]',
        "[extracted] memory: not closed",
    ]


def test_a_screen_that_is_left_ends_its_last_line() -> None:
    """Ours: what is said of a run that is not shown further stands on a line of its own."""
    rendering = Rendering(terminal=False)
    assert rendering.end() == ""
    assert rendering.show(text("It is")) + rendering.end() + rendering.end() == "It is\n"
