"""What a model is told of a tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from treadle.values.mappings import frozen


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as the model sees it.

    Shape: `parameters` is a JSON schema of an object, deeply read-only.
    Units: `timeout_s` is the longest one call may take; None leaves it to the run's wall clock.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    timeout_s: float | None = None
    idempotent: bool = False
    """It may be run again after a crash without harm."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", frozen(self.parameters))
