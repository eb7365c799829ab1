"""A record: an event or a fact with its place in the log."""

from __future__ import annotations

from dataclasses import dataclass

from treadle.values.events import KernelEvent
from treadle.values.facts import Fact

Entry = KernelEvent | Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One entry of a run's log.

    Units: `at_s` is UTC seconds by the writer's clock. `seq` counts all records of the run from 0; an event's own
    `index` counts events alone.
    """

    seq: int
    epoch: int
    at_s: float
    entry: Entry
