"""The port to fresh names."""

from __future__ import annotations

from typing import Protocol

from treadle.values.ids import RunId


class Ids(Protocol):
    """Names nobody can guess."""

    def run_id(self) -> RunId:
        """A fresh run id, unique for ever, of letters, digits and `_` alone."""
        ...
