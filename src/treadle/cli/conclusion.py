"""How a command's work came out, as one line on stderr where there is something to say, and an exit code.

In: a result, or one of the exceptions that have a meaning here. Every other exception is a fault of ours and goes
through with its traceback.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable

from treadle.cli.answering import Answered
from treadle.cli.diagnostics import complain
from treadle.cli.exits import EXIT_OF_OUTCOME, CommandMisuseError, ExitCode
from treadle.cli.failures import failure_line
from treadle.cli.output import OutputError, ReaderGoneError
from treadle.errors import (
    AlreadyAnsweredError,
    CursorError,
    ModelError,
    ModelTimeoutError,
    PlanError,
    ResumeError,
    RunLogError,
    SchemaTooNewError,
    StoreOwnedError,
)
from treadle.runtime.result import RunOutcome


def concluded(work: Callable[[], int], *, debug: bool) -> int:
    """Do the work; its exit code, or that of the exception that ended it."""
    _tell_logs(debug=debug)
    try:
        return work()
    except CommandMisuseError as misuse:
        if debug and misuse.__cause__ is not None:
            traceback.print_exception(misuse.__cause__)
        more = "" if debug or misuse.__cause__ is None else "; --debug shows the traceback"
        complain(f"treadle: {misuse}{more}")
        return ExitCode.MISUSE
    except PlanError as plan:
        if debug:
            traceback.print_exception(plan)
        complain(f"treadle: {'; '.join(plan.problems)}")
        return ExitCode.MISUSE
    except (RunLogError, ResumeError) as failure:
        if debug:
            traceback.print_exception(failure)
        return _refused(failure)
    except OutputError as error:
        complain(f"error: the output cannot be written: {error}")
        return ExitCode.ERROR
    except ReaderGoneError:
        # Who left knows that; the run was cancelled with it.
        return ExitCode.CANCELLED
    except KeyboardInterrupt:
        complain("cancelled")
        return ExitCode.CANCELLED


def told(answered: Answered, *, base_url: str | None = None) -> ExitCode:
    """Say how a run ended if it did not end well; `base_url` is where its model is served. Returns its exit code."""
    line = ending_line(answered, base_url=base_url)
    if line:
        complain(line)
    return EXIT_OF_OUTCOME[answered.result.outcome]


def ending_line(answered: Answered, *, base_url: str | None = None) -> str:
    """What there is to say of a run's end; "" for one that is done."""
    result = answered.result
    match result.outcome:
        case RunOutcome.DONE:
            return ""
        case RunOutcome.ERROR:
            code = result.error.code if result.error else "internal"
            reference = result.error.reference if result.error else None
            return failure_line(code, reference=reference, hint=_hint(answered.failure, base_url))
        case RunOutcome.CANCELLED:
            kept = f"{_counted(len(result.text), 'character')}, {_counted(answered.tool_results, 'tool result')}"
            return f"cancelled: kept {kept}"
        case RunOutcome.PAUSED:
            return f"paused: the run waits for {_counted(len(result.pending), 'answer')}"


def _refused(failure: RunLogError | ResumeError) -> ExitCode:
    """A store that cannot be used here is a misuse; one that does not do what was asked is an error."""
    if isinstance(failure, StoreOwnedError | SchemaTooNewError):
        complain(f"treadle: {failure}")
        return ExitCode.MISUSE
    go_on = ""
    if isinstance(failure, CursorError) and failure.reset_to is not None:
        go_on = f"; what was seen still stands up to cursor {failure.reset_to}"
    if isinstance(failure, AlreadyAnsweredError) and failure.taken:
        go_on = f"; taken before that: {', '.join(failure.taken)}"
    complain(f"error: {failure.code}: {failure}{go_on}")
    return ExitCode.ERROR


def _hint(failure: BaseException | None, base_url: str | None) -> str:
    # The message of a model's error is ours and safe to show; that of any other exception may be anybody's.
    if not isinstance(failure, ModelError):
        return ""
    if isinstance(failure, ModelTimeoutError) and base_url:
        return f"{failure}; is a server running at {_without_password(base_url)}?"
    return str(failure)


def _without_password(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path.partition('?')[0]}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _tell_logs(*, debug: bool) -> None:
    if debug:
        logging.basicConfig(level=logging.INFO)
        return
    # Without this, Python prints what nobody handles to stderr: tracebacks with the text of foreign errors.
    log = logging.getLogger("treadle")
    log.addHandler(logging.NullHandler())
    log.propagate = False
    logging.getLogger("asyncio").addHandler(logging.NullHandler())
