"""What a run must remember and never shows: facts.

Facts hold what is true (raw turns, whole outcomes, answers); events hold what was shown. A machine is rebuilt by
folding the facts and the events of a log in order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from treadle.values.calls import ToolOutcome
from treadle.values.ids import InterruptId
from treadle.values.limits import RunRules
from treadle.values.making import quickly_made
from treadle.values.model import ModelTurn
from treadle.values.pauses import Decision, PendingInterrupt, Resolution
from treadle.values.requests import TurnRequest
from treadle.values.usage import NO_USAGE, UsageDelta


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class RequestKept:
    """What was asked, and by which rules the run goes."""

    kind: ClassVar[str] = "request_kept"
    request: TurnRequest
    rules: RunRules


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallKept:
    """What memory gave for the prompt."""

    kind: ClassVar[str] = "recall_kept"
    blocks: tuple[str, ...]


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOpened:
    """The model is being asked."""

    kind: ClassVar[str] = "round_opened"
    round: int
    attempt: int


WORKER_LOST: Final = "worker_lost"
"""The code of an attempt, and of a run, whose worker was lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundCut:
    """An attempt ended without a whole turn, and what it spent as far as the provider said."""

    kind: ClassVar[str] = "round_cut"
    round: int
    attempt: int
    usage: UsageDelta = NO_USAGE
    code: str


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class TurnKept:
    """A whole turn as the model said it, its calls with their kernel ids.

    Shape: `streamed` holds the slots whose argument text was given in pieces.
    """

    kind: ClassVar[str] = "turn_kept"
    round: int
    attempt: int
    turn: ModelTurn
    streamed: frozenset[int] = frozenset()


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeKept:
    """The result of a call as the model will be told it."""

    kind: ClassVar[str] = "outcome_kept"
    outcome: ToolOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseKept:
    """A call waits for a person."""

    kind: ClassVar[str] = "pause_kept"
    pending: PendingInterrupt


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionKept:
    """Who decided about a pause, when, and what; what it came to stands in the answer that follows.

    Units: `at_s` is UTC seconds, when it was said.
    """

    kind: ClassVar[str] = "decision_kept"
    interrupt_id: InterruptId
    decision: Decision
    by: str
    at_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelKept:
    """Who asked the run to stop, when, and why; how it stopped stands in what follows.

    Units: `at_s` is UTC seconds, when it was asked.
    """

    kind: ClassVar[str] = "cancel_kept"
    by: str
    at_s: float
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerKept:
    """One pause is settled; the run goes on when none is open."""

    kind: ClassVar[str] = "answer_kept"
    resolution: Resolution


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a run will close once its open calls are settled. `code` is None for a cancel.

    `stops`: the open calls are stopped; else they run to their end first.
    """

    code: str | None
    error_class: str = "internal"
    retryable: bool = False
    reference: str | None = None
    detail: str | None = None
    termination: str
    reason: str | None = None
    stops: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class EndBegun:
    """The run is ending; its open calls are being stopped."""

    kind: ClassVar[str] = "end_begun"
    ending: Ending


Fact = (
    RequestKept
    | RecallKept
    | RoundOpened
    | RoundCut
    | TurnKept
    | OutcomeKept
    | PauseKept
    | DecisionKept
    | CancelKept
    | AnswerKept
    | EndBegun
)

FACT_TYPES: tuple[type[Fact], ...] = (
    RequestKept,
    RecallKept,
    RoundOpened,
    RoundCut,
    TurnKept,
    OutcomeKept,
    PauseKept,
    DecisionKept,
    CancelKept,
    AnswerKept,
    EndBegun,
)
