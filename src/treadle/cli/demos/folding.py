"""Events as a reader gets them to the text that it shows, how far the run has come, and where it stands.

In: events of the plain wire, in the order in which they came, whatever is wrong with that order. Out: words and counts.
What a retraction takes back is gone from all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

STEP_UNITS: Final = 70
"""What an event that is no speech counts; of speech each character counts one."""

PHASES: Final[Mapping[str, str]] = {
    "run_started": "asking the model",
    "round_started": "asking the model",
    "thinking": "thinking",
    "text_delta": "text",
    "tool_announced": "announcing a tool",
    "tool_arguments": "announcing a tool",
    "round_ended": "turn ended",
    "tool_call": "tool running",
    "tool_result": "between rounds",
    "retracted": "begun again",
}
"""Where a run stands, by the kind of the last event that a reader of it has."""
STARTING: Final = "starting"
"""Where it stands for a reader that has nothing yet."""


@dataclass(slots=True)
class _Attempt:
    name: tuple[int, int]
    texts: list[str] = field(default_factory=list)
    units: int = 0


class Folding:
    """What one reader makes of a run."""

    def __init__(self) -> None:
        self._attempts: list[_Attempt] = [_Attempt((0, 0))]
        self._last = ""

    def take(self, event: Mapping[str, Any]) -> None:
        """The next event."""
        kind = self._last = event["kind"]
        if kind == "retracted":
            void = (event["round"], event["attempt"])
            self._attempts = [attempt for attempt in self._attempts if attempt.name != void] or [_Attempt((0, 0))]
            return
        if kind == "round_started":
            self._attempts.append(_Attempt((event["round"], event["attempt"])))
        current = self._attempts[-1]
        current.units += len(event["text"]) if "text" in event else STEP_UNITS
        if kind == "text_delta":
            current.texts.append(event["text"])

    @property
    def text(self) -> str:
        """All text that stands."""
        return "".join(text for attempt in self._attempts for text in attempt.texts)

    @property
    def units(self) -> int:
        """How far the run has come, however its speech was cut into events."""
        return sum(attempt.units for attempt in self._attempts)

    @property
    def round(self) -> int:
        """The round that it is in; 0 before the first."""
        return self._attempts[-1].name[0]

    @property
    def phase(self) -> str:
        """Where it stands."""
        return PHASES.get(self._last, self._last) if self._last else STARTING
