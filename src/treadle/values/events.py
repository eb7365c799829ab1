"""What happened in a run: the closed union of kernel events.

Every event has a `kind`, an `index` (dense over the run, from 0) and the `run_id`. An event is made by the run's
writer when it is sealed; until then it is a draft: a class and its fields.

Source: docs/events.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Final

from treadle.values.calls import ToolOutcome, ToolRequest
from treadle.values.ids import CallId, RunId, ThreadId
from treadle.values.making import maker_from, quickly_made
from treadle.values.mappings import empty, frozen
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import PauseKind, PendingInterrupt, Resolution
from treadle.values.usage import NO_USAGE, UsageDelta


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """A run began: its first event."""

    kind: ClassVar[str] = "run_started"
    index: int
    run_id: RunId
    agent: str
    thread_id: ThreadId
    root_run_id: RunId
    parent_run_id: RunId | None = None
    prompt: str
    tool_call_limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """A new segment of a run that had paused, and how each of its pauses was settled."""

    kind: ClassVar[str] = "resumed"
    index: int
    run_id: RunId
    resolutions: tuple[Resolution, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A step around the model's speech: prompt assembly, recall, tools."""

    kind: ClassVar[str] = "stage"
    index: int
    run_id: RunId
    stage_id: str
    phase: str
    capability: str = ""
    outcome: str | None = None
    reason: str | None = None
    counts: Mapping[str, int] = field(default_factory=empty)

    def __post_init__(self) -> None:
        object.__setattr__(self, "counts", frozen(self.counts))


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStarted:
    """A model was asked. Rounds and attempts count from 1."""

    kind: ClassVar[str] = "round_started"
    index: int
    run_id: RunId
    round: int
    attempt: int
    model: str


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEnded:
    """A model's turn is over. `outcome` is `done`, `error` or `cancelled`; `stop_reason` is the provider's label."""

    kind: ClassVar[str] = "round_ended"
    index: int
    run_id: RunId
    round: int
    attempt: int
    usage: UsageDelta = NO_USAGE
    stop_reason: str | None = None
    outcome: str = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Thinking:
    """A piece of the model's thinking. Never empty."""

    kind: ClassVar[str] = "thinking"
    index: int
    run_id: RunId
    passage: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """A piece of text. Never empty."""

    kind: ClassVar[str] = "text_delta"
    index: int
    run_id: RunId
    passage: int
    text: str


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnnounced:
    """The model's own speech reveals that it calls a tool. It may still fail to say the call whole."""

    kind: ClassVar[str] = "tool_announced"
    index: int
    run_id: RunId
    call_id: CallId
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolArguments:
    """A piece of a call's argument text. Never empty."""

    kind: ClassVar[str] = "tool_arguments"
    index: int
    run_id: RunId
    call_id: CallId
    text: str


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """The run reserved and dispatched a call. `streamed`: its argument text was already given in pieces."""

    kind: ClassVar[str] = "tool_call"
    index: int
    run_id: RunId
    request: ToolRequest
    streamed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolProgress:
    """A running tool says how far it is. `sequence` counts from 0 for each call."""

    kind: ClassVar[str] = "tool_progress"
    index: int
    run_id: RunId
    call_id: CallId
    sequence: int
    payload: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "payload", frozen(self.payload))


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """A call is settled: the one result it gets."""

    kind: ClassVar[str] = "tool_result"
    index: int
    run_id: RunId
    outcome: ToolOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Retracted:
    """What was shown of this attempt is void. Never a tool that ran."""

    kind: ClassVar[str] = "retracted"
    index: int
    run_id: RunId
    round: int
    attempt: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """Operations parsed from a filtered block, or the diagnostic when they could not be."""

    kind: ClassVar[str] = "extracted"
    index: int
    run_id: RunId
    tag: str
    operations: tuple[Any, ...] = ()
    diagnostic: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "operations", frozen(self.operations))


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """A source's or tool's own event. Never lost from the log."""

    kind: ClassVar[str] = "extension"
    index: int
    run_id: RunId
    type: str
    payload: Any = None
    event_id: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "payload", frozen(self.payload))


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """What a bounded pipeline lost: `count` of `dropped_kind`, numbered `first` to `last` in their own numbering."""

    kind: ClassVar[str] = "dropped"
    index: int
    run_id: RunId
    dropped_kind: str
    count: int
    first: int
    last: int

    def __post_init__(self) -> None:
        if self.count < 1 or self.first > self.last:
            raise ValueError(
                f"a loss is of 1 or more, in order; came {self.count!r} from {self.first!r} to {self.last!r}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class AskUser:
    """Closes a segment: the run waits, and every open pause is a question."""

    kind: ClassVar[str] = "ask_user"
    index: int
    run_id: RunId
    pending: tuple[PendingInterrupt, ...]
    outcome: InvocationOutcome

    def __post_init__(self) -> None:
        object.__setattr__(self, "pending", _open_pauses(self.pending))
        if any(pause.kind is not PauseKind.ASK_USER for pause in self.pending):
            raise ValueError(f"ask_user tells questions alone, came {[pause.kind.value for pause in self.pending]!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupt:
    """Closes a segment: the run waits, for leave to run a call or for a named interrupt."""

    kind: ClassVar[str] = "interrupt"
    index: int
    run_id: RunId
    pending: tuple[PendingInterrupt, ...]
    outcome: InvocationOutcome

    def __post_init__(self) -> None:
        object.__setattr__(self, "pending", _open_pauses(self.pending))


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """Closes the run: it came to its end. `termination` is `completed`, or `empty_answer` where nothing was said."""

    kind: ClassVar[str] = "done"
    index: int
    run_id: RunId
    outcome: InvocationOutcome
    termination: str = "completed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Error:
    """Closes the run: it failed, with all that was shown kept.

    Shape: `code` is stable and snake_case; `detail` is foreign text, told only where an exposure says so.
    """

    kind: ClassVar[str] = "error"
    index: int
    run_id: RunId
    outcome: InvocationOutcome
    code: str
    error_class: str = "internal"
    retryable: bool = False
    reference: str | None = None
    detail: str | None = None
    termination: str = "error"

    def __post_init__(self) -> None:
        if not self.code:
            raise ValueError(f"an error needs a code, came {self.code!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """Closes the run: somebody stopped it, with all that was shown kept."""

    kind: ClassVar[str] = "cancelled"
    index: int
    run_id: RunId
    outcome: InvocationOutcome
    reason: str | None = None
    termination: str = "cancelled"


DeltaEvent = TextDelta | Thinking | ToolArguments
FinalEvent = Done | Error | Cancelled
PauseEvent = AskUser | Interrupt
ClosingEvent = FinalEvent | PauseEvent
KernelEvent = (
    RunStarted
    | Resumed
    | Stage
    | RoundStarted
    | RoundEnded
    | Thinking
    | TextDelta
    | ToolAnnounced
    | ToolArguments
    | ToolCall
    | ToolProgress
    | ToolResult
    | Retracted
    | Extracted
    | Extension
    | Dropped
    | AskUser
    | Interrupt
    | Done
    | Error
    | Cancelled
)

EVENT_TYPES: tuple[type[KernelEvent], ...] = (
    RunStarted,
    Resumed,
    Stage,
    RoundStarted,
    RoundEnded,
    Thinking,
    TextDelta,
    ToolAnnounced,
    ToolArguments,
    ToolCall,
    ToolProgress,
    ToolResult,
    Retracted,
    Extracted,
    Extension,
    Dropped,
    AskUser,
    Interrupt,
    Done,
    Error,
    Cancelled,
)
FINAL_TYPES: tuple[type[FinalEvent], ...] = (Done, Error, Cancelled)
PAUSE_TYPES: tuple[type[PauseEvent], ...] = (AskUser, Interrupt)
CLOSING_TYPES: tuple[type[ClosingEvent], ...] = (*FINAL_TYPES, *PAUSE_TYPES)


def _quickly(event: type[KernelEvent]) -> Callable[[int, RunId, Mapping[str, Any]], KernelEvent]:
    return maker_from(event, "index", "run_id")


_MANY: Final = (RunStarted, RoundStarted, RoundEnded, ToolAnnounced, ToolCall, ToolResult)
"""Those of every run and of every round."""


def _constructed(event: type[KernelEvent], index: int, run_id: RunId, fields: Mapping[str, Any]) -> KernelEvent:
    return event(index=index, run_id=run_id, **fields)


SEALS: Final[Mapping[type[KernelEvent], Callable[[int, RunId, Mapping[str, Any]], KernelEvent]]] = {
    **{event: partial(_constructed, event) for event in EVENT_TYPES},
    **{event: _quickly(event) for event in _MANY},
}
"""What makes each event of its index, its run and its other fields: a draft, sealed."""


def _open_pauses(pending: tuple[PendingInterrupt, ...]) -> tuple[PendingInterrupt, ...]:
    if not pending:
        raise ValueError("a run waits for at least one pause, came none")
    return tuple(pending)
