"""What a run has shown, folded from its events: what is told of a run whose source breaks off.

In: kernel events in order. Out: the un-retracted text and the answer, as an outcome would have them.
"""

from __future__ import annotations

from treadle.values import events as ev
from treadle.values.events import KernelEvent
from treadle.values.ids import NO_RUN, RunId


class ShownSoFar:
    """The shown text of a run, from the first event that was seen of it."""

    __slots__ = ("_begins", "_texts", "run_id")

    def __init__(self) -> None:
        self.run_id: RunId = NO_RUN
        self._texts: list[str] = []
        self._begins: dict[int, int] = {}
        """How many pieces had been shown when each round began."""

    def add(self, event: KernelEvent) -> None:
        """Take in one event."""
        self.run_id = event.run_id
        match event:
            case ev.TextDelta(text=text):
                self._texts.append(text)
            case ev.RoundStarted(round=number):
                self._begins.setdefault(number, len(self._texts))
            case ev.Retracted(round=number):
                del self._texts[self._begins.get(number, len(self._texts)) :]
            case _:
                pass

    @property
    def text(self) -> str:
        """All shown text, nothing added."""
        return "".join(self._texts)

    @property
    def answer(self) -> str:
        """The shown text of the last round."""
        return "".join(self._texts[self._begins[max(self._begins)] if self._begins else 0 :])
