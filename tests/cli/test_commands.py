"""The command as its users run it, in processes of their own, with agents whose model is a few lines."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import LONGEST_S, command, environment, on_terminal, started, treadle
from treadle._version import __version__

PROGRAMS = Path(__file__).parent / "programs"
CALC = ("--agent", "agents:calc")

pytestmark = pytest.mark.slow


def events(lines: list[str]) -> list[dict[str, Any]]:
    """Each line is one JSON object."""
    return [json.loads(line) for line in lines]


@pytest.mark.requirement("CLI-01", "CLI-14")
def test_json_is_stream_events_and_nothing_else() -> None:
    """docs/cli.md: a snake_case type a line, the completion last, what tools print elsewhere."""
    ran = treadle("run", *CALC, "--json", "please add", cwd=PROGRAMS)
    said = events(ran.stdout.splitlines())
    assert (ran.returncode, ran.stderr) == (0, "what a tool prints\n")
    assert all(re.fullmatch("[a-z_]+", event["type"]) for event in said)
    assert [event["type"] for event in said].count("response_complete") == 1
    assert said[-1]["type"] == "response_complete"
    assert said[-1]["outcome"] == "done"
    assert said[-1]["text"] == "".join(event["text"] for event in said if event["type"] == "text_delta") == "It is 3."
    assert {event["status"] for event in said if event["type"] == "tool_result"} == {"ok", "failed"}
    assert "a secret of the tool" not in ran.stdout


@pytest.mark.requirement("CLI-02")
def test_events_are_kernel_events_with_a_dense_index() -> None:
    """docs/cli.md: kind and index, the closing event last."""
    ran = treadle("run", *CALC, "--events", "please add", cwd=PROGRAMS)
    said = events(ran.stdout.splitlines())
    assert ran.returncode == 0
    assert [event["index"] for event in said] == list(range(len(said)))
    assert (said[0]["kind"], said[-1]["kind"]) == ("run_started", "done")


@pytest.mark.requirement("CLI-04", "CLI-05", "CLI-06")
def test_in_a_pipe_a_run_reads_as_plain_lines() -> None:
    """docs/cli.md: text as it comes, lines for thinking, calls, results and usage, no control codes."""
    ran = treadle("run", *CALC, "please add, hostile", cwd=PROGRAMS, env={"FORCE_COLOR": "1"})
    lines = [re.sub(r"\d+\.?\d* m?s", "T", line) for line in ran.stdout.splitlines() if line != "what a tool prints"]
    assert lines[:3] == ["[thinking] I must add.", '[tool] add {"a":1,"b":2}', "[tool] fail {}"]
    assert sorted(lines[3:5]) == ["[tool] add ok in T: 3", "[tool] fail failed in T: ValueError: the tool failed"]
    assert lines[5:] == [
        r"It is 3.\x1b]0;owned\x07\x1b[31m\x9b2J",
        "[usage] tokens: input 10, output 6, total 16; T",
    ]
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.requirement("CLI-04", "CLI-06")
def test_on_a_terminal_thinking_is_dim_and_text_comes_live() -> None:
    """docs/cli.md: a person sees the answer while it is made, and no foreign control code."""
    with on_terminal("run", *CALC, "add, hostile, then hang", cwd=PROGRAMS) as terminal:
        before = terminal.until("[31m\\x9b2J")
        assert "\x1b[2mI must \x1b[0m\x1b[2madd.\x1b[0m" in before
        assert '\x1b[36m[tool] add {"a":1,"b":2}\x1b[0m' in before
        assert set(re.findall(r"\x1b\[[0-9;]*m", before)) >= {"\x1b[2m", "\x1b[36m", "\x1b[32m", "\x1b[31m"}
        assert "\x1b]0;" not in before
        assert "\x07" not in before
        terminal.type("\x03")
        terminal.until("cancelled: kept")
        assert terminal.end() == 130


@pytest.mark.requirement("CLI-05")
@pytest.mark.parametrize("names", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colours_is_sent_none(names: dict[str, str]) -> None:
    """no-color.org, terminfo: who asks for no colours gets none."""
    with on_terminal("run", *CALC, "please add", cwd=PROGRAMS, env=names) as terminal:
        assert terminal.end() == 0
    assert re.findall(r"\x1b\[[0-9;]*3[0-9]m", terminal.screen) == []


@pytest.mark.requirement("CLI-03", "CLI-09")
@pytest.mark.parametrize("form", [(), ("--json",), ("--events",)])
def test_a_run_that_fails_says_one_line_of_ours_and_exits_1(form: tuple[str, ...]) -> None:
    """docs/cli.md: code, sentence, reference, and never the text of a provider's own error."""
    ran = treadle("run", *CALC, *form, "busy", cwd=PROGRAMS)
    assert ran.returncode == 1
    assert re.fullmatch(
        r"error: model_busy: the model provider is overloaded or limits the rate of requests "
        r"\(reference \S+\); in our own words\n",
        ran.stderr,
    )
    assert "secret" not in ran.stdout
    assert "It is " in ran.stdout


@pytest.mark.requirement("CLI-03", "CLI-07")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("form", "waits_for", "last"),
    [
        (("--json",), '"3."', '"outcome":"cancelled"'),
        (("--events",), '"3."', '"kind":"cancelled"'),
        ((), "tool", "[usage]"),
    ],
)
def test_the_first_stop_signal_cancels_and_says_what_was_kept(
    number: signal.Signals, form: tuple[str, ...], waits_for: str, last: str
) -> None:
    """docs/cli.md: the closing event still comes, last, and stderr says what was kept."""
    with started("run", *CALC, *form, "add, then hang", cwd=PROGRAMS) as running:
        running.until(waits_for)
        if not form:
            running.until("[tool] fail failed")
        running.signal(number)
        lines, stderr, code = running.end()
    assert code == 130
    assert last in lines[-1]
    assert re.search(r"cancelled: kept \d+ characters?, 2 tool results\n$", stderr)


@pytest.mark.requirement("CLI-13")
def test_a_reader_that_goes_away_ends_the_command_quietly() -> None:
    """docs/cli.md: `| head` is no fault of anybody."""
    reading, writing = os.pipe()
    process = subprocess.Popen(
        command("run", *CALC, "--json", "add, then hang"), cwd=PROGRAMS, env=environment(), stdout=writing,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    os.close(writing)
    assert os.read(reading, 1)
    os.close(reading)
    _, stderr = process.communicate(timeout=LONGEST_S)
    assert process.returncode == 130
    assert stderr.replace("what a tool prints\n", "") == ""


def test_an_output_that_cannot_be_written_is_an_error() -> None:
    """docs/cli.md: on a full disk nothing looks like success."""
    with Path("/dev/full").open("w") as full:
        process = subprocess.run(
            command("run", *CALC, "hi"), cwd=PROGRAMS, env=environment(), stdout=full, stderr=subprocess.PIPE,
            text=True, timeout=LONGEST_S, check=False,
        )  # fmt: skip
    assert process.returncode == 1
    assert process.stderr.startswith("error: the output cannot be written: ")


@pytest.mark.parametrize("words", [("run", *CALC, "hi"), ("run", *CALC, "--json", "hi"), ("doctor",), ("--version",)])
def test_an_output_that_is_closed_is_an_error(words: tuple[str, ...]) -> None:
    """docs/cli.md: nothing is run whose answer would be lost."""
    process = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *command(*words)], cwd=PROGRAMS, env=environment(),
        stderr=subprocess.PIPE, text=True, timeout=LONGEST_S, check=False,
    )  # fmt: skip
    said = "error: the output cannot be written: standard output is closed\n"
    assert (process.returncode, process.stderr) == (1, said)


@pytest.mark.requirement("CLI-03", "CLI-10", "CLI-12")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "treadle: what should it do? run, chat, serve, demo or doctor; see 'treadle --help'"),
        (("run", *CALC, " "), "treadle: the question is empty"),
        (("run", *CALC, "-"), "treadle: the question is empty"),
        (("run", *CALC, "--json", "--events", "hi"), "treadle: --json and --events cannot be given together"),
        (("chat", *CALC, "--json", "--events"), "treadle: --json and --events cannot be given together"),
        (("demo", "--json", "--events"), "treadle: --json and --events cannot be given together"),
        (("run", *CALC, "--timeout", "0", "hi"), "treadle: --timeout must be a number of seconds above 0, not 0.0"),
        (("run", *CALC, "--timeout", "nan", "hi"), "treadle: --timeout must be a number of seconds above 0, not nan"),
        (
            ("run", "--agent", "agents", "hi"),
            "treadle: --agent must be MODULE:NAME, as in 'my_agents:calc', not 'agents'",
        ),
        (
            ("run", "--agent", "agents:broken", "hi"),
            "treadle: calling 'agents:broken' failed: LookupError: the user's own words; --debug shows the traceback",
        ),
        (
            ("run", "--base-url", "http://localhost", "hi"),
            "treadle: --base-url needs --model openai-chat:NAME: it says where that model is served",
        ),
        (
            ("run", "--model", "openai-chat:x", "--base-url", "", "hi"),
            "treadle: --base-url must be http://HOST or https://HOST with a path, not ''",
        ),
        (("run", "--model", "", "hi"), "treadle: --model must name a model, such as openai-chat:NAME, not be empty"),
    ],
)
def test_a_misuse_is_one_line_and_exits_2(words: tuple[str, ...], said: str) -> None:
    """docs/cli.md: one line on stderr, nothing on stdout."""
    ran = treadle(*words, cwd=PROGRAMS)
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", f"{said}\n")


@pytest.mark.requirement("CLI-10")
@pytest.mark.parametrize(
    ("words", "named", "page"),
    [
        (("dance",), "dance", "treadle"),
        (("run",), "QUESTION", "treadle run"),
        (("run", "--dance", "hi"), "--dance", "treadle run"),
        (("run", "hi", "there"), "there", "treadle run"),
        (("run", "--timeout", "soon", "hi"), "--timeout", "treadle run"),
        (("chat", "hi"), "hi", "treadle chat"),
        (("doctor", "--json"), "--json", "treadle doctor"),
    ],
)
def test_words_the_command_does_not_know_are_named_in_one_line(words: tuple[str, ...], named: str, page: str) -> None:
    """docs/cli.md: exit 2, with the way to the help."""
    ran = treadle(*words, cwd=PROGRAMS)
    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)
    assert ran.stderr.startswith("treadle: ")
    assert named in ran.stderr
    assert ran.stderr.endswith(f"; see '{page} --help'\n")


@pytest.mark.requirement("CLI-10")
@pytest.mark.parametrize("model", ["nonsense", "nonsense:x", "openai-chat:", "scripted:", "scripted:no-such-file"])
def test_a_model_that_cannot_be_named_is_a_misuse(model: str) -> None:
    """docs/cli.md: one line says what is wrong with it."""
    ran = treadle("run", "--model", model, "hi", cwd=PROGRAMS)
    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (2, "", 1)
    assert ran.stderr.startswith("treadle: ")


def test_the_question_can_come_from_the_input() -> None:
    """docs/cli.md: `-` reads it."""
    ran = treadle("run", *CALC, "--events", "-", cwd=PROGRAMS, given="wo ist é?\n")
    assert events(ran.stdout.splitlines())[0]["prompt"] == "wo ist é?"


@pytest.mark.requirement("CLI-18")
def test_a_run_that_takes_longer_than_it_may_ends_in_error() -> None:
    """docs/cli.md: the code is that of the wall clock, what was shown is kept."""
    ran = treadle("run", *CALC, "--json", "--timeout", "0.3", "hang", cwd=PROGRAMS)
    last = events(ran.stdout.splitlines())[-1]
    assert (ran.returncode, last["outcome"], last["error_code"]) == (1, "error", "limit_wall_clock")
    assert last["text"] == "It is 3."
    assert ran.stderr.startswith("error: limit_wall_clock: the run took longer than its limit of time")


def test_the_version_is_printed() -> None:
    """docs/cli.md."""
    ran = treadle("--version", cwd=PROGRAMS)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"treadle {__version__}\n", "")


@pytest.mark.parametrize("words", [(), ("run",), ("chat",), ("demo",), ("doctor",)])
def test_help_is_there_for_every_command(words: tuple[str, ...]) -> None:
    """Ours: the exit codes stand where a script's author looks."""
    ran = treadle(*words, "--help", cwd=PROGRAMS)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Usage:" in ran.stdout


@pytest.mark.requirement("CLI-15")
def test_a_chat_tells_the_model_what_was_said_before() -> None:
    """docs/cli.md: each line is a question of one thread; /quit ends it."""
    ran = treadle("chat", *CALC, "--json", cwd=PROGRAMS, given="hi\n\nhistory\n /quit \nnever asked\n")
    ends = [event["text"] for event in events(ran.stdout.splitlines()) if event["type"] == "response_complete"]
    assert (ran.returncode, ends) == (0, ["It is 3.", "['hi', 'It is 3.']It is 3."])


@pytest.mark.requirement("CLI-15")
def test_in_a_chat_ctrl_c_cancels_the_answer_and_then_ends_the_chat() -> None:
    """docs/cli.md: what was shown of a cancelled answer is remembered."""
    with on_terminal("chat", *CALC, cwd=PROGRAMS) as terminal:
        terminal.until("> ")
        terminal.type("hang\n")
        terminal.until("It is 3.")
        terminal.type("\x03")
        terminal.until("cancelled: kept 8 characters, 0 tool results")
        terminal.until("> ")
        terminal.type("history\n")
        terminal.until("['hang', 'It is 3.']")
        terminal.until("> ")
        assert terminal.end_by(lambda: terminal.type("\x03")) == 130


@pytest.mark.requirement("CLI-07")
def test_at_the_prompt_of_a_chat_sigterm_ends_it_as_ctrl_c_does() -> None:
    """docs/cli.md: both ask for the end, wherever they come."""
    with on_terminal("chat", *CALC, cwd=PROGRAMS) as terminal:
        terminal.until("> ")
        assert terminal.end_by(lambda: terminal.signal(signal.SIGTERM)) == 130


@pytest.mark.requirement("CLI-15")
def test_the_end_of_input_ends_a_chat_well() -> None:
    """docs/cli.md: Ctrl-D at the prompt."""
    with on_terminal("chat", *CALC, cwd=PROGRAMS) as terminal:
        terminal.until("> ")
        terminal.type("\x04")
        assert terminal.end() == 0


def test_every_way_to_look_at_a_run_tells_the_same_text() -> None:
    """Design, promise 1: shown is stored, however it is looked at."""
    forms: list[tuple[str, ...]] = [(), ("--json",), ("--events",)]
    shown = [treadle("run", *CALC, *form, "hi", cwd=PROGRAMS).stdout for form in forms]
    stream = "".join(e["text"] for e in events(shown[1].splitlines()) if e["type"] == "text_delta")
    kernel = "".join(e["text"] for e in events(shown[2].splitlines()) if e["kind"] == "text_delta")
    assert shown[0].splitlines()[0] == stream == kernel
    assert all(a != b for a, b in itertools.combinations(shown, 2))


@pytest.mark.requirement("CLI-17")
def test_the_doctor_names_the_fix_of_what_is_missing_and_shows_no_key() -> None:
    """docs/cli.md: 0 if the essentials are fine, and never the value of a key."""
    ran = treadle("doctor", cwd=PROGRAMS, env={"OPENAI_API_KEY": "sk-secret"})
    lines = ran.stdout.splitlines()
    assert ran.stderr == ""
    assert "sk-secret" not in ran.stdout
    assert any(line.startswith("ok   ") and "OPENAI_API_KEY is set" in line for line in lines)
    missing = [number for number, line in enumerate(lines) if line.startswith(("no   ", "FAIL "))]
    assert all("fix: " in lines[number + 1] for number in missing)
    assert ran.returncode == (1 if any(line.startswith("FAIL ") for line in lines) else 0)


@pytest.mark.requirement("CLI-16")
@pytest.mark.real_model
def test_the_demo_streams_a_real_answer_with_a_real_tool() -> None:
    """docs/cli.md: what it says it shows."""
    ran = treadle("demo", "--json", cwd=PROGRAMS)
    said = events(ran.stdout.splitlines())
    assert (ran.returncode, len(ran.stderr.splitlines())) == (0, 1)
    assert any(event["type"] == "tool_result" and event["status"] == "ok" for event in said)
    assert sum(event["type"] == "text_delta" for event in said) >= 4
    assert said[-1]["type"] == "response_complete"
    assert said[-1]["usage"]["input_tokens"] > 0
