"""The stored form of events, facts and requests: every class has its row, every field its form.

In: an entry of a log. Out: JSON terms, tagged by `kind`; and back. What an outcome holds for callers in process alone
(`messages`, `tool_outcomes`) is not stored.

Source: docs/records.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from treadle.codec.forms import (
    BYTES,
    COUNT,
    FLAG,
    JSON,
    MAPPING,
    NUMBER,
    TEXT,
    Form,
    choice,
    many,
    maybe,
    set_of,
    tagged,
    value_of,
)
from treadle.codec.payloads import Payloads, payload_form
from treadle.values import events as ev
from treadle.values import facts as fa
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.events import KernelEvent
from treadle.values.facts import Ending, Fact
from treadle.values.limits import Limits, Retries, RunRules
from treadle.values.model import ModelTurn, StopReason
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import Decision, OnExpiry, PauseKind, PendingInterrupt, Resolution, Settlement
from treadle.values.records import Entry
from treadle.values.requests import Attachment, TurnMessage, TurnRequest, UserMessage
from treadle.values.usage import COUNTS, UsageDelta

_WORDS: Final = maybe(TEXT)

USAGE: Final = value_of(
    UsageDelta,
    **dict.fromkeys(COUNTS, COUNT),
    cache_ttl=_WORDS,
    reported=set_of(TEXT),
    unmeasured_rounds=COUNT,
)
TOOL_REQUEST: Final = value_of(
    ToolRequest,
    call_id=TEXT,
    name=TEXT,
    arguments=MAPPING,
    provider_id=TEXT,
    raw_arguments=_WORDS,
    damage=_WORDS,
)
TOOL_OUTCOME: Final = value_of(
    ToolOutcome, call_id=TEXT, status=choice(ToolStatus), content=JSON, error=_WORDS, duration_ms=NUMBER
)
PENDING: Final = value_of(
    PendingInterrupt,
    interrupt_id=TEXT,
    kind=choice(PauseKind),
    call_id=TEXT,
    request=MAPPING,
    response_schema=MAPPING,
    arguments_digest=TEXT,
    expires_at=maybe(NUMBER),
    on_expiry=choice(OnExpiry),
)
RESOLUTION: Final = value_of(Resolution, interrupt_id=TEXT, settlement=choice(Settlement), value=JSON, reason=_WORDS)
DECISION_KEPT: Final = value_of(fa.DecisionKept, interrupt_id=TEXT, decision=choice(Decision), by=TEXT, at_s=NUMBER)
CANCEL_KEPT: Final = value_of(fa.CancelKept, by=TEXT, at_s=NUMBER, reason=_WORDS)
OUTCOME: Final = value_of(
    InvocationOutcome,
    text=TEXT,
    answer_at=COUNT,
    output=JSON,
    usage=USAGE,
    run_id=TEXT,
    duration_ms=NUMBER,
    stop_reason=_WORDS,
)
ENDING: Final = value_of(
    Ending,
    code=_WORDS,
    error_class=TEXT,
    retryable=FLAG,
    reference=_WORDS,
    detail=_WORDS,
    termination=TEXT,
    reason=_WORDS,
    stops=FLAG,
)
ATTACHMENT: Final = value_of(Attachment, media_type=TEXT, data=BYTES, url=TEXT, name=TEXT)
USER_MESSAGE: Final = value_of(UserMessage, text=TEXT, attachments=many(ATTACHMENT))
_LIMIT: Final = maybe(NUMBER)
LIMITS: Final = value_of(
    Limits,
    rounds=_LIMIT,
    tool_calls=_LIMIT,
    wall_clock_s=_LIMIT,
    stall_s=_LIMIT,
    output_bytes=_LIMIT,
    tokens=_LIMIT,
)
RETRIES: Final = value_of(Retries, attempts=COUNT, first_wait_s=NUMBER, longest_wait_s=NUMBER, after_output=FLAG)
RULES: Final = value_of(RunRules, agent=TEXT, model=TEXT, limits=LIMITS, retries=RETRIES, recalls=FLAG)


def turn_form(payloads: Payloads) -> Form:
    """A model's whole turn, its payload as its adapter writes it."""
    return value_of(
        ModelTurn,
        text=TEXT,
        tool_requests=many(TOOL_REQUEST),
        usage=USAGE,
        stop_reason=maybe(choice(StopReason)),
        payload=payload_form(payloads),
        damage=_WORDS,
        thinking=TEXT,
    )


def turn_message_form(payloads: Payloads) -> Form:
    """An earlier turn of the thread."""
    return value_of(TurnMessage, turn=turn_form(payloads), outcomes=many(TOOL_OUTCOME), cut=FLAG)


def request_form(payloads: Payloads) -> Form:
    """What a caller asked."""
    earlier = tagged({"user": (UserMessage, USER_MESSAGE), "turn": (TurnMessage, turn_message_form(payloads))})
    return value_of(
        TurnRequest,
        prompt=TEXT,
        attachments=many(ATTACHMENT),
        history=many(earlier),
        run_id=TEXT,
        root_run_id=TEXT,
        parent_run_id=_WORDS,
        thread_id=TEXT,
        scope=_WORDS,
        properties=MAPPING,
    )


def fact_forms(payloads: Payloads) -> Mapping[type[Fact], Form]:
    """A row for each class of fact."""
    return {
        fa.RequestKept: value_of(fa.RequestKept, request=request_form(payloads), rules=RULES),
        fa.RecallKept: value_of(fa.RecallKept, blocks=many(TEXT)),
        fa.RoundOpened: value_of(fa.RoundOpened, round=COUNT, attempt=COUNT),
        fa.RoundCut: value_of(fa.RoundCut, round=COUNT, attempt=COUNT, usage=USAGE, code=TEXT),
        fa.TurnKept: value_of(
            fa.TurnKept, round=COUNT, attempt=COUNT, turn=turn_form(payloads), streamed=set_of(COUNT)
        ),
        fa.OutcomeKept: value_of(fa.OutcomeKept, outcome=TOOL_OUTCOME),
        fa.PauseKept: value_of(fa.PauseKept, pending=PENDING),
        fa.DecisionKept: DECISION_KEPT,
        fa.CancelKept: CANCEL_KEPT,
        fa.AnswerKept: value_of(fa.AnswerKept, resolution=RESOLUTION),
        fa.EndBegun: value_of(fa.EndBegun, ending=ENDING),
    }


def entry_form(payloads: Payloads) -> Form:
    """Any entry of a log, tagged by its kind."""
    rows: Iterable[tuple[type[Entry], Form]] = [*EVENT_FORMS.items(), *fact_forms(payloads).items()]
    return tagged({kind.kind: (kind, form) for kind, form in rows})


def _event(kind: type[KernelEvent], **forms: Form) -> Form:
    return value_of(kind, index=COUNT, run_id=TEXT, **forms)


_PENDING: Final = many(PENDING)

EVENT_FORMS: Mapping[type[KernelEvent], Form] = {
    ev.RunStarted: _event(
        ev.RunStarted,
        agent=TEXT,
        thread_id=TEXT,
        root_run_id=TEXT,
        parent_run_id=_WORDS,
        prompt=TEXT,
        tool_call_limit=NUMBER,
    ),
    ev.Resumed: _event(ev.Resumed, resolutions=many(RESOLUTION)),
    ev.Stage: _event(
        ev.Stage, stage_id=TEXT, phase=TEXT, capability=TEXT, outcome=_WORDS, reason=_WORDS, counts=MAPPING
    ),
    ev.RoundStarted: _event(ev.RoundStarted, round=COUNT, attempt=COUNT, model=TEXT),
    ev.RoundEnded: _event(ev.RoundEnded, round=COUNT, attempt=COUNT, usage=USAGE, stop_reason=_WORDS, outcome=TEXT),
    ev.Thinking: _event(ev.Thinking, passage=COUNT, text=TEXT),
    ev.TextDelta: _event(ev.TextDelta, passage=COUNT, text=TEXT),
    ev.ToolAnnounced: _event(ev.ToolAnnounced, call_id=TEXT, name=TEXT),
    ev.ToolArguments: _event(ev.ToolArguments, call_id=TEXT, text=TEXT),
    ev.ToolCall: _event(ev.ToolCall, request=TOOL_REQUEST, streamed=FLAG),
    ev.ToolProgress: _event(ev.ToolProgress, call_id=TEXT, sequence=COUNT, payload=JSON),
    ev.ToolResult: _event(ev.ToolResult, outcome=TOOL_OUTCOME),
    ev.Retracted: _event(ev.Retracted, round=COUNT, attempt=COUNT, reason=TEXT),
    ev.Extracted: _event(ev.Extracted, tag=TEXT, operations=many(JSON), diagnostic=_WORDS),
    ev.Extension: _event(ev.Extension, type=TEXT, payload=JSON, event_id=TEXT),
    ev.Dropped: _event(ev.Dropped, dropped_kind=TEXT, count=COUNT, first=COUNT, last=COUNT),
    ev.AskUser: _event(ev.AskUser, pending=_PENDING, outcome=OUTCOME),
    ev.Interrupt: _event(ev.Interrupt, pending=_PENDING, outcome=OUTCOME),
    ev.Done: _event(ev.Done, outcome=OUTCOME, termination=TEXT),
    ev.Error: _event(
        ev.Error,
        outcome=OUTCOME,
        code=TEXT,
        error_class=TEXT,
        retryable=FLAG,
        reference=_WORDS,
        detail=_WORDS,
        termination=TEXT,
    ),
    ev.Cancelled: _event(ev.Cancelled, outcome=OUTCOME, reason=_WORDS, termination=TEXT),
}
