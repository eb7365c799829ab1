"""What the machine wants done. Every effect is carried out, or queued, before the next input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treadle.values.calls import ToolRequest
from treadle.values.events import ClosingEvent, KernelEvent
from treadle.values.facts import Fact
from treadle.values.ids import CallId, InterruptId
from treadle.values.making import quickly_made
from treadle.values.mappings import empty
from treadle.values.pauses import PendingInterrupt, Resolution


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class Emit:
    """A draft of an event: a class and its fields, without `index` and `run_id`, which are the writer's to give.

    `held`: it is written before the next event, or not at all if a `Withdraw` comes first.
    """

    event: type[KernelEvent]
    fields: Mapping[str, Any] = field(default_factory=empty)
    held: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdraw:
    """Forget the held draft: its attempt showed nothing."""


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """A fact to remember."""

    fact: Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Close:
    """The closing event of the segment, as a draft without its outcome.

    Shape: `outcome` holds the fields of the outcome that the machine knows; text, answer and duration are filled
    in where the text is.
    """

    event: type[ClosingEvent]
    fields: Mapping[str, Any] = field(default_factory=empty)
    outcome: Mapping[str, Any] = field(default_factory=empty)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """Ask memory for the prompt."""


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class AskModel:
    """Ask the model for the next turn, after `wait_s` seconds."""

    round: int
    attempt: int
    wait_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StopModel:
    """Stop reading the model; what it still says counts no more."""


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class CallTools:
    """Run these calls, all at once.

    Shape: `answers` holds, for a call that goes on, all that it asked by interrupts and what was answered, in order.
    """

    requests: tuple[ToolRequest, ...]
    answers: Mapping[CallId, tuple[tuple[PendingInterrupt, Resolution], ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StopTools:
    """Stop these calls; each still returns, in whatever way."""

    call_ids: tuple[CallId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """The run waits for people: it may be put away until one of these pauses is settled."""

    interrupt_ids: tuple[InterruptId, ...]


Effect = Emit | Withdraw | Keep | Close | Recall | AskModel | StopModel | CallTools | StopTools | Wait
