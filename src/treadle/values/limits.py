"""How far a run may go, and by which rules it is retried."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from enum import StrEnum


class Limit(StrEnum):
    """What a run can run into. Each is its own termination reason and error code."""

    ROUNDS = "limit_rounds"
    TOOL_CALLS = "limit_tool_calls"
    TOKENS = "limit_tokens"
    WALL_CLOCK = "limit_wall_clock"
    OUTPUT_BYTES = "limit_output_bytes"
    STALL = "stalled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The bounds of one run. All but `tokens` are on by default; None switches one off.

    Units: `wall_clock_s` and `stall_s` are seconds (a stall is the time without a byte from the provider),
    `output_bytes` counts UTF-8 bytes of text, thinking and argument text, `tokens` as the provider reports them.
    """

    rounds: int | None = 32
    tool_calls: int | None = 64
    wall_clock_s: float | None = 600.0
    stall_s: float | None = 60.0
    output_bytes: int | None = 4 * 1024 * 1024
    tokens: int | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not value > 0:
                raise ValueError(f"limit {field.name} must be above 0, or None for no limit, not {value!r}")


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """When a model is asked again after it broke.

    Units: `first_wait_s` doubles with each attempt up to `longest_wait_s`; a provider's own retry-after wins
    where it is not longer than `longest_wait_s`.
    """

    attempts: int = 3
    first_wait_s: float = 0.2
    longest_wait_s: float = 10.0
    after_output: bool = False
    """Ask again even though something was shown; what was shown is then retracted."""

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"attempts must be 1 or more, not {self.attempts!r}")
        for name in ("first_wait_s", "longest_wait_s"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a finite number of 0 or more, not {getattr(self, name)!r}")

    def wait_s(self, attempt: int, retry_after_s: float | None) -> float:
        """Seconds to wait after the attempt with this number broke."""
        if retry_after_s is not None and 0 <= retry_after_s <= self.longest_wait_s:
            return retry_after_s
        doublings = min(attempt - 1, 64)  # by then every wait that is above 0 is past the longest
        wait: float = self.first_wait_s * 2**doublings
        return min(wait, self.longest_wait_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRules:
    """What the machine must know of a plan."""

    agent: str
    model: str
    limits: Limits = DEFAULT_LIMITS
    retries: Retries = Retries()
    recalls: bool = False
    """Whether memory is asked before the first round."""

    @property
    def tool_call_limit(self) -> int:
        """The tool-call limit as `run_started` tells it; 0 means that there is none."""
        return self.limits.tool_calls or 0
