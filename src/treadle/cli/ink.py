"""Text with styles to what a terminal is sent, or to the bare text where nobody sees colours.

Text is written as it is: nothing wraps it, reads markup in it, or expands its tabs. Which colours a terminal has, and
whether its user wants any, is rich's to know.
"""

from __future__ import annotations

import io

from rich.console import Console
from rich.segment import Segment, Segments
from rich.style import Style

PLAIN = Style()
DIM = Style(dim=True)
CALL = Style(color="cyan")
GOOD = Style(color="green")
BAD = Style(color="red")
ODD = Style(color="yellow")


class Ink:
    """Puts styled text together; `taken` gives what has come together since it was last asked."""

    def __init__(self, *, terminal: bool) -> None:
        self._sink = io.StringIO()
        self._console = Console(
            file=self._sink,
            force_terminal=terminal,
            color_system="auto" if terminal else None,
            legacy_windows=False,
            highlight=False,
        )

    def put(self, text: str, style: Style = PLAIN) -> None:
        """Add this text in this style."""
        self._console.print(Segments([Segment(text, style)]), soft_wrap=True, end="")

    def taken(self) -> str:
        """All that was put since the last call."""
        text = self._sink.getvalue()
        self._sink.seek(0)
        self._sink.truncate()
        return text
