"""How far the readers of runs have come, and so which end a client may have missed.

A client that loses its connection in the last moment finds nothing live when it comes back, and would take what it has
for the whole. So a run that has ended is told once more where its last reader was cut off before the end, or where it
ended a moment ago and nobody has read it here; a chat whose answer was read is idle.

In: readers as they go. Out: whether an end is owed. Memory is bounded; what is forgotten is not owed.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from treadle.values.ids import RunId
from treadle.values.runs import RunState

MOST_RUNS: Final = 10_000
"""Runs of which it is remembered how far they were read."""
MISSED_S: Final = 60.0
"""For how long an end that nobody has read here may have been missed."""


class Ends:
    """The ends of runs, and how far readers here have come."""

    def __init__(self) -> None:
        self._read_to: OrderedDict[RunId, int] = OrderedDict()

    def note(self, run_id: RunId, index: int) -> None:
        """A reader of a run is gone, and this is the last event that it was sent."""
        self._read_to[run_id] = index
        self._read_to.move_to_end(run_id)
        if len(self._read_to) > MOST_RUNS:
            self._read_to.popitem(last=False)

    def owes(self, run: RunState, *, ended_s: float) -> bool:
        """Whether a client may have missed the end of a final run.

        Args:
            ended_s: How many seconds ago it ended.
        """
        read_to = self._read_to.get(run.run_id)
        return ended_s < MISSED_S if read_to is None else read_to < run.next_index - 1
