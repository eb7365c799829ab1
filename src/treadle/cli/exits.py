"""How the command ends, as a number a script can rely on.

Source: docs/cli.md.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Closed: a shell script may take these five apart."""

    DONE = 0
    ERROR = 1
    MISUSE = 2
    PAUSED = 3
    CANCELLED = 130
    """As a shell has it for a command that an interrupt ended."""


EXIT_OF_OUTCOME = {
    "done": ExitCode.DONE,
    "error": ExitCode.ERROR,
    "paused": ExitCode.PAUSED,
    "cancelled": ExitCode.CANCELLED,
}
"""What a run's outcome means as an exit code."""


class CommandMisuseError(Exception):
    """The command was given what it cannot use. The message is one line; a cause, if any, is for `--debug`."""
