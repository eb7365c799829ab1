"""Where a server is to be killed, and where it was.

In: how long a run is, and a source of chance. Out: aims that lie all over the run, from before its first event to its
last, and the points that were hit. Two kills are different points where the reader stood at another event, or the run
in another phase: a few milliseconds alone do not make a point.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Final

from treadle.cli.demos.loom import FIRST_S, PIECE_S, TOOL_S

START_UNITS: Final = 150
"""The weight of the time before the first event, beside a run's own units."""
START_S: Final = 0.04
"""How much of that time is aimed at."""
TWICE: Final = 5
"""One run in so many loses the server that took it over as well."""

_PAUSES_S: Final = {"tool running": TOOL_S, "between rounds": FIRST_S, "starting": START_S}
"""How long a run stays in a phase without an event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """When to kill: once the run has come so far, and then after this share of the pause that follows.

    Units: `units` as a `Folding` counts them; below 0 is before the first event, when the request has been sent.
    """

    units: float
    share: float

    def wait_s(self, phase: str) -> float:
        """Seconds to wait in this phase."""
        return self.share * _PAUSES_S.get(phase, PIECE_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class KillPoint:
    """Where a kill hit: what the reader had by then.

    Shape: `index` is that of its last event, -1 before the first. `waited_ms` passed after the event that was aimed at.
    """

    round: int
    phase: str
    index: int
    waited_ms: float

    @property
    def place(self) -> tuple[int, str, int]:
        """What makes it another point than others."""
        return self.round, self.phase, self.index

    @property
    def words(self) -> str:
        """It, for people."""
        place = f"after index {self.index}" if self.index >= 0 else "before the first event"
        return f"{self.phase}, round {self.round}, {place} (+{self.waited_ms:.1f} ms)"


def aims(rounds: int, *, run_units: int, chance: Random) -> list[tuple[Aim, ...]]:
    """What is aimed at in each of so many runs, in an order of chance.

    Shape: a run is cut into as many stretches as there are rounds and each is aimed at once, so that few rounds too
        lie all over it.
    """
    whole = run_units + START_UNITS
    firsts = [(at + chance.random()) * whole / rounds - START_UNITS for at in range(rounds)]
    chance.shuffle(firsts)
    planned = []
    for at, first in enumerate(firsts, start=1):
        units = [first] if at % TWICE else [first, chance.uniform(first, run_units)]
        planned.append(tuple(Aim(units=unit, share=chance.random()) for unit in units))
    return planned


def different(points: Iterable[KillPoint]) -> int:
    """How many of these points are different."""
    return len({point.place for point in points})
