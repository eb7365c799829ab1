"""The console script: looks whether the command can run here, and hands over to it.

Knows only the standard library, in words that an older Python can read, so that whoever lacks an extra or has too old
a Python is told what to do, and is never shown a traceback of ours.
"""

from __future__ import annotations

import importlib
import importlib.util
import shlex
import signal
import sys

OLDEST_PYTHON = (3, 11)
NEEDED = ("typer", "rich")
"""What the extra `cli` brings."""
MISUSE = 2
CANCELLED = 130


def main() -> int:
    """Run the command on `sys.argv`. Returns the exit code; a machine it cannot run on is misuse."""
    problem = old_python(sys.version_info[:2]) or missing_extra(NEEDED)
    if problem:
        print(problem, file=sys.stderr)
        return MISUSE
    # Outside a run both ask for the same; within one, both cancel it.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return int(importlib.import_module("treadle.cli.commands").main(sys.argv[1:]))
    except KeyboardInterrupt:
        return CANCELLED


def old_python(version: tuple[int, int]) -> str:
    """What to say to a Python of this version; "" if it will do."""
    if version >= OLDEST_PYTHON:
        return ""
    return f"treadle: needs Python {_dotted(OLDEST_PYTHON)} or newer, and {sys.executable} is {_dotted(version)}"


def _dotted(version: tuple[int, int]) -> str:
    return ".".join(str(part) for part in version)


def missing_extra(names: tuple[str, ...]) -> str:
    """What to say where modules of these names are missing; "" if all are there."""
    missing = [name for name in names if not _is_there(name)]
    if not missing:
        return ""
    install = f"{shlex.quote(sys.executable)} -m pip install 'treadle[cli]'"
    return f"treadle: the command line needs {' and '.join(missing)}; install: {install}"


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False
