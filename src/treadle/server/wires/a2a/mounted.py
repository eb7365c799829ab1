"""One mount of A2A: where it stands, what it may say, and what it was told to do."""

from __future__ import annotations

from dataclasses import dataclass

from treadle.server.wires.a2a.push import Pushes
from treadle.server.wires.a2a.settings import A2aSettings
from treadle.values.exposure import Exposure


@dataclass(frozen=True, slots=True, kw_only=True)
class Mounted:
    """One mount."""

    path: str
    exposure: Exposure
    settings: A2aSettings
    pushes: Pushes

    @property
    def agent_path(self) -> str:
        """Where an agent is, as a pattern."""
        return f"{self.path}/{{agent}}"
