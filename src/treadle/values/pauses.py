"""What a run waits for a person to say, and what was said."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from treadle.values.ids import CallId, InterruptId
from treadle.values.mappings import empty, frozen


class PauseKind(StrEnum):
    """What is asked: questions of the `ask_user` tool, leave to run a call, a named interrupt, or a call's result."""

    ASK_USER = "ask_user"
    APPROVAL = "approval"
    INTERRUPT = "interrupt"
    FRONT_END = "front_end"
    """The front end runs the call, and the answer is its result."""


IS_THE_RESULT: Final = frozenset({PauseKind.ASK_USER, PauseKind.FRONT_END})
"""Pauses whose answer is the result of their call: nothing runs."""


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


class Decision(StrEnum):
    """What a person may say to a pause."""

    APPROVE = "approve"
    """Let the call run as it was asked about."""
    DENY = "deny"
    """The call is not run, or goes no further; the model is told, with the reason."""
    EDIT = "edit"
    """Let the call run with other arguments."""
    ANSWER = "answer"
    """A value: to questions, to an interrupt, or the result of what the front end ran."""
    CANCEL = "cancel"
    """Nothing was decided: the call is cancelled, and the run goes on."""


EXPIRES_S: Final = 7 * 24 * 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseRules:
    """What an agent's pauses have in common.

    Units: `expires_s` is for how long a pause is open; None, for ever.
    """

    expires_s: float | None = EXPIRES_S
    on_expiry: OnExpiry = OnExpiry.DECLINE

    def __post_init__(self) -> None:
        object.__setattr__(self, "on_expiry", OnExpiry(self.on_expiry))
        expires_s = self.expires_s
        if expires_s is not None and (isinstance(expires_s, bool) or not 0 < expires_s < math.inf):
            raise ValueError(f"expires_s must be a number above 0, or None for ever, not {expires_s!r}")

    def expires_at(self, now_s: float) -> float | None:
        """When a pause that is asked now is over."""
        return None if self.expires_s is None else now_s + self.expires_s


DEFAULT_PAUSES: Final = PauseRules()


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a person says to one pause, as it comes in.

    Shape: `token` is what the pause was shown with; `arguments` are for `edit`, `value` is for `answer`.
    """

    interrupt_id: str
    token: str
    decision: Decision
    arguments: Mapping[str, Any] | None = None
    value: Any = None
    reason: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "decision", Decision(self.decision))
