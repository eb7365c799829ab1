"""The commands over stored runs as their users run them.

What has to do with files, owners and signals is tried in processes of its own; what each form says, in this one.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import LONGEST_S, environment, on_terminal, treadle
from tests.cli.programs.agents import calc, careful
from tests.cli.stored_runs import HOSTILE_THREAD, THREAD, Filled, fill
from treadle.app.runner import Runner
from treadle.cli.commands import main

PROGRAMS = Path(__file__).parent / "programs"
NOBODY = "ready: nobody works on the run now; it goes on once a process that has its agent opens the store\n"
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A folder with a store, `runs.db`, and what is in it."""

    folder: Path
    runs: Filled

    @property
    def db(self) -> Path:
        """The store."""
        return self.folder / "runs.db"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A store that a runner wrote, for all tests."""
    folder = tmp_path_factory.mktemp("store")
    return Place(folder=folder, runs=asyncio.run(fill(folder / "runs.db")))


@pytest.fixture
def place(made: Place, tmp_path: Path) -> Place:
    """A store of the test's own."""
    folder = tmp_path / "here"
    shutil.copytree(made.folder, folder)
    return Place(folder=folder, runs=made.runs)


@contextmanager
def owner_of(db: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process that owns a store, and the run it works on. It is killed at the end, if not before."""
    process = subprocess.Popen(
        [sys.executable, str(PROGRAMS / "owning.py"), str(db)], env=environment(), stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate(timeout=LONGEST_S)


Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Iterator[Command]:
    """The command, run in this process."""
    log = logging.getLogger("treadle")
    before = (log.propagate, list(log.handlers))
    monkeypatch.delenv("TREADLE_DB", raising=False)

    def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        monkeypatch.chdir(cwd)
        code = main(list(words))
        return subprocess.CompletedProcess(words, code, *capfd.readouterr())

    yield run
    log.propagate, log.handlers = before


def objects(text: str) -> list[dict[str, Any]]:
    """Each line is one JSON object."""
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.requirement("CLI-20")
def test_runs_are_listed_newest_first_for_people_and_for_scripts(place: Place) -> None:
    """docs/cli.md: a line a run."""
    runs = place.runs
    table = treadle("runs", cwd=place.folder)
    lines = treadle("runs", "--json", cwd=place.folder)
    assert (table.returncode, table.stderr, lines.returncode, lines.stderr) == (0, "", 0, "")
    newest_first = [runs.left, runs.paused, runs.failed, runs.done]
    assert [line.split()[0] for line in table.stdout.splitlines()] == ["RUN", *newest_first]
    assert [(run["run_id"], run["state"]) for run in objects(lines.stdout)] == [
        *zip(newest_first, ("ready", "waiting", "error", "done"), strict=True)
    ]
    assert objects(lines.stdout)[3]["prompt"] == "please add"


@pytest.mark.requirement("CLI-20")
def test_a_list_can_be_of_one_thread_of_one_state_and_short(inside: Command, place: Place) -> None:
    """docs/cli.md: a list that is cut says so, and not on stdout."""

    def ids(*words: str) -> list[str]:
        return [run["run_id"] for run in objects(inside("runs", "--json", *words, cwd=place.folder).stdout)]

    assert ids("--thread", THREAD) == [place.runs.failed, place.runs.done]
    assert ids("--state", "waiting") == [place.runs.paused]
    assert ids("--thread", THREAD, "--state", "ready") == []
    cut = inside("runs", "--json", "--limit", "2", cwd=place.folder)
    assert [run["run_id"] for run in objects(cut.stdout)] == [place.runs.left, place.runs.paused]
    assert cut.stderr == "treadle: there are more than 2; --limit N shows more of them\n"


@pytest.mark.requirement("CLI-20")
def test_threads_are_listed_with_their_newest_run(inside: Command, place: Place) -> None:
    """docs/cli.md: the one spoken in last first."""
    table = inside("threads", cwd=place.folder)
    listed = objects(inside("threads", "--json", cwd=place.folder).stdout)
    assert (table.returncode, table.stderr, len(table.stdout.splitlines())) == (0, "", 4)
    assert [(one["thread_id"], one["runs"], one["last_run_id"], one["last_state"]) for one in listed] == [
        (HOSTILE_THREAD, 1, place.runs.left, "ready"),
        ("t3", 1, place.runs.paused, "waiting"),
        (THREAD, 2, place.runs.failed, "error"),
    ]


@pytest.mark.requirement("CLI-21")
def test_a_run_is_shown_at_a_glance(inside: Command, place: Place) -> None:
    """docs/cli.md: where it stands, what it was asked, what it said."""
    people = inside("show", place.runs.done, cwd=place.folder)
    (script,) = objects(inside("show", place.runs.done, "--json", cwd=place.folder).stdout)
    assert (people.returncode, people.stderr) == (0, "")
    assert people.stdout.splitlines()[:4] == [
        f"run      {place.runs.done}", f"thread   {THREAD}", "agent    calc", "state    done",
    ]  # fmt: skip
    assert people.stdout.endswith("\nasked    please add\n\nIt is 3.\n")
    assert (script["state"], script["text"], script["usage"]["total_tokens"]) == ("done", "It is 3.", 16)
    waiting = inside("show", place.runs.paused, cwd=place.folder)
    assert 'paused   a call waits for leave: {"name":"drop","arguments":{"table":"users"}}\n' in waiting.stdout


@pytest.mark.requirement("CLI-22")
def test_a_tail_tells_what_the_run_told(place: Place) -> None:
    """docs/cli.md: the forms of `run`, and with `--events` the cursor of each."""
    people = treadle("tail", place.runs.done, cwd=place.folder)
    stream = objects(treadle("tail", place.runs.done, "--json", cwd=place.folder).stdout)
    kernel = objects(treadle("tail", place.runs.done, "--events", cwd=place.folder).stdout)
    assert (people.returncode, people.stderr) == (0, "")
    assert people.stdout.splitlines()[:2] == ["[thinking] I must add.", '[tool] add {"a":1,"b":2}']
    assert people.stdout.splitlines()[-2] == "It is 3."
    assert (stream[-1]["type"], stream[-1]["outcome"], stream[-1]["text"]) == ("response_complete", "done", "It is 3.")
    assert [event["index"] for event in kernel] == list(range(len(kernel)))
    assert [event["cursor"] for event in kernel] == [f"1:{index}" for index in range(len(kernel))]
    assert (kernel[0]["kind"], kernel[-1]["kind"]) == ("run_started", "done")


@pytest.mark.requirement("CLI-22")
def test_a_tail_goes_on_behind_any_cursor_it_gave(inside: Command, place: Place) -> None:
    """Design, law 7: what came before and what comes now are the whole, each line once."""
    whole = inside("tail", place.runs.done, "--events", cwd=place.folder).stdout.splitlines()
    for at in (0, len(whole) // 2, len(whole) - 1):
        cursor = json.loads(whole[at])["cursor"]
        rest = inside("tail", place.runs.done, "--events", "--after", cursor, cwd=place.folder)
        assert (rest.stdout.splitlines(), rest.returncode) == (whole[at + 1 :], 0)


@pytest.mark.requirement("CLI-22", "CLI-03")
def test_a_tail_ends_as_its_run_ended(inside: Command, place: Place) -> None:
    """docs/cli.md: error 1, paused 3, and a line that says why; a run that nobody works on is said to be one."""
    failed = inside("tail", place.runs.failed, cwd=place.folder)
    assert failed.returncode == 1
    assert failed.stderr.startswith("error: model_busy: the model provider is overloaded")
    paused = inside("tail", place.runs.paused, cwd=place.folder)
    assert (paused.returncode, paused.stderr) == (3, "paused: the run waits for 1 answer\n")
    left = inside("tail", place.runs.left, cwd=place.folder)
    assert (left.returncode, left.stderr) == (0, NOBODY)
    assert left.stdout.endswith("[31m\\x9b2J\n")


@pytest.mark.requirement("CLI-06")
@pytest.mark.parametrize(
    "words",
    [
        ("runs",), ("runs", "--json"), ("threads",), ("threads", "--json"), ("show", "RUN"), ("show", "RUN", "--json"),
        ("tail", "RUN"), ("tail", "RUN", "--events"), ("tail", "RUN", "--json"), ("export", "RUN"),
    ],
)  # fmt: skip
def test_no_stored_text_commands_a_terminal(inside: Command, place: Place, words: tuple[str, ...]) -> None:
    """Ours: a thread's name, a question, an answer: all of it is somebody else's."""
    ran = inside(*(place.runs.left if word == "RUN" else word for word in words), cwd=place.folder)
    assert ran.returncode == 0
    assert "owned" in ran.stdout
    assert CONTROLS.findall(ran.stdout) == []


def test_on_a_terminal_the_state_of_a_run_has_its_colour(place: Place) -> None:
    """Ours: what failed is found at a glance; where the columns stand is the same without colours."""
    with on_terminal("runs", cwd=place.folder) as terminal:
        assert terminal.end() == 0
    assert "\x1b[31merror\x1b[0m" in terminal.screen
    assert "\x1b[32mdone\x1b[0m" in terminal.screen
    plain = re.sub(r"\x1b\[[0-9;]*m", "", terminal.screen).replace("\r\n", "\n")
    assert plain == treadle("runs", cwd=place.folder).stdout


@pytest.mark.requirement("CLI-23")
def test_a_wish_to_cancel_is_kept_until_an_owner_takes_it_up(place: Place) -> None:
    """Ours: accepted is one thing, cancelled another."""
    first = treadle("cancel", place.runs.left, cwd=place.folder)
    again = treadle("cancel", place.runs.left, cwd=place.folder)
    (seen,) = objects(treadle("show", place.runs.left, "--json", cwd=place.folder).stdout)
    assert (first.returncode, first.stderr, again.returncode) == (0, "", 0)
    assert first.stdout.startswith(f"cancel accepted: {place.runs.left}; ")
    assert again.stdout.startswith(f"cancel accepted before: {place.runs.left}; ")
    assert (seen["state"], seen["cancel_asked"]) == ("ready", True)
    asyncio.run(carry_on(place.db, place.runs.left))
    ended = treadle("tail", place.runs.left, cwd=place.folder)
    assert ended.returncode == 130
    assert ended.stderr.startswith("cancelled: kept ")
    late = treadle("cancel", place.runs.left, cwd=place.folder)
    assert (late.returncode, late.stdout) == (1, "")
    assert late.stderr.startswith("error: run_final: ")


async def carry_on(db: Path, run_id: str) -> None:
    """Open a store with the agents of its runs until this run rests."""
    async with Runner([calc, careful], store=f"sqlite:///{db}") as runner:
        await runner.wait(run_id)


@pytest.mark.requirement("CLI-24")
@pytest.mark.parametrize("facts", [(), ("--with-facts",)])
def test_what_is_exported_and_imported_is_exported_the_same(place: Place, facts: tuple[str, ...]) -> None:
    """Ours: equal bytes, whatever store they went through."""
    names = (place.runs.done, place.runs.failed)
    lines = treadle("export", *names, *facts, cwd=place.folder)
    (place.folder / "some.jsonl").write_text(lines.stdout, encoding="utf-8")
    put = treadle("import", "some.jsonl", "--db", "other.db", cwd=place.folder)
    again = treadle("import", "-", "--db", "other.db", cwd=place.folder, given=lines.stdout)
    back = treadle("export", "--all", *facts, "--db", "other.db", cwd=place.folder)
    assert (lines.returncode, lines.stderr, put.stdout) == (0, "", "imported 2 runs\n")
    assert again.stdout == "imported 0 runs; 2 were there already\n"
    assert (back.stdout, back.stderr) == (lines.stdout, "")
    assert ("please add" in lines.stdout, '"turn_kept"' in lines.stdout) == (True, bool(facts))


@pytest.mark.requirement("CLI-24")
def test_a_whole_store_moves_with_its_facts_and_goes_on_elsewhere(place: Place) -> None:
    """docs/cli.md: a run that has not ended needs its facts."""
    poor = treadle("export", "--all", cwd=place.folder)
    rich = treadle("export", "--all", "--with-facts", cwd=place.folder)
    assert poor.stderr.startswith("treadle: a run that has not ended is imported with its facts alone")
    refused = treadle("import", "-", "--db", "poor.db", cwd=place.folder, given=poor.stdout)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("error: record_format: ")
    put = treadle("import", "-", "--db", "rich.db", cwd=place.folder, given=rich.stdout)
    assert (rich.stderr, put.stdout) == ("", "imported 4 runs\n")
    paused = treadle("tail", place.runs.paused, "--db", "rich.db", cwd=place.folder)
    assert paused.returncode == 3


@pytest.mark.requirement("CLI-25")
def test_a_live_owner_is_named_and_a_dead_one_is_followed(tmp_path: Path) -> None:
    """Ours: one process has a store; once it is gone, what it showed is there."""
    db = tmp_path / "runs.db"
    with owner_of(db) as (process, run_id):
        for words in (("tail", run_id), ("runs",), ("cancel", run_id), ("export", "--all"), ("db", "upgrade")):
            ran = treadle(*words, cwd=tmp_path)
            assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)
            assert ran.stderr.startswith("treadle: store 'runs.db' is owned by process ")
            assert f"process {process.pid};" in ran.stderr
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=LONGEST_S)
        tailed = treadle("tail", run_id, cwd=tmp_path)
    assert (tailed.stdout, tailed.stderr, tailed.returncode) == ("It is 3.\n", NOBODY, 0)


@pytest.mark.requirement("CLI-25")
@pytest.mark.parametrize("words", [("runs",), ("show", "r"), ("tail", "r"), ("cancel", "r"), ("db", "upgrade")])
def test_a_store_of_a_newer_schema_is_refused_in_one_line(
    inside: Command, place: Place, words: tuple[str, ...]
) -> None:
    """Design §6: a newer schema than we know is refused."""
    with sqlite3.connect(place.db) as connection:
        connection.execute("update schema_version set version = 99")
    connection.close()
    ran = inside(*words, cwd=place.folder)
    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)
    assert ran.stderr.startswith("treadle: store 'runs.db' has schema 99, ")


@pytest.mark.requirement("CLI-25")
def test_a_store_that_is_not_there_is_a_misuse_and_is_not_made(inside: Command, tmp_path: Path) -> None:
    """docs/cli.md: a mistyped path is no empty store."""
    for words in (("runs",), ("threads",), ("show", "r"), ("tail", "r"), ("export", "--all"), ("db", "upgrade")):
        ran = inside(*words, "--db", "no.db", cwd=tmp_path)
        assert (ran.returncode, ran.stdout) == (2, "")
        assert ran.stderr == "treadle: store 'no.db' is not there; --db PATH or TREADLE_DB names another one\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.requirement("CLI-25")
def test_the_store_is_chosen_by_option_then_variable_then_folder(place: Place, tmp_path: Path) -> None:
    """docs/cli.md."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    by_variable = treadle("runs", cwd=elsewhere, env={"TREADLE_DB": str(place.db)})
    by_option = treadle("runs", "--db", str(place.db), cwd=elsewhere, env={"TREADLE_DB": "no.db"})
    here = treadle("runs", cwd=place.folder)
    assert by_variable.stdout == by_option.stdout == here.stdout
    other = treadle("runs", "--scope", "other", cwd=place.folder)
    assert (other.returncode, other.stdout, other.stderr) == (0, "", "treadle: there are no such runs\n")


@pytest.mark.requirement("CLI-26")
@pytest.mark.parametrize("words", [("show",), ("tail",), ("cancel",), ("export",)])
def test_a_run_that_is_not_there_is_one_line_and_exits_1(inside: Command, place: Place, words: tuple[str, ...]) -> None:
    """docs/cli.md: and nothing on stdout."""
    ran = inside(*words, "nobody", cwd=place.folder)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == "error: run_not_found: there is no run 'nobody'\n"


@pytest.mark.requirement("CLI-26", "CLI-10")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("tail", "r", "--after", "here"), "treadle: --after: expected a cursor EPOCH:INDEX, came 'here'"),
        (("tail", "r", "--json", "--events"), "treadle: --json and --events cannot be given together"),
        (("export",), "treadle: which runs? name them, or give --all"),
        (("export", "--all", "r"), "treadle: --all and the names of runs cannot be given together"),
        (("import", "no.jsonl"), "treadle: 'no.jsonl' cannot be read: No such file or directory"),
        (("runs", "--db", "."), "treadle: store '.' is no file; --db PATH or TREADLE_DB names another one"),
        (("db",), "treadle: Missing command; see 'treadle db --help'"),
        (("show",), "treadle: Missing argument 'RUN'; see 'treadle show --help'"),
    ],
)
def test_a_misuse_of_a_store_is_one_line_and_exits_2(
    inside: Command, place: Place, words: tuple[str, ...], said: str
) -> None:
    """docs/cli.md: one line on stderr, nothing on stdout."""
    ran = inside(*words, cwd=place.folder)
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", f"{said}\n")


@pytest.mark.requirement("CLI-26")
def test_a_cursor_of_another_log_is_refused_with_the_last_one_that_holds(inside: Command, place: Place) -> None:
    """Design §6: a store that lost a suffix says so, and is never silent about it."""
    ran = inside("tail", place.runs.left, "--after", "1:99", cwd=place.folder)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert re.fullmatch(r"error: bad_cursor: .*; what was seen still stands up to cursor 1:\d+\n", ran.stderr)


@pytest.mark.requirement("CLI-24")
@pytest.mark.parametrize("given", [b'{"line":1\n', b"\xff\xfe\n", b'{"line":"row"}\n'])
def test_what_is_no_export_is_refused(inside: Command, tmp_path: Path, given: bytes) -> None:
    """docs/cli.md: one line, exit 1."""
    (tmp_path / "bad.jsonl").write_bytes(given)
    ran = inside("import", "bad.jsonl", cwd=tmp_path)
    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (1, "", 1)
    assert ran.stderr.startswith("error: record_format: ")


@pytest.mark.requirement("CLI-25")
def test_an_upgrade_says_which_schema_a_store_has(inside: Command, place: Place) -> None:
    """docs/cli.md: and does nothing to one that is of this version."""
    by_name = inside("db", "upgrade", "runs.db", cwd=place.folder)
    by_option = inside("db", "upgrade", "--db", "runs.db", cwd=place.folder)
    assert (by_name.returncode, by_name.stderr) == (0, "")
    assert re.fullmatch(r"store 'runs\.db' has schema \d+ already\n", by_name.stdout)
    assert by_option.stdout == by_name.stdout


@pytest.mark.parametrize("words", [("runs",), ("threads",), ("tail",), ("import",), ("db", "upgrade")])
def test_help_is_there_for_every_command_over_stored_runs(words: tuple[str, ...], tmp_path: Path) -> None:
    """Ours: `--db` and its variable stand where a user looks."""
    ran = treadle(*words, "--help", cwd=tmp_path, env={"COLUMNS": "200"})
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "--db" in ran.stdout
    assert "TREADLE_DB" in ran.stdout


def test_the_commands_that_change_something_say_what_they_did(inside: Command, place: Place) -> None:
    """docs/cli.md: one line, exit 0."""
    lines = inside("export", place.runs.done, "--with-facts", cwd=place.folder)
    (place.folder / "one.jsonl").write_text(lines.stdout, encoding="utf-8")
    put = inside("import", "one.jsonl", "--db", "sqlite:///one.db", cwd=place.folder)
    assert (put.returncode, put.stdout, put.stderr) == (0, "imported 1 run\n", "")
    wish = inside("cancel", place.runs.left, cwd=place.folder)
    assert (wish.returncode, wish.stderr) == (0, "")
    assert wish.stdout.startswith("cancel accepted: ")
    everything = inside("export", "--all", cwd=place.folder)
    assert (everything.returncode, everything.stderr.count("--with-facts")) == (0, 1)


def test_a_store_without_runs_lists_nothing_and_says_so(inside: Command, tmp_path: Path) -> None:
    """Ours: an empty list is no data, and no mistake."""
    (tmp_path / "none.jsonl").touch()
    assert inside("import", "none.jsonl", cwd=tmp_path).stdout == "imported 0 runs\n"
    for words, said in (("runs", "there are no such runs"), ("threads", "there are no threads")):
        ran = inside(words, cwd=tmp_path)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", f"treadle: {said}\n")
