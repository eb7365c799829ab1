"""How a command's work came out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import pytest

from treadle.cli.answering import Answered
from treadle.cli.conclusion import concluded, ending_line
from treadle.cli.exits import CommandMisuseError, ExitCode
from treadle.cli.output import OutputError, ReaderGoneError
from treadle.errors import (
    CursorError,
    ModelRefusedError,
    ModelTimeoutError,
    PlanError,
    RunNotFoundError,
    SchemaTooNewError,
    StoreOwnedError,
)
from treadle.runtime.result import RunError, RunOutcome, RunResult
from treadle.values.calls import CallId
from treadle.values.ids import NO_THREAD, InterruptId, RunId
from treadle.values.pauses import PauseKind, PendingInterrupt
from treadle.values.usage import NO_USAGE


@pytest.fixture
def own_logs() -> Iterator[None]:
    """The command decides about the logs of its process; the process of the tests gets its own back."""
    log = logging.getLogger("treadle")
    before = (log.propagate, list(log.handlers))
    yield
    log.propagate, log.handlers = before


def answered(
    outcome: RunOutcome, *, error: RunError | None = None, failure: BaseException | None = None, waits: int = 0
) -> Answered:
    """A run that came out like this, with five characters and one result."""
    pending = PendingInterrupt(interrupt_id=InterruptId("r1.i1"), kind=PauseKind.APPROVAL, call_id=CallId("r1.c1"))
    result = RunResult(
        outcome=outcome, text="12345", answer="12345", output=None, usage=NO_USAGE, run_id=RunId("r1"),
        thread_id=NO_THREAD, error=error, pending=(pending,) * waits,
    )  # fmt: skip
    return Answered(result=result, failure=failure, tool_results=1, terminated=False)


def raising(error: BaseException) -> Callable[[], int]:
    """Work that ends with this exception."""

    def work() -> int:
        raise error

    return work


@pytest.mark.usefixtures("own_logs")
@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (CommandMisuseError("no such agent"), ExitCode.MISUSE, "treadle: no such agent\n"),
        (PlanError(("this", "that")), ExitCode.MISUSE, "treadle: this; that\n"),
        (StoreOwnedError("store 'a' is owned"), ExitCode.MISUSE, "treadle: store 'a' is owned\n"),
        (SchemaTooNewError("store 'a' is newer"), ExitCode.MISUSE, "treadle: store 'a' is newer\n"),
        (RunNotFoundError("there is no run 'r'"), ExitCode.ERROR, "error: run_not_found: there is no run 'r'\n"),
        (CursorError("no such place"), ExitCode.ERROR, "error: bad_cursor: no such place\n"),
        (
            CursorError("no such place", reset_to="1:2"),
            ExitCode.ERROR,
            "error: bad_cursor: no such place; what was seen still stands up to cursor 1:2\n",
        ),
        (OutputError("disk full"), ExitCode.ERROR, "error: the output cannot be written: disk full\n"),
        (ReaderGoneError(), ExitCode.CANCELLED, ""),
        (KeyboardInterrupt(), ExitCode.CANCELLED, "cancelled\n"),
    ],
)
def test_an_exception_with_a_meaning_is_one_line_and_a_code(
    error: BaseException, code: ExitCode, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ours: the table of docs/cli.md."""
    assert concluded(raising(error), debug=False) == code
    assert capsys.readouterr() == ("", said)


@pytest.mark.usefixtures("own_logs")
def test_the_exit_code_of_work_that_ends_is_its_own() -> None:
    """Ours: nothing is added to a run that speaks for itself."""
    assert concluded(lambda: ExitCode.PAUSED, debug=False) == 3


@pytest.mark.usefixtures("own_logs")
def test_a_fault_of_ours_is_not_hidden() -> None:
    """Ours: a bug is found by its traceback."""
    with pytest.raises(ZeroDivisionError):
        concluded(raising(ZeroDivisionError()), debug=False)


@pytest.mark.usefixtures("own_logs")
def test_the_traceback_of_a_users_module_is_there_for_the_asking(capsys: pytest.CaptureFixture[str]) -> None:
    """Ours: one line says what is wrong, `--debug` says where."""
    misuse = CommandMisuseError("importing 'mine' failed: KeyError: 'x'")
    misuse.__cause__ = KeyError("x")
    concluded(raising(misuse), debug=False)
    assert capsys.readouterr().err == f"treadle: {misuse}; --debug shows the traceback\n"
    concluded(raising(misuse), debug=True)
    assert capsys.readouterr().err == f"KeyError: 'x'\ntreadle: {misuse}\n"


@pytest.mark.usefixtures("own_logs")
def test_the_traceback_of_a_store_that_fails_is_there_for_the_asking(capsys: pytest.CaptureFixture[str]) -> None:
    """Ours: `--debug` says where."""
    assert concluded(raising(RunNotFoundError("there is no run 'r'")), debug=True) is ExitCode.ERROR
    first, *_, last = capsys.readouterr().err.splitlines()
    assert (first, last) == ("Traceback (most recent call last):", "error: run_not_found: there is no run 'r'")


@pytest.mark.usefixtures("own_logs")
def test_what_the_runtime_logs_does_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Ours: logs hold the text of foreign errors, and stderr is one line."""

    def work() -> int:
        logging.getLogger("treadle.run").error("secret", exc_info=ValueError("secret"))
        return 1

    assert concluded(work, debug=False) == 1
    assert capsys.readouterr().err == ""


def test_a_run_that_is_done_needs_no_words() -> None:
    """Ours: stderr is for what went otherwise."""
    assert ending_line(answered(RunOutcome.DONE)) == ""


def test_a_cancelled_run_says_what_was_kept() -> None:
    """docs/cli.md: Ctrl-C says what was kept."""
    assert ending_line(answered(RunOutcome.CANCELLED)) == "cancelled: kept 5 characters, 1 tool result"


def test_a_paused_run_says_how_many_answers_it_waits_for() -> None:
    """Ours: what it asks stands above, on stdout."""
    assert ending_line(answered(RunOutcome.PAUSED, waits=1)) == "paused: the run waits for 1 answer"
    assert ending_line(answered(RunOutcome.PAUSED, waits=2)) == "paused: the run waits for 2 answers"


def test_a_failed_run_says_its_code_and_our_own_words_and_no_others() -> None:
    """Design §9: stable code, safe sentence, reference; a foreign text only in the operator's logs."""
    error = RunError(code="model_refused", error_class="model", retryable=False, reference="r1.e1.1")
    ours = answered(RunOutcome.ERROR, error=error, failure=ModelRefusedError("no key: set SOME_API_KEY"))
    foreign = answered(RunOutcome.ERROR, error=error, failure=ValueError("sk-secret"))
    line = "error: model_refused: the model provider refused the request (reference r1.e1.1)"
    assert ending_line(ours) == f"{line}; no key: set SOME_API_KEY"
    assert ending_line(foreign) == line


def test_a_server_that_cannot_be_reached_is_named_without_its_password() -> None:
    """Ours: a wrong base URL is the first thing to look at."""
    error = RunError(code="model_timeout", error_class="model", retryable=True, reference=None)
    failed = answered(RunOutcome.ERROR, error=error, failure=ModelTimeoutError("not reached"))
    line = ending_line(failed, base_url="http://me:secret@localhost:8000/v1?key=secret")
    assert line.endswith("; not reached; is a server running at http://localhost:8000/v1?")
