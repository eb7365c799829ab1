"""The events of a stored run, as they stand and as they come."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable

import pytest

from tests.cli.screen import Screen
from tests.cli.stored_runs import fill
from tests.cli.test_run_listing import SCOPE, begun, created
from treadle.adapters.models.scripted import ScriptedModel
from treadle.adapters.stores.memory import MemoryStore
from treadle.adapters.system import SystemClock
from treadle.app.agent import Agent
from treadle.app.runner import Runner
from treadle.cli.exits import ExitCode
from treadle.cli.output import ReaderGoneError
from treadle.cli.run_tailing import NOBODY, Tailed, concluded, tail
from treadle.cli.views import Form, View
from treadle.errors import CursorError
from treadle.testing.fake_clock import FakeClock
from treadle.values.ids import RunId
from treadle.values.runs import RunStatus

BOUND_S = 5.0


def view(screen: Screen) -> View:
    """A view that shows the kind or the type of each event, and an end where it is open."""
    return View(
        output=screen,
        opened=lambda who, what, past: who.events(what, history=past),
        shows=lambda event: getattr(event, "kind", None) or event.type,
        ends=lambda: "(open)",
    )


async def tailed(
    store: MemoryStore, run_id: str, screen: Screen, *, form: Form = Form.PEOPLE, after: str | None = None
) -> Tailed | None:
    """Tail a run; a tail that does not end fails."""
    state = await store.state("default", RunId(run_id))
    async with asyncio.timeout(BOUND_S):
        return await tail(store, state, view(screen), form=form, after=after)


@pytest.mark.parametrize("form", list(Form))
async def test_a_run_is_told_whole_and_behind_each_cursor_the_rest(form: Form) -> None:
    """Design, law 6: folded from the start, and only what lies behind the cursor is sent."""
    store = MemoryStore(SystemClock())
    runs = await fill(store)
    whole, kernel = Screen(), Screen()
    ended = await tailed(store, runs.done, whole, form=form)
    await tailed(store, runs.done, kernel, form=Form.KERNEL_EVENTS)
    cursors = [json.loads(line)["cursor"] for line in kernel.shown if line != "(open)"]
    assert ended is not None
    assert (type(ended.closing).__name__, ended.tool_results) == ("Done", 2)
    for cursor in cursors:
        rest = Screen()
        await tailed(store, runs.done, rest, form=form, after=cursor)
        assert rest.shown == whole.shown[len(whole.shown) - len(rest.shown) :]
        assert (len(rest.shown) < len(whole.shown)) or form is Form.STREAM_EVENTS
    assert rest.shown == []


@pytest.mark.parametrize("after", ["1:999", "7:0"])
async def test_a_cursor_of_another_log_is_refused_before_anything_is_shown(after: str) -> None:
    """Design §6: never silent divergence."""
    store = MemoryStore(SystemClock())
    runs = await fill(store)
    screen = Screen()
    with pytest.raises(CursorError):
        await tailed(store, runs.done, screen, after=after)
    assert screen.shown == []


async def test_reading_ends_where_nobody_works_on_the_run() -> None:
    """docs/cli.md: what is stored is shown, the last line is ended, and nobody waits for what cannot come."""
    store = MemoryStore(SystemClock())
    runs = await fill(store)
    screen = Screen()
    left = await tailed(store, runs.left, screen)
    assert left is not None
    assert (left.closing, left.state.status, screen.shown[-1]) == (None, RunStatus.READY, "(open)")
    paused = await tailed(store, runs.paused, Screen())
    assert paused is not None
    assert (type(paused.closing).__name__, paused.state.status) == ("Interrupt", RunStatus.WAITING)


async def test_a_run_that_has_not_begun_shows_nothing() -> None:
    """Ours: an empty log is a log."""
    store = MemoryStore(FakeClock())
    state = await created(store, "r1")
    screen = Screen()
    assert await tail(store, state, view(screen), form=Form.PEOPLE, after=None) == Tailed(
        state=state, closing=None, tool_results=0
    )
    assert screen.shown == []


async def live(act: Callable[[Runner, ScriptedModel, str], None], word: str) -> tuple[Screen, Tailed | None, RunStatus]:
    """Tail a run that waits at a gate after its first words, and do something at the first event of this kind."""
    model = ScriptedModel.from_text("text: It is \ngate: go\ntext: 3.")
    store = MemoryStore(SystemClock())
    async with Runner([Agent(name="a", model=model)], store=store, drain_s=0) as runner:
        run = await runner.start("a", "1+2?")
        async for record in runner.watch(run.run_id):
            if record.event.kind == "text_delta":
                break
        screen = Screen(word=word, act=lambda: act(runner, model, run.run_id))
        ended = await tailed(store, run.run_id, screen)
        status = (await store.state("default", RunId(run.run_id))).status
    return screen, ended, status


async def test_a_live_run_is_followed_to_its_end() -> None:
    """docs/cli.md: what is there, then what comes."""
    screen, ended, status = await live(lambda _, model, __: model.open_gate("go"), "text_delta")
    assert ended is not None
    assert (screen.shown[0], screen.shown[-2], status) == ("run_started", "done", RunStatus.DONE)
    assert screen.shown.count("text_delta") == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_stop_signal_leaves_and_the_run_goes_on(number: signal.Signals) -> None:
    """Design, promise 6: leaving is not stopping."""
    screen, ended, status = await live(lambda *_: os.kill(os.getpid(), number), "text_delta")
    assert (ended, status) == (None, RunStatus.OWNED)
    assert screen.shown[-1] == "text_delta"


async def test_a_reader_that_goes_away_ends_the_tail_alone() -> None:
    """Ours: `| head` stops no run."""

    def leave(*_: object) -> None:
        raise ReaderGoneError

    with pytest.raises(ReaderGoneError):
        await live(leave, "text_delta")


async def test_how_a_run_stands_is_said_and_is_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    """docs/cli.md: the run's own end; 0 for who leaves and for a run left alone."""
    store = MemoryStore(SystemClock())
    runs = await fill(store)
    said = {}
    for name in ("done", "failed", "paused", "left"):
        code = concluded(await tailed(store, getattr(runs, name), Screen()))
        said[name] = (code, capsys.readouterr().err.split(":")[0])
    assert said == {
        "done": (ExitCode.DONE, ""),
        "failed": (ExitCode.ERROR, "error"),
        "paused": (ExitCode.PAUSED, "paused"),
        "left": (ExitCode.DONE, "ready"),
    }
    assert (concluded(None), capsys.readouterr().err) == (ExitCode.DONE, "")


async def test_a_run_that_was_answered_and_not_gone_on_with_is_no_pause_any_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Ours: its last event is a pause, and it is ready: it waits for a process, not for a person."""
    store = MemoryStore(SystemClock())
    runs = await fill(store)
    await store.send("default", RunId(runs.paused), key="k", kind="answer")
    assert concluded(await tailed(store, runs.paused, Screen())) is ExitCode.DONE
    assert capsys.readouterr().err == f"ready: {NOBODY}\n"


async def test_the_owner_may_be_slow_to_write() -> None:
    """Ours: a run that somebody owns is waited for, however little it has said."""
    store = MemoryStore(FakeClock())
    await begun(store, "r1", prompt="1+2?")
    state = await store.state(SCOPE, RunId("r1"))
    waiting = asyncio.create_task(tail(store, state, view(Screen()), form=Form.PEOPLE, after=None))
    for _ in range(100):
        await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
