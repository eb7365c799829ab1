"""An output that a test looks at."""

from __future__ import annotations

from collections.abc import Callable

from treadle.cli.output import Output


class Screen(Output):
    """Keeps what it is sent, and does something at the first piece that holds a word."""

    def __init__(self, *, word: str = "", act: Callable[[], None] | None = None) -> None:
        super().__init__(1)
        self.shown: list[str] = []
        self._word = word
        self._act = act

    async def send(self, text: str) -> None:
        """Keep the piece."""
        self.shown.append(text)
        if self._act is not None and self._word in text:
            self._act()
            self._act = None
