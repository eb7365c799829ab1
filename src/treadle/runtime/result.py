"""What a run came to, for the caller in process."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from treadle.values.events import AskUser, Cancelled, ClosingEvent, Done, Error, Interrupt
from treadle.values.ids import RunId, ThreadId
from treadle.values.pauses import PendingInterrupt
from treadle.values.requests import HistoryMessage
from treadle.values.usage import UsageDelta


class RunOutcome(StrEnum):
    """How a segment closed."""

    DONE = "done"
    ERROR = "error"
    CANCELLED = "cancelled"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunError:
    """Why a run ended `error`: a stable code and a reference, and no foreign text."""

    code: str
    error_class: str
    retryable: bool
    reference: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """What a run came to.

    Shape: `text` is all that was shown and not retracted, of all rounds, nothing inserted; `answer` that of the last
    round. `messages` is the history to go on with: what was there before, the prompt, and the run's turns.
    Units: `duration_ms` is time at work in milliseconds.
    """

    outcome: RunOutcome
    text: str
    answer: str
    output: Any
    usage: UsageDelta
    run_id: RunId
    thread_id: ThreadId
    pending: tuple[PendingInterrupt, ...] = ()
    messages: tuple[HistoryMessage, ...] = ()
    error: RunError | None = None
    termination: str = ""
    stop_reason: str | None = None
    duration_ms: float = 0.0


def result_of(closing: ClosingEvent, *, thread_id: ThreadId, messages: tuple[HistoryMessage, ...]) -> RunResult:
    """The result that a closing event tells."""
    said = closing.outcome
    return RunResult(
        outcome=_OUTCOMES[type(closing)],
        text=said.text,
        answer=said.answer,
        output=said.output,
        usage=said.usage,
        run_id=closing.run_id,
        thread_id=thread_id,
        pending=closing.pending if isinstance(closing, AskUser | Interrupt) else (),
        messages=messages,
        error=_error_of(closing),
        termination="paused" if isinstance(closing, AskUser | Interrupt) else closing.termination,
        stop_reason=said.stop_reason,
        duration_ms=said.duration_ms,
    )


_OUTCOMES: dict[type[ClosingEvent], RunOutcome] = {
    Done: RunOutcome.DONE,
    Error: RunOutcome.ERROR,
    Cancelled: RunOutcome.CANCELLED,
    AskUser: RunOutcome.PAUSED,
    Interrupt: RunOutcome.PAUSED,
}


def _error_of(closing: ClosingEvent) -> RunError | None:
    if not isinstance(closing, Error):
        return None
    return RunError(
        code=closing.code,
        error_class=closing.error_class,
        retryable=closing.retryable,
        reference=closing.reference,
    )
