"""What `make bench` runs: Treadle against its floors, in one process, in turn.

Ratios and counts are bounded, since they do not depend on how busy the machine is; microseconds stand beside them.

Usage: python bench/gate.py [--json] [--only WORDS] [--laps N]
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from collections.abc import Iterator

from frame_races import frame_races
from races import RunRaces, filter_races, import_race, provider_races
from telling import told
from verdicts import Race, Row, decided

LAPS = 11
IMPORT_LAPS = 9


def rows(only: str, laps: int) -> Iterator[Row]:
    """Measure, one row after the other."""
    with asyncio.Runner() as runner:
        runs = RunRaces(runner)
        if only in "L1 counts":
            yield from runs.counts()
        for race in _races(runner, runs):
            if only in race.name:
                yield decided(race, laps)
    race = import_race()
    if only in race.name:
        yield decided(race, IMPORT_LAPS)


def _races(runner: asyncio.Runner, runs: RunRaces) -> Iterator[Race]:
    yield from runs.races()
    yield from frame_races()
    yield from filter_races()
    yield from provider_races(runner)


def main() -> int:
    """Measure, print, and give the exit code: 1 where a bound is broken."""
    parser = argparse.ArgumentParser(description="Treadle against its floors")
    parser.add_argument("--json", action="store_true", help="print rows for programs")
    parser.add_argument("--only", default="", help="rows whose name holds these words")
    parser.add_argument("--laps", type=int, default=LAPS, help="laps a set")
    asked = parser.parse_args()
    logging.disable(logging.WARNING)
    return told(rows(asked.only, asked.laps), json=asked.json)


if __name__ == "__main__":
    sys.exit(main())
