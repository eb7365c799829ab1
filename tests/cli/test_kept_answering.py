"""One question, answered by a run that a store keeps."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from tests.cli.command import started, treadle
from tests.cli.screen import Screen
from treadle.adapters.models.scripted import ScriptedModel
from treadle.app.agent import Agent
from treadle.cli.kept_answering import answer_kept
from treadle.cli.output import ReaderGoneError
from treadle.cli.views import Form, View
from treadle.errors import ThreadBusyError
from treadle.plan.tools import tool
from treadle.runtime.result import RunOutcome

PROGRAMS = Path(__file__).parent / "programs"
CALC = ("--agent", "agents:calc")
SAID = 'call: add {"a": 1, "b": 2}\n---\ntext: It is |3.'


@tool
async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool(requires_approval=True)
async def pay(euros: int) -> int:
    """Pay somebody."""
    raise AssertionError(euros)


def agent(script: str = SAID) -> Agent:
    """An agent that says this."""
    return Agent(name="calc", model=ScriptedModel.from_text(script), tools=[add, pay])


def kinds(screen: Screen) -> View:
    """A view that shows the kind of each kernel event."""
    return View(output=screen, opened=lambda *_: pytest.fail("nothing is attached"), shows=lambda event: event.kind)


async def kept(who: Agent, screen: Screen, folder: Path, thread: str | None = None):
    """Ask it one thing in a store of this folder."""
    path = folder / "runs.db"
    return await answer_kept(who, "1+2?", kinds(screen), form=Form.PEOPLE, path=path, thread_id=thread)


async def test_every_event_is_shown_and_the_result_is_given_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """docs/cli.md: as a run that nobody keeps, and its id is told to people before anything of it."""
    screen = Screen()
    answered = await kept(agent(), screen, tmp_path, "t1")
    assert (screen.shown[0], screen.shown[-1]) == ("run_started", "done")
    assert (answered.result.text, answered.tool_results, answered.terminated) == ("It is 3.", 1, False)
    told = f"kept as {answered.result.run_id} of thread t1 in '{tmp_path / 'runs.db'}'\n"
    assert capsys.readouterr().err == told


@pytest.mark.parametrize(("number", "terminated"), [(signal.SIGINT, False), (signal.SIGTERM, True)])
async def test_a_stop_signal_cancels_and_the_closing_event_is_still_shown(
    number: signal.Signals, *, terminated: bool, tmp_path: Path
) -> None:
    """docs/cli.md: Ctrl-C cancels it, what was shown is kept."""
    screen = Screen(word="text_delta", act=lambda: os.kill(os.getpid(), number))
    answered = await kept(agent("text: It is |3.\nhang"), screen, tmp_path)
    assert (answered.result.outcome, answered.terminated) == (RunOutcome.CANCELLED, terminated)
    assert screen.shown[-1] == "cancelled"


async def test_an_output_that_nobody_reads_cancels_it(tmp_path: Path) -> None:
    """docs/cli.md: what runs for a reader alone ends with the reader."""

    def gone() -> None:
        raise ReaderGoneError

    with pytest.raises(ReaderGoneError):
        await kept(agent("text: It is |3.\nhang"), Screen(word="text_delta", act=gone), tmp_path)
    listed = treadle("runs", "--json", cwd=tmp_path)
    assert json.loads(listed.stdout)["state"] == "cancelled"


async def test_a_pause_ends_it_and_its_thread_takes_no_other(tmp_path: Path) -> None:
    """docs/cli.md: a thread with a live run refuses another, and one that waits is live."""
    answered = await kept(agent('call: pay {"euros": 3}'), Screen(), tmp_path, "t1")
    assert answered.result.outcome is RunOutcome.PAUSED
    with pytest.raises(ThreadBusyError):
        await kept(agent(), Screen(), tmp_path, "t1")


@pytest.mark.slow
def test_kept_runs_are_listed_and_a_thread_is_told_what_was_said(tmp_path: Path) -> None:
    """docs/cli.md: `treadle runs` has its runs from here; without `--db` nothing is kept."""
    db = ("--db", str(tmp_path / "kept.db"))
    first = treadle("run", *CALC, *db, "--thread", "t1", "--events", "please add", cwd=PROGRAMS)
    events = [json.loads(line) for line in first.stdout.splitlines()]
    assert (first.returncode, events[-1]["kind"]) == (0, "done")
    assert [event["index"] for event in events] == list(range(len(events)))
    second = treadle("run", *CALC, *db, "--thread", "t1", "history", cwd=PROGRAMS)
    assert (second.returncode, "['please add', '', 'It is 3.']" in second.stdout) == (0, True)
    listed = [json.loads(line) for line in treadle("runs", *db, "--json", cwd=PROGRAMS).stdout.splitlines()]
    assert [(run["thread_id"], run["state"], run["prompt"]) for run in listed] == [
        ("t1", "done", "history"), ("t1", "done", "please add"),
    ]  # fmt: skip
    tailed = treadle("tail", *db, listed[1]["run_id"], "--events", cwd=PROGRAMS)
    assert tailed.stdout == first.stdout


@pytest.mark.slow
def test_a_killed_run_is_gone_on_with_and_nobody_else_is_let_in_meanwhile(tmp_path: Path) -> None:
    """docs/cli.md: a process that is killed leaves its run where it stands; one process has a store at a time."""
    db = ("--db", str(tmp_path / "kept.db"))
    with started("run", *CALC, *db, "--events", "add, then hang", cwd=PROGRAMS) as running:
        running.until('"text_delta"')
        refused = treadle("run", *CALC, *db, "hi", cwd=PROGRAMS)
        running.signal(signal.SIGKILL)
        running.end()
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "kept.db" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    (left,) = [json.loads(line) for line in treadle("runs", *db, "--json", cwd=PROGRAMS).stdout.splitlines()]
    assert left["state"] == "ready"
    assert treadle("cancel", *db, left["run_id"], cwd=PROGRAMS).returncode == 0
    assert treadle("run", *CALC, *db, "hi", cwd=PROGRAMS).returncode == 0
    tailed = treadle("tail", *db, left["run_id"], "--events", cwd=PROGRAMS)
    assert tailed.returncode in (0, 130)


@pytest.mark.slow
def test_a_thread_without_a_store_is_a_misuse(tmp_path: Path) -> None:
    """Ours: what is kept nowhere has no thread to go on with."""
    ran = treadle("run", "--thread", "t1", "hi", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "treadle: --thread needs --db PATH: a conversation is kept in a store\n"
    assert list(tmp_path.iterdir()) == []
