"""Hold each package to its share of tested lines and branches.

    python scripts/coverage_gate.py      after `make test`

In: the data that coverage left in .coverage. Out: a table, and exit 1 where a package falls short. Pure packages are
tested whole, since everything that they do can be asked for; what stands at the rim to nine tenths.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PURE = frozenset({"codec", "errors", "framing", "kernel", "plan", "projections", "text", "values"})
PURE_PERCENT = 100.0
RIM_PERCENT = 90.0

SHOWN = 12
"""How many gaps of a file are listed."""


@dataclass(slots=True)
class Share:
    """How much of a package was run: lines and branches together."""

    ran: int = 0
    all: int = 0

    @property
    def percent(self) -> float:
        """The share in percent; a package without code is whole."""
        return 100.0 * self.ran / self.all if self.all else 100.0


def shares(files: Mapping[str, Any]) -> dict[str, Share]:
    """Add up what coverage says of files, by package."""
    packages: dict[str, Share] = {}
    for name, told in files.items():
        share = packages.setdefault(package_of(name), Share())
        summary = told["summary"]
        share.ran += summary["covered_lines"] + summary.get("covered_branches", 0)
        share.all += summary["num_statements"] + summary.get("num_branches", 0)
    return packages


def package_of(name: str) -> str:
    """Say which package a file belongs to; the few lines that stand in none count together."""
    parts = Path(name).parts
    package = parts[parts.index("treadle") + 1].removesuffix(".py")
    return "root" if package.startswith("_") else package


def limit_of(package: str) -> float:
    """Say what a package must reach."""
    return PURE_PERCENT if package in PURE else RIM_PERCENT


def shortfalls(packages: Mapping[str, Share]) -> list[str]:
    """Name the packages that do not reach their limit."""
    return [
        f"{name}: {share.percent:.1f} %, {limit_of(name):.0f} % is asked for"
        for name, share in sorted(packages.items())
        if share.percent < limit_of(name)
    ]


def gaps(files: Mapping[str, Any]) -> list[str]:
    """Say where in the pure packages something was not run."""
    lines = []
    for name, told in sorted(files.items()):
        missing = [str(line) for line in told["missing_lines"]]
        missing += [f"{start}->{end}" for start, end in told.get("missing_branches", [])]
        if missing and package_of(name) in PURE:
            lines.append(f"  {name}: {', '.join(missing[:SHOWN])}{' …' if len(missing) > SHOWN else ''}")
    return lines


def main() -> int:
    """Print the table, and say by the exit code whether all is well."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "coverage.json"
        done = subprocess.run([sys.executable, "-m", "coverage", "json", "-q", "-o", str(report)], check=False)
        if done.returncode != 0:
            print("coverage: no data; run `make test` first")
            return 1
        files = json.loads(report.read_text(encoding="utf-8"))["files"]
    packages = shares(files)
    for name, share in sorted(packages.items()):
        print(f"  {name:<14}{share.percent:6.1f} %  of {limit_of(name):.0f} %  ({share.ran}/{share.all})")
    found = shortfalls(packages)
    print("\n".join(["coverage: too little is tested:", *found, *gaps(files)] if found else ["coverage: enough"]))
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
