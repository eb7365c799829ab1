"""What `make bench-http` runs: Treadle's delivery over HTTP against raw ASGI, behind the same servers, in one run.

Usage: python bench/http_gate.py [--json] [--only WORDS] [--laps N] [--servers uvicorn,granian]
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time

from http_load import COMMANDS
from http_races import rows
from verdicts import as_json, as_table, broken

LAPS = 7


def main() -> int:
    """Measure, print, and give the exit code: 1 where a bound is broken."""
    parser = argparse.ArgumentParser(description="Treadle's delivery against raw ASGI")
    parser.add_argument("--json", action="store_true", help="print rows for programs")
    parser.add_argument("--only", default="", help="rows whose name holds these words")
    parser.add_argument("--laps", type=int, default=LAPS, help="laps a set")
    parser.add_argument("--servers", default="uvicorn,granian", help=f"of {', '.join(COMMANDS)}")
    told = parser.parse_args()
    begun = time.monotonic()
    found = []
    for server in told.servers.split(","):
        for row in rows(server, laps=told.laps, only=told.only):
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
