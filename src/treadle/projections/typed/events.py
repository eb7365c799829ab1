"""The closed union of stream events: what a Python reader of a run sees.

Every event has a `type`, a word in snake_case that is also its name on the wire. An event carries what the kernel
reported and nothing else: a count that no provider gave is None, never 0.

Source: docs/stream-events.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from treadle.values.calls import ToolStatus
from treadle.values.ids import NO_RUN, CallId, RunId
from treadle.values.pauses import PendingInterrupt, Resolution

CallPhase = Literal["announced", "executing"]
Ending = Literal["done", "error", "cancelled", "paused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """A piece of the answer's text, unchanged. Never empty; white space alone is text."""

    type: ClassVar[str] = "text_delta"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingDelta:
    """A piece of the model's thinking, unchanged. Never empty."""

    type: ClassVar[str] = "thinking_delta"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens spent, as providers told. None is "not reported"; 0 is a zero that was measured.

    Units: tokens. `unmeasured_rounds` is how many rounds of the sum gave no count at all.
    """

    type: ClassVar[str] = "usage"
    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_creation_tokens: int | None = None
    reasoning_tokens: int | None = None
    cache_ttl: str | None = None
    unmeasured_rounds: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageStart:
    """A model was asked. The id names the round: a second attempt at it opens the same message anew."""

    type: ClassVar[str] = "message_start"
    message_id: str
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageEnd:
    """A model's turn is over. `stop_reason` is the provider's label; `usage` is this turn's alone."""

    type: ClassVar[str] = "message_end"
    message_id: str
    stop_reason: str | None = None
    outcome: str = "done"
    usage: Usage | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallStart:
    """A call: `announced` when the model first speaks of it, `executing` when the run dispatches it."""

    type: ClassVar[str] = "tool_call_start"
    call_id: CallId
    tool_name: str
    phase: CallPhase


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallDelta:
    """A piece of a call's argument text. All pieces of a call, joined, are one JSON object."""

    type: ClassVar[str] = "tool_call_delta"
    call_id: CallId
    arguments_delta: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolProgress:
    """A running tool says how far it is. `sequence` counts from 0 for each call."""

    type: ClassVar[str] = "tool_progress"
    call_id: CallId
    sequence: int
    payload: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """A call is settled.

    Shape: `content` is text: the tool's own where it gave text, else compact JSON, "" where it gave nothing;
    `error` is what the model is told where the status is not `ok`.
    Units: `duration_ms` is milliseconds from dispatch to result; 0.0 where the call never ran.
    """

    type: ClassVar[str] = "tool_result"
    call_id: CallId
    status: ToolStatus
    content: str
    error: str | None = None
    duration_ms: float = 0.0

    @property
    def is_error(self) -> bool:
        """Whether the model is told of an error: any status but `ok`."""
        return self.status is not ToolStatus.OK


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """A source's or tool's own event. `extension_type` names it: `type` is taken by the stream event itself."""

    type: ClassVar[str] = "extension"
    extension_type: str
    payload: Any = None
    event_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """Operations read from a block of text that is not shown, or why they could not be read."""

    type: ClassVar[str] = "extracted"
    tag: str
    operations: tuple[Any, ...] = ()
    diagnostic: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Retracted:
    """What was shown of this message, in this attempt, is void. Never a tool that ran."""

    type: ClassVar[str] = "retracted"
    message_id: str
    round: int
    attempt: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A bounded pipeline lost `count` of `dropped_kind`, `first` to `last` in their own numbering."""

    type: ClassVar[str] = "dropped"
    dropped_kind: str
    count: int
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AskUserQuestion:
    """The run waits, and every open pause is a question."""

    type: ClassVar[str] = "ask_user_question"
    pending: tuple[PendingInterrupt, ...]

    def __post_init__(self) -> None:
        _check_pending(self.pending)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupt:
    """The run waits, for leave to run a call or for a named interrupt."""

    type: ClassVar[str] = "interrupt"
    pending: tuple[PendingInterrupt, ...]

    def __post_init__(self) -> None:
        _check_pending(self.pending)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A run that had paused goes on, and how each of its pauses was settled."""

    type: ClassVar[str] = "resolved"
    resolutions: tuple[Resolution, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseComplete:
    """The last event of a public stream, on every ending, partial where the run was cut.

    Shape: `text` is all shown, un-retracted text of the run, nothing added; `answer` is that of its last round.
    `pending` is what a paused run waits for. The error fields are None unless the outcome is `error`; foreign
    error text is never here.
    Units: `duration_ms` is milliseconds at work, to one decimal, None where nobody measured them; waiting for a
    person is not counted.
    """

    type: ClassVar[str] = "response_complete"
    outcome: Ending
    text: str = ""
    answer: str = ""
    output: Any = None
    usage: Usage | None = None
    duration_ms: float | None = None
    run_id: RunId = NO_RUN
    stop_reason: str | None = None
    termination: str | None = None
    """Why the run ended; None for a pause, which is no end of the run."""
    pending: tuple[PendingInterrupt, ...] = ()
    error_code: str | None = None
    error_class: str | None = None
    error_reference: str | None = None
    retryable: bool | None = None
    cancel_reason: str | None = None

    def __post_init__(self) -> None:
        if (self.outcome == "paused") != bool(self.pending):
            raise ValueError(f"a run waits for something exactly if it is paused: {self.outcome!r}, {self.pending!r}")
        if (self.outcome == "error") != bool(self.error_code):
            raise ValueError(f"a run has an error code exactly if it failed: {self.outcome!r}, {self.error_code!r}")


StreamEvent = (
    TextDelta
    | ThinkingDelta
    | Usage
    | MessageStart
    | MessageEnd
    | ToolCallStart
    | ToolCallDelta
    | ToolProgress
    | ToolResult
    | Extension
    | Extracted
    | Retracted
    | Dropped
    | AskUserQuestion
    | Interrupt
    | Resolved
    | ResponseComplete
)

STREAM_EVENT_TYPES: tuple[type[StreamEvent], ...] = (
    TextDelta,
    ThinkingDelta,
    Usage,
    MessageStart,
    MessageEnd,
    ToolCallStart,
    ToolCallDelta,
    ToolProgress,
    ToolResult,
    Extension,
    Extracted,
    Retracted,
    Dropped,
    AskUserQuestion,
    Interrupt,
    Resolved,
    ResponseComplete,
)


def _check_pending(pending: tuple[PendingInterrupt, ...]) -> None:
    if not pending:
        raise ValueError("a pause must say what it waits for, came none")
