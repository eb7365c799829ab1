"""One stored run at a glance."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from tests.cli.stored_runs import HOSTILE_THREAD, THREAD, Filled, fill
from tests.cli.test_run_listing import SCOPE, created
from treadle.adapters.stores.memory import MemoryStore
from treadle.adapters.system import SystemClock
from treadle.cli.run_answering import Desk, said_by_options
from treadle.cli.run_cancelling import wish
from treadle.cli.run_showing import Glance, for_people, for_scripts, glance
from treadle.errors import RunNotFoundError
from treadle.testing.fake_clock import FakeClock
from treadle.values.ids import RunId
from treadle.values.pauses import Decision
from treadle.values.runs import RunStatus


async def filled() -> tuple[MemoryStore, Filled]:
    """A store with a run of each kind."""
    store = MemoryStore(SystemClock())
    return store, await fill(store)


def facts(run: Glance) -> dict[str, str]:
    """The lines for people, by their names."""
    head = for_people(run, terminal=False).partition("\n\n")[0]
    return {line[:9].rstrip(): line[9:] for line in head.splitlines()}


async def test_a_run_that_is_done_is_shown_with_its_question_usage_and_text() -> None:
    """docs/cli.md: where it stands, what it was asked, what it has said."""
    store, runs = await filled()
    run = await glance(store, "default", RunId(runs.done))
    said = facts(run)
    assert (said["run"], said["thread"], said["state"], said["asked"]) == (runs.done, THREAD, "done", "please add")
    assert said["usage"].startswith("tokens: input 10, output 6, total 16; ")
    assert said["events"] == f"{run.view.events}, the last at cursor {run.cursor}"
    assert run.cursor == f"1:{run.view.events - 1}"
    assert for_people(run, terminal=False).endswith("\n\nIt is 3.\n")


async def test_a_run_that_failed_paused_or_was_left_says_so() -> None:
    """docs/cli.md: the code of an error, what a pause waits for, a wish that nobody has taken up."""
    store, runs = await filled()
    failed = facts(await glance(store, "default", RunId(runs.failed)))
    assert (failed["state"], failed["error"]) == ("error", "model_busy")
    paused = facts(await glance(store, "default", RunId(runs.paused)))
    assert paused["state"] == "waiting"
    assert paused["paused"] == 'a call waits for leave: {"name":"drop","arguments":{"table":"users"}}'
    await wish(store, "default", RunId(runs.left), principal="ann\x1b")
    left = facts(await glance(store, "default", RunId(runs.left)))
    assert left["state"] == "ready"
    assert re.fullmatch(r"asked for by ann\\x1b, \S+ \S+Z; no process has taken it up yet", left["cancel"])
    await store.send("default", RunId(runs.paused), key="another", kind="cancel")
    nameless = facts(await glance(store, "default", RunId(runs.paused)))
    assert nameless["cancel"] == "asked for; no process has taken it up yet"
    assert "cancel" not in paused


@pytest.mark.requirement("CLI-answer-taken")
async def test_an_answer_that_was_taken_and_not_heard_is_shown_with_who_gave_it() -> None:
    """docs/cli.md: the run itself knows nothing of it yet, and whoever answered may look whether it was taken."""
    store, runs = await filled()
    desk = Desk("default", RunId(runs.paused))
    meant = desk.meant(await desk.look(store), pause=None)
    said = said_by_options(meant, options={Decision.DENY: "not now"})
    assert said is not None
    await desk.answer(store, [said], principal="ann\x1b")
    run = await glance(store, "default", RunId(runs.paused))
    told = facts(run)
    assert "paused" not in told
    assert re.match(r"deny by ann\\x1b, \S+ \S+Z; no process has taken it up yet: a call waits", told["answered"])
    (answer,) = json.loads(for_scripts(run))["answers"]
    assert (answer["interrupt_id"], answer["decision"], answer["by"]) == (meant[0].interrupt_id, "deny", "ann\x1b")


async def test_a_script_is_given_one_object_with_every_key_in_every_state() -> None:
    """docs/cli.md: a key is there whether it says anything or not."""
    store, runs = await filled()
    lines = [for_scripts(await glance(store, "default", RunId(run_id))) for run_id in (runs.done, runs.left)]
    done, left = map(json.loads, lines)
    assert list(done) == list(left)
    assert all(len(line.splitlines()) == 1 for line in lines)
    assert (done["answer"], done["usage"]["input_tokens"], done["pending"]) == ("It is 3.", 10, [])
    assert (left["thread_id"], left["state"], left["duration_ms"], left["error_code"]) == (
        HOSTILE_THREAD, "ready", None, None,
    )  # fmt: skip


async def test_a_run_that_has_not_begun_has_no_cursor_and_no_text() -> None:
    """Ours: absent is not 0."""
    store = MemoryStore(FakeClock())
    await created(store, "r1")
    run = await glance(store, SCOPE, RunId("r1"))
    assert (run.cursor, run.prompt, facts(run)["events"]) == (None, "", "0")
    assert for_people(run, terminal=False).count("\n\n") == 0


async def test_a_run_that_waits_until_a_time_says_until_when() -> None:
    """Design §7: a pause ends when its time is over."""
    store, runs = await filled()
    run = replace(await glance(store, "default", RunId(runs.paused)), wake_at_s=0.0)
    assert facts(run)["until"] == "1970-01-01 00:00:00Z"


async def test_a_state_is_coloured_and_a_thread_of_that_name_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours: what a caller calls a thread says nothing about the run."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    store = MemoryStore(FakeClock())
    await created(store, "r1", thread=RunStatus.DONE.value)
    run = await glance(store, SCOPE, RunId("r1"))
    lines = for_people(replace(run, view=replace(run.view, state=RunStatus.DONE)), terminal=True).splitlines()
    assert (lines[1].endswith("done"), lines[3].endswith("\x1b[32mdone\x1b[0m")) == (True, True)


async def test_a_run_of_another_scope_is_not_there() -> None:
    """Design §6: the scope is part of every key."""
    store, runs = await filled()
    with pytest.raises(RunNotFoundError):
        await glance(store, "other", RunId(runs.done))
