"""How a run stands when it closes a segment: on every closing event, partial where the run was cut."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from treadle.values.ids import NO_RUN, RunId
from treadle.values.mappings import frozen
from treadle.values.usage import NO_USAGE, UsageDelta


@dataclass(frozen=True, slots=True, kw_only=True)
class InvocationOutcome:
    """What a run has come to.

    Shape: `text` is all shown, un-retracted text of the run, nothing added; the answer is `text[answer_at:]`.
    Units: `duration_ms` counts time at work, not time waited for a person.
    """

    text: str
    answer_at: int = 0
    output: Any = None
    messages: tuple[Any, ...] = ()
    tool_outcomes: tuple[Any, ...] = ()
    usage: UsageDelta = NO_USAGE
    run_id: RunId = NO_RUN
    duration_ms: float = 0.0
    stop_reason: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "output", frozen(self.output))
        if not 0 <= self.duration_ms < math.inf:
            raise ValueError(f"duration_ms must be a finite number of 0 or more, not {self.duration_ms!r}")
        if not 0 <= self.answer_at <= len(self.text):
            raise ValueError(f"answer_at must lie within a text of {len(self.text)}, not at {self.answer_at!r}")

    @property
    def answer(self) -> str:
        """The shown text of the run's last round."""
        return self.text[self.answer_at :]
