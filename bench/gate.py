"""What `make bench` runs: Treadle against its floors, in one process, in turn.

Ratios and counts are bounded, since they do not depend on how busy the machine is; microseconds stand beside them.

Usage: python bench/gate.py [--json] [--only WORDS] [--laps N]
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import platform
import sys
import time
from collections.abc import Iterator

from races import RunRaces, filter_races, import_race, provider_races
from verdicts import Race, Row, as_json, as_table, broken, decided

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
    yield from filter_races()
    yield from provider_races(runner)


def main() -> int:
    """Measure, print, and give the exit code: 1 where a bound is broken."""
    parser = argparse.ArgumentParser(description="Treadle against its floors")
    parser.add_argument("--json", action="store_true", help="print rows for programs")
    parser.add_argument("--only", default="", help="rows whose name holds these words")
    parser.add_argument("--laps", type=int, default=LAPS, help="laps a set")
    told = parser.parse_args()
    logging.disable(logging.WARNING)
    begun = time.monotonic()
    found = []
    for row in rows(told.only, told.laps):
        found.append(row)
        if sys.stderr.isatty():
            print(f"{row.name}: {row.value:.2f} {row.verdict}", file=sys.stderr)
    if told.json:
        print(as_json(found))
    else:
        print(as_table(found))
        where = f"{platform.python_implementation()} {platform.python_version()}, load {os.getloadavg()[0]:.1f}"
        print(f"\n{len(found)} rows, {len(broken(found))} broken, {time.monotonic() - begun:.0f} s on {where}")
    return 1 if broken(found) else 0


if __name__ == "__main__":
    sys.exit(main())
