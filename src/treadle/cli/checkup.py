"""The checks of this machine, a line each: what is fine, what is not, and what to do about that."""

from __future__ import annotations

from collections.abc import Sequence

from treadle.app.doctor import Check
from treadle.cli.exits import ExitCode
from treadle.cli.foreign_text import line
from treadle.cli.ink import BAD, DIM, GOOD, ODD, Ink


def report(checks: Sequence[Check], *, terminal: bool) -> str:
    """All checks as text. A part that is missing is not called a failure: much works without it."""
    ink = Ink(terminal=terminal)
    width = max((len(check.name) for check in checks), default=0)
    for check in checks:
        word, style = ("ok", GOOD) if check.ok else ("FAIL", BAD) if check.essential else ("no", ODD)
        ink.put(f"{word:<5}", style)
        ink.put(f"{check.name:<{width}}  {line(check.says)}\n")
        if check.fix is not None:
            ink.put(f"{'':<5}{'':<{width}}  fix: {line(check.fix)}\n", DIM)
    return ink.taken()


def verdict(checks: Sequence[Check]) -> ExitCode:
    """Done if all that is essential is fine, else error."""
    return ExitCode.DONE if all(check.ok for check in checks if check.essential) else ExitCode.ERROR
