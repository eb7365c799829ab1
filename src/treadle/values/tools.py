"""What a model is told of a tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treadle.values.mappings import empty, frozen
from treadle.values.pauses import PauseKind


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
    asks: PauseKind | None = None
    """What a call of it is in place of being run: questions to the user, or work of the front end."""
    result_schema: Mapping[str, Any] = field(default_factory=empty)
    """A JSON schema of what the front end gives back; empty where anything will do."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", frozen(self.parameters))
        object.__setattr__(self, "result_schema", frozen(self.result_schema))
