"""What the command says beside its output: one line on stderr, for people."""

from __future__ import annotations

import contextlib
import sys

from treadle.cli.foreign_text import block, line

LONGEST_CHARS = 4000


def complain(text: str) -> None:
    """Write `text` as one line to stderr. A stderr that is closed or broken is no reason to fail."""
    if sys.stderr is None:
        # Without this, print would fall back to stdout, which may belong to a script.
        return
    with contextlib.suppress(OSError, ValueError):
        print(line(text, longest_chars=LONGEST_CHARS), file=sys.stderr, flush=True)


def tell(text: str) -> None:
    """Write `text`, its line breaks kept and nothing of it cut off, to stderr, as `complain` does."""
    if sys.stderr is None:
        return
    with contextlib.suppress(OSError, ValueError):
        print(block(text), file=sys.stderr, flush=True)
