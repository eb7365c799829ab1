"""What a run waits for a person to say, and what was said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from treadle.values.ids import CallId, InterruptId
from treadle.values.mappings import empty, frozen


class PauseKind(StrEnum):
    """What is asked: questions of the `ask_user` tool, leave to run a call, or a named interrupt."""

    ASK_USER = "ask_user"
    APPROVAL = "approval"
    INTERRUPT = "interrupt"


class OnExpiry(StrEnum):
    """What becomes of a pause that nobody answered in time."""

    DECLINE = "decline"
    FAIL = "fail"
    KEEP = "keep"


class Settlement(StrEnum):
    """How a pause ended."""

    ANSWERED = "answered"
    DECLINED = "declined"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingInterrupt:
    """A pause that is open: bound to one call and its exact arguments.

    Units: `expires_at` is UTC seconds; None never expires.
    """

    interrupt_id: InterruptId
    kind: PauseKind
    call_id: CallId
    request: Mapping[str, Any] = field(default_factory=empty)
    """The questions, or the whole call that waits for leave."""
    response_schema: Mapping[str, Any] = field(default_factory=empty)
    arguments_digest: str = ""
    expires_at: float | None = None
    on_expiry: OnExpiry = OnExpiry.DECLINE

    def __post_init__(self) -> None:
        object.__setattr__(self, "request", frozen(self.request))
        object.__setattr__(self, "response_schema", frozen(self.response_schema))


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """How one pause was settled, and with what.

    Shape: `value` is the answer in JSON terms; for an approval it is the arguments to run with, or None for
    the ones asked about.
    """

    interrupt_id: InterruptId
    settlement: Settlement
    value: Any = None
    reason: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", frozen(self.value))
