"""What `make bench-http` runs: Treadle's delivery over HTTP against raw ASGI, behind the same servers, in one run.

Usage: python bench/http_gate.py [--json] [--only WORDS] [--laps N] [--servers uvicorn,granian]
"""

from __future__ import annotations

import argparse
import sys
from itertools import chain

from http_load import COMMANDS
from http_races import rows
from telling import told

LAPS = 7


def main() -> int:
    """Measure, print, and give the exit code: 1 where a bound is broken."""
    parser = argparse.ArgumentParser(description="Treadle's delivery against raw ASGI")
    parser.add_argument("--json", action="store_true", help="print rows for programs")
    parser.add_argument("--only", default="", help="rows whose name holds these words")
    parser.add_argument("--laps", type=int, default=LAPS, help="laps a set")
    parser.add_argument("--servers", default="uvicorn,granian", help=f"of {', '.join(COMMANDS)}")
    asked = parser.parse_args()
    measured = (rows(server, laps=asked.laps, only=asked.only) for server in asked.servers.split(","))
    return told(chain.from_iterable(measured), json=asked.json)


if __name__ == "__main__":
    sys.exit(main())
