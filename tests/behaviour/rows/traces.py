"""Traces: what becomes of spans, whatever becomes of the run."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

_FIELD = "ours, after what users of other frameworks reported"
_FOLD = "design: everything else is a fold"

ROWS: dict[str, Requirement] = {
    "BR-174": Requirement(
        source=_FIELD,
        says="Nothing is attached to a context, so nothing is reset in another; the caller's stays as it was.",
    ),
    "BR-175": Requirement(
        source=_FIELD, says="A run that is left from another task has its span ended once, and nothing is logged."
    ),
    "BR-178": Requirement(
        source=_FIELD,
        says="A run left after one delta, never read or let go twice has one ended span a part, with the usage known.",
    ),
    "BR-180": Requirement(
        source=_FIELD, says="A cancelled run has its spans, marked as cancelled and not as errors, with partial values."
    ),
    "BR-181": Requirement(
        source=_FIELD,
        says="After a thousand runs, half of them stopped, no span is open and nothing is held of a run that is over.",
    ),
    "BR-185": Requirement(
        source=_FIELD, says="Any value that a tool returns can be traced, and what fails in tracing harms no run."
    ),
    "TRACE-ends": Requirement(
        source=_FOLD, says="Every span that is begun is ended once, on every path and wherever the records stop."
    ),
    "TRACE-times": Requirement(source=_FOLD, says="The times of spans are those of the records, and never go back."),
    "TRACE-usage": Requirement(
        source="design: honest usage", says="A span tells the counts that a provider reported, and no others."
    ),
    "TRACE-content": Requirement(
        source="design: nothing leaks",
        says="What was said stands on spans only where it is asked for, as it was shown; what facts hold never does.",
    ),
    "TRACE-middle": Requirement(
        source="ours", says="A worker that takes a run over traces it from where it stands, and says that it did."
    ),
    "TRACE-nothing": Requirement(source="ours", says="A run of which nothing was done has no span."),
    "TRACE-segments": Requirement(
        source="ours", says="Each segment has a span, linked to the earlier one's where this process has it."
    ),
    "TRACE-parent": Requirement(
        source="ours",
        says="A run stands under the span its request names, the run of the call that began it, or the current span.",
    ),
    "TRACE-bounded": Requirement(
        source="ours", says="Tracing keeps nothing of a run that is over, and of runs that wait a bounded number."
    ),
    "TRACE-harmless": Requirement(
        source="ours", says="A tracer that fails is told to the operator once for each class of failure, and to no run."
    ),
}
