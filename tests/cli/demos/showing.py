"""A demo shown to a test: what it tells, and what it says is broken."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from treadle.cli.demos.outcome import Teller

PROGRAMS = "tests.cli.demos.programs.tampering"


@dataclass(slots=True)
class Shown:
    """What came of it."""

    facts: list[dict[str, Any]] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    @property
    def last(self) -> dict[str, Any]:
        """The last object that scripts are told."""
        return self.facts[-1]


def shown(demo: Callable[..., list[str]], folder: Path, *, served: str = "", **options: object) -> Shown:
    """Show a demo as scripts are shown it; `served` is a program of the tests in the place of the demo's own."""
    found = Shown()

    def write(line: str) -> None:
        found.facts.append(json.loads(line))

    more = {"served": f"{PROGRAMS}:{served}"} if served else {}
    teller = Teller(demo=demo.__name__, write=write, for_scripts=True)
    found.broken = demo(folder=folder, teller=teller, **options, **more)
    return found
