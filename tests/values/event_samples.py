"""Kernel events to try things on: one full example of each class, and a strategy that draws any.

What a test adds to these is what it is about.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.ids import CallId, InterruptId, RunId, ThreadId
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import OnExpiry, PauseKind, PendingInterrupt, Resolution, Settlement
from treadle.values.usage import COUNTS, UsageDelta

RUN = RunId("r1")
CALL = CallId("r1.c1")
USAGE = UsageDelta(input_tokens=7, output_tokens=3, total_tokens=10)
OUTCOME = InvocationOutcome(
    text="Let me look. It is 3.",
    answer_at=13,
    output={"sum": 3},
    usage=USAGE,
    run_id=RUN,
    duration_ms=12.345,
    stop_reason="stop",
)
REQUEST = ToolRequest(call_id=CALL, name="add", arguments={"a": 1, "b": [2]}, provider_id="call_abc")
QUESTION = PendingInterrupt(
    interrupt_id=InterruptId("r1.i1"),
    kind=PauseKind.ASK_USER,
    call_id=CALL,
    request={"questions": [{"text": "Which one?"}]},
    response_schema={"type": "object"},
    arguments_digest="d1gest",
    expires_at=1000.0,
    on_expiry=OnExpiry.FAIL,
)
APPROVAL = PendingInterrupt(
    interrupt_id=InterruptId("r1.i2"), kind=PauseKind.APPROVAL, call_id=CALL, request={"name": "add"}
)


def event(kind: type[ev.KernelEvent], **fields: Any) -> Any:  # noqa: ANN401 (an event of the class that is given)
    """An event of this class at index 0 of run `r1`."""
    return kind(index=0, run_id=RUN, **fields)


SAMPLES: tuple[ev.KernelEvent, ...] = (
    event(ev.RunStarted, agent="calc", thread_id=ThreadId("t1"), root_run_id=RUN, prompt="1+2?", tool_call_limit=64),
    event(
        ev.Resumed,
        resolutions=(
            Resolution(interrupt_id=InterruptId("r1.i1"), settlement=Settlement.ANSWERED, value={"q": ["red"]}),
        ),
    ),
    event(ev.Stage, stage_id="s1", phase="recall", capability="memory", outcome="done", counts={"blocks": 2}),
    event(ev.RoundStarted, round=2, attempt=1, model="gpt"),
    event(ev.RoundEnded, round=2, attempt=1, usage=USAGE, stop_reason="stop"),
    event(ev.Thinking, passage=1, text="hm"),
    event(ev.TextDelta, passage=2, text="It is 3."),
    event(ev.ToolAnnounced, call_id=CALL, name="add"),
    event(ev.ToolArguments, call_id=CALL, text='{"a":'),
    event(ev.ToolCall, request=REQUEST),
    event(ev.ToolProgress, call_id=CALL, sequence=0, payload={"done": 1}),
    event(ev.ToolResult, outcome=ToolOutcome(call_id=CALL, content={"sum": 3}, duration_ms=4.25)),
    event(ev.Retracted, round=2, attempt=1, reason="retried"),
    event(ev.Extracted, tag="MEMORY_EXTRACT", operations=({"type": "add"},)),
    event(ev.Extension, type="timing", payload={"ms": 1}, event_id="e1"),
    event(ev.Dropped, dropped_kind="tool_progress", count=3, first=4, last=6),
    event(ev.AskUser, pending=(QUESTION,), outcome=OUTCOME),
    event(ev.Interrupt, pending=(QUESTION, APPROVAL), outcome=OUTCOME),
    event(ev.Done, outcome=OUTCOME),
    event(ev.Error, outcome=OUTCOME, code="upstream_truncated", reference="ref1", detail="dsn=postgres://u:p@h"),
    event(ev.Cancelled, outcome=OUTCOME, reason="stop button"),
)
SAMPLE_OF: dict[type[ev.KernelEvent], ev.KernelEvent] = {type(sample): sample for sample in SAMPLES}

texts = st.text(max_size=8)
spoken = st.text(min_size=1, max_size=8)
ids = st.sampled_from([CallId("r1.c1"), CallId("r1.c2")])
rounds = st.integers(1, 3)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
counts = st.integers(0, 5)
usages = st.builds(
    lambda given, reported, ttl, unmeasured: UsageDelta(
        **given,
        reported=frozenset(reported),
        cache_ttl=ttl if given or reported else None,
        unmeasured_rounds=unmeasured,
    ),
    st.dictionaries(st.sampled_from(COUNTS), st.integers(1, 9), max_size=3),
    st.sets(st.sampled_from(COUNTS), max_size=2),
    st.sampled_from([None, "5m", "1h"]),
    st.integers(0, 2),
)
durations_ms = st.just(0.0) | st.floats(0.1, 1e6)
outcomes = st.builds(
    lambda before, answer, **rest: InvocationOutcome(text=before + answer, answer_at=len(before), run_id=RUN, **rest),
    texts,
    texts,
    output=json_values,
    usage=usages,
    duration_ms=durations_ms,
    stop_reason=st.none() | texts,
)
requests = st.builds(ToolRequest, call_id=ids, name=spoken, arguments=st.dictionaries(texts, json_values, max_size=2))
tool_outcomes = st.builds(ToolOutcome, call_id=ids, content=json_values, duration_ms=durations_ms) | st.builds(
    ToolOutcome,
    call_id=ids,
    status=st.sampled_from([status for status in ToolStatus if status is not ToolStatus.OK]),
    content=json_values,
    error=spoken,
    duration_ms=durations_ms,
)
pendings = st.lists(st.sampled_from([QUESTION, APPROVAL]), min_size=1, max_size=2).map(tuple)

_DRAWN: dict[type[ev.KernelEvent], dict[str, st.SearchStrategy[Any]]] = {
    ev.RunStarted: {
        "agent": texts,
        "thread_id": texts.map(ThreadId),
        "root_run_id": st.just(RUN),
        "prompt": texts,
        "tool_call_limit": counts,
    },
    ev.Resumed: {
        "resolutions": st.builds(
            Resolution,
            interrupt_id=st.just(InterruptId("r1.i1")),
            settlement=st.sampled_from(Settlement),
            value=json_values,
        ).map(lambda one: (one,))
    },
    ev.Stage: {"stage_id": texts, "phase": texts, "counts": st.dictionaries(texts, counts, max_size=2)},
    ev.RoundStarted: {"round": rounds, "attempt": rounds, "model": texts},
    ev.RoundEnded: {"round": rounds, "attempt": rounds, "usage": usages, "stop_reason": st.none() | texts},
    ev.Thinking: {"passage": rounds, "text": spoken},
    ev.TextDelta: {"passage": rounds, "text": spoken},
    ev.ToolAnnounced: {"call_id": ids, "name": texts},
    ev.ToolArguments: {"call_id": ids, "text": spoken},
    ev.ToolCall: {"request": requests, "streamed": st.booleans()},
    ev.ToolProgress: {"call_id": ids, "sequence": counts, "payload": json_values},
    ev.ToolResult: {"outcome": tool_outcomes},
    ev.Retracted: {"round": rounds, "attempt": rounds, "reason": texts},
    ev.Extracted: {"tag": texts, "operations": st.lists(json_values, max_size=2).map(tuple)},
    ev.Extension: {"type": texts, "payload": json_values, "event_id": texts},
    ev.Dropped: {"dropped_kind": texts, "count": rounds, "first": counts, "last": st.integers(5, 9)},
    ev.AskUser: {"pending": st.just((QUESTION,)), "outcome": outcomes},
    ev.Interrupt: {"pending": pendings, "outcome": outcomes},
    ev.Done: {"outcome": outcomes, "termination": texts},
    ev.Error: {"outcome": outcomes, "code": spoken, "detail": st.none() | texts},
    ev.Cancelled: {"outcome": outcomes, "reason": st.none() | texts},
}


def kernel_events(*kinds: type[ev.KernelEvent]) -> st.SearchStrategy[ev.KernelEvent]:
    """Any event of these classes; of the whole union, where none is named."""
    return st.one_of(
        *(st.builds(event, st.just(kind), **fields) for kind, fields in _DRAWN.items() if not kinds or kind in kinds)
    )
