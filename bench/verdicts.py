"""Laps and counts to verdicts: the arithmetic of the gate.

In: seconds of laps that were run in turn, and counts. Out: rows, each with what was measured, its bound and whether it
holds. Knows no clock and nothing of what is measured.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

MORE_SETS: Final = 3
"""How many further sets of laps a ratio over its bound is given: the machine is shared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lap:
    """Two things run one after the other.

    Units: seconds a piece of work, whatever the piece is: a delta, a round, a chunk.
    """

    floor_s: float
    ours_s: float

    @property
    def ratio(self) -> float:
        """How many times the floor ours took."""
        return self.ours_s / self.floor_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table.

    Shape: `most` is None for a row that is only told. `grain` is the width of the last digit that counts: a count
    of 0 with a grain of 0.05 may be anything below 0.05, since fixed costs of a run are spread over its deltas.
    """

    name: str
    value: float
    most: float | None
    grain: float = 0.0
    beside: str = ""
    laps: int = 0

    @property
    def holds(self) -> bool | None:
        """Whether the bound is kept; None where there is none."""
        if self.most is None:
            return None
        return self.value < self.most + self.grain if self.grain else self.value <= self.most

    @property
    def verdict(self) -> str:
        """The verdict as the table says it."""
        return {None: "told", True: "holds", False: "BROKEN"}[self.holds]


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """Two things to be run in turn.

    Shape: `floor` and `ours` run once and give their seconds; `unit` is what one of the `floor_units` and
    `our_units` pieces of work is called. `most` None tells the ratio and bounds nothing.
    """

    name: str
    most: float | None
    floor: Callable[[], float] = field(repr=False)
    ours: Callable[[], float] = field(repr=False)
    unit: str
    floor_units: int = 1
    our_units: int = 1


def median_ratio(laps: Sequence[Lap]) -> float:
    """The median of the ratios, not the ratio of the medians: what slows a whole lap down cancels."""
    return statistics.median(lap.ratio for lap in laps)


def take(race: Race, count: int) -> list[Lap]:
    """Run laps, the floor first in every other one."""
    laps = []
    for number in range(count):
        if number % 2:
            ours, floor = race.ours(), race.floor()
        else:
            floor, ours = race.floor(), race.ours()
        laps.append(Lap(floor_s=floor / race.floor_units, ours_s=ours / race.our_units))
    return laps


def decided(race: Race, laps_a_set: int) -> Row:
    """Run a race. Over its bound, it gets more laps, and all its laps count: more evidence, never the best of many."""
    laps = take(race, laps_a_set if race.most is not None else max(1, laps_a_set // 3))
    for _ in range(MORE_SETS):
        if race.most is None or median_ratio(laps) <= race.most:
            break
        laps += take(race, laps_a_set)
    floor, ours = (statistics.median(getattr(lap, side) for lap in laps) for side in ("floor_s", "ours_s"))
    beside = f"{microseconds(floor)} -> {microseconds(ours)} us a {race.unit}"
    return Row(name=race.name, value=median_ratio(laps), most=race.most, beside=beside, laps=len(laps))


def microseconds(seconds: float) -> str:
    """Seconds as microseconds, three digits long."""
    value = seconds * 1e6
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:,.{digits}f}"


def broken(rows: Iterable[Row]) -> list[Row]:
    """The rows whose bound is not kept."""
    return [row for row in rows if row.holds is False]


def as_table(rows: Sequence[Row]) -> str:
    """The rows for people, in Markdown."""
    lines = ["| what | measured | bound | verdict | beside, not bounded |", "|---|---:|---:|---|---|"]
    for row in rows:
        bound = "" if row.most is None else f"{'<' if row.grain else '<='} {row.most + row.grain:g}"
        lines.append(f"| {row.name} | {row.value:.2f} | {bound} | {row.verdict} | {row.beside} |")
    return "\n".join(lines)


def as_json(rows: Sequence[Row]) -> str:
    """The rows for programs."""
    told = [
        {
            "name": row.name,
            "value": row.value,
            "most": row.most,
            "grain": row.grain,
            "verdict": row.verdict.lower(),
            "laps": row.laps,
            "beside": row.beside,
        }
        for row in rows
    ]
    return json.dumps({"rows": told, "broken": len(broken(rows))}, indent=2)
