"""What a person types, a line at a time, wherever it comes from: a terminal, a pipe, a file."""

from __future__ import annotations

import contextlib
import sys

with contextlib.suppress(ImportError):
    import readline  # noqa: F401 (being there, it gives `input` its editing and its history)

PROMPT = "> "


def next_line(prompt: str = PROMPT) -> str | None:
    """The next line without its end; None where there are no more. A terminal is given the prompt.

    Raises:
        KeyboardInterrupt: Ctrl-C at the prompt.
    """
    if sys.stdin is None:
        return None
    if sys.stdin.isatty() and sys.stdout.isatty():
        return _typed(prompt)
    if sys.stdin.isatty():
        print(prompt, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    return line.rstrip("\r\n") if line else None


def whole_input() -> str:
    """All there is to read, without the line break at its end."""
    return "" if sys.stdin is None else sys.stdin.read().removesuffix("\n").removesuffix("\r")


def read_anything() -> None:
    """From here on input is read as UTF-8, and a byte that is none becomes U+FFFD instead of an error."""
    reconfigure = getattr(sys.stdin, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8" if not sys.stdin.isatty() else None, errors="replace")


def _typed(prompt: str) -> str | None:
    try:
        return input(prompt)
    except EOFError:
        print()
        return None
