"""What people decided about a run: who, when, what was asked, what they changed, and what came of it.

In: all that is stored of a run. Out: a decision each, in the order in which they were made, and what was settled by
nobody: an expiry, a stop.

Source: docs/pauses.md, ADR 0031 (who decided is a fact).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treadle.kernel.standing import edits
from treadle.values.calls import ToolStatus
from treadle.values.facts import AnswerKept, DecisionKept, OutcomeKept, PauseKept
from treadle.values.ids import CallId, InterruptId, RunId
from treadle.values.mappings import Json
from treadle.values.pauses import Decision, PauseKind, PendingInterrupt, Resolution, Settlement
from treadle.values.stretches import Stretch, entries_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """One pause, settled.

    Shape: `by` and `decision` are None where nobody decided. `asked` is the request as it was asked, `said` what was
        answered; `changed` names the arguments that an edit changed, as `{name: [asked, said]}`. `result` is how the
        call ended, None while it has not.
    Units: times are UTC seconds: when it was asked, and when it was said, or stored where nobody said anything.
    """

    run_id: RunId
    interrupt_id: InterruptId
    kind: PauseKind
    call_id: CallId
    asked_s: float
    asked: Mapping[str, Any]
    said_s: float
    by: str | None
    decision: Decision | None
    settlement: Settlement
    said: Json
    reason: str | None
    changed: Mapping[str, tuple[Json, Json]]
    result: ToolStatus | None


def audit_of(stretches: Sequence[Stretch], run_id: RunId) -> tuple[Audited, ...]:
    """Every settled pause of a run."""
    asked: dict[InterruptId, tuple[float, PendingInterrupt]] = {}
    decided: dict[InterruptId, DecisionKept] = {}
    answers: list[tuple[float, Resolution]] = []
    results: dict[CallId, ToolStatus] = {}
    for stretch in stretches:
        for entry in entries_of([stretch], run_id):
            match entry:
                case PauseKept(pending=pending):
                    asked[pending.interrupt_id] = stretch.at_s, pending
                case DecisionKept():
                    decided[entry.interrupt_id] = entry
                case AnswerKept(resolution=resolution):
                    answers.append((stretch.at_s, resolution))
                case OutcomeKept(outcome=outcome):
                    results[outcome.call_id] = outcome.status
                case _:
                    pass
    return tuple(
        _audited(run_id, asked[answer.interrupt_id], (at_s, answer), decided.get(answer.interrupt_id), results)
        for at_s, answer in answers
    )


def _audited(
    run_id: RunId,
    asked: tuple[float, PendingInterrupt],
    settled: tuple[float, Resolution],
    decided: DecisionKept | None,
    results: Mapping[CallId, ToolStatus],
) -> Audited:
    asked_s, pending = asked
    at_s, resolution = settled
    before = pending.request.get("arguments", {})
    return Audited(
        run_id=run_id,
        interrupt_id=pending.interrupt_id,
        kind=pending.kind,
        call_id=pending.call_id,
        asked_s=asked_s,
        asked=pending.request,
        said_s=at_s if decided is None else decided.at_s,
        by=None if decided is None else decided.by,
        decision=None if decided is None else decided.decision,
        settlement=resolution.settlement,
        said=resolution.value,
        reason=resolution.reason,
        changed=dict(_changes(before, resolution.value)) if edits(pending, resolution) else {},
        result=results.get(pending.call_id),
    )


def _changes(before: Mapping[str, Json], after: Mapping[str, Json]) -> Iterable[tuple[str, tuple[Json, Json]]]:
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name) or (name in before) != (name in after):
            yield name, (before.get(name), after.get(name))
