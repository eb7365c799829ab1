"""What the machine can be told. Everything that happens to a run is one of these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treadle.values.calls import ToolOutcome
from treadle.values.facts import CancelKept, DecisionKept
from treadle.values.ids import CallId, InterruptId
from treadle.values.limits import Limit, RunRules
from treadle.values.making import quickly_made
from treadle.values.mappings import empty, frozen
from treadle.values.model import ModelTurn
from treadle.values.pauses import OnExpiry, PauseKind, Resolution
from treadle.values.requests import TurnRequest
from treadle.values.usage import NO_USAGE, UsageDelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """Somebody asked for a run."""

    request: TurnRequest
    rules: RunRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """Memory gave what it has for the prompt; nothing, where it could not be asked."""

    blocks: tuple[str, ...] = ()
    problem: str | None = None


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnnounced:
    """The model began to say a call. `slot` counts the calls of the turn from 0."""

    slot: int
    name: str
    provider_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseAsk:
    """What a person is to be asked before, or while, a call runs. Ids are the machine's to give."""

    kind: PauseKind
    request: Mapping[str, Any] = field(default_factory=empty)
    response_schema: Mapping[str, Any] = field(default_factory=empty)
    arguments_digest: str = ""
    expires_at: float | None = None
    on_expiry: OnExpiry = OnExpiry.DECLINE

    def __post_init__(self) -> None:
        object.__setattr__(self, "request", frozen(self.request))
        object.__setattr__(self, "response_schema", frozen(self.response_schema))


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTurned:
    """The model has said a whole turn, its calls checked against the tools.

    Shape: `streamed` holds the slots whose argument text was given in pieces; `gated` names the slots that wait
    for leave, and what is asked; `spoke` says that text came in pieces, which the turn need not repeat.
    """

    turn: ModelTurn
    spoke: bool = False
    streamed: frozenset[int] = frozenset()
    gated: Mapping[int, PauseAsk] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelBroke:
    """The model failed, broke off, or fell silent. `shown`: a reader has seen something of this attempt."""

    code: str
    error_class: str = "infrastructure"
    retryable: bool = False
    shown: bool = False
    usage: UsageDelta = NO_USAGE
    retry_after_s: float | None = None
    reference: str | None = None
    detail: str | None = None

    def __post_init__(self) -> None:
        _check_code(self.code)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolProgressed:
    """A running call tells how far it is."""

    call_id: CallId
    payload: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPaused:
    """A running call waits for a person."""

    call_id: CallId
    ask: PauseAsk


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReturned:
    """A call is over, in whatever way."""

    outcome: ToolOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """People settled pauses of a waiting run. `decided` says who, and when, of those that somebody decided."""

    resolutions: tuple[Resolution, ...]
    decided: tuple[DecisionKept, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseExpired:
    """Nobody answered a pause in time. `next_expires_at` is for a pause that is asked again, in UTC seconds."""

    interrupt_id: InterruptId
    next_expires_at: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlinePassed:
    """A limit that is measured outside the machine was passed.

    Shape: `usage` is what the provider told of the turn under way; `shown` as in `ModelBroke`.
    """

    limit: Limit
    usage: UsageDelta = NO_USAGE
    shown: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequested:
    """Somebody wants the run to stop. `usage` and `shown` as in `DeadlinePassed`.

    Shape: `kept` says who asked, None where it was nobody of whom it is known.
    """

    reason: str | None = None
    kept: CancelKept | None = None
    usage: UsageDelta = NO_USAGE
    shown: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PartBroke:
    """A port of ours failed, or this library did: the run cannot go on."""

    code: str = "internal"
    reference: str | None = None
    detail: str | None = None
    usage: UsageDelta = NO_USAGE
    shown: bool = False

    def __post_init__(self) -> None:
        _check_code(self.code)


@dataclass(frozen=True, slots=True, kw_only=True)
class TookOver:
    """The worker of this run was lost, and another one has rebuilt it.

    Shape: `shown` as in `ModelBroke`, of the turn that was under way; `idempotent` names the tools that may be run
    again without harm; `silent_owners` counts those before this one who had the run and wrote nothing.
    """

    shown: bool = False
    idempotent: frozenset[str] = frozenset()
    silent_owners: int = 0


Input = (
    Started
    | Recalled
    | ModelAnnounced
    | ModelTurned
    | ModelBroke
    | ToolProgressed
    | ToolPaused
    | ToolReturned
    | Answered
    | PauseExpired
    | DeadlinePassed
    | CancelRequested
    | PartBroke
    | TookOver
)


def _check_code(code: str) -> None:
    if not code:
        raise ValueError(f"what broke needs a code, came {code!r}")
