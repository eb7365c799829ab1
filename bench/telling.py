"""Rows of a gate as they are measured, then all of them, for a person or a program; and the gate's exit code."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Iterable

from verdicts import Row, as_json, as_table, broken


def told(rows: Iterable[Row], *, json: bool) -> int:
    """Measure, print, and give the exit code: 1 where a bound is broken."""
    begun = time.monotonic()
    found = []
    for row in rows:
        found.append(row)
        if sys.stderr.isatty():
            print(f"{row.name}: {row.value:.2f} {row.verdict}", file=sys.stderr)
    if json:
        print(as_json(found))
    else:
        print(as_table(found))
        where = f"{platform.python_implementation()} {platform.python_version()}, load {os.getloadavg()[0]:.1f}"
        print(f"\n{len(found)} rows, {len(broken(found))} broken, {time.monotonic() - begun:.0f} s on {where}")
    return 1 if broken(found) else 0
