"""Ids that a test can foretell."""

from __future__ import annotations

from treadle.values.ids import RunId


class CountedIds:
    """The ids port for tests: `r1`, `r2` and so on.

    Shape: unique within one `CountedIds`. Unlike the real ones they can be guessed: never give them to a server.
    """

    def __init__(self) -> None:
        self._runs = 0

    def run_id(self) -> RunId:
        """The next run id."""
        self._runs += 1
        return RunId(f"r{self._runs}")
