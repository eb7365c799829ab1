"""What people decided about a run: who, when, what was asked, what they changed, and what came of it.

In: all that is stored of a run, and what was sent to it and not heard yet. Out: a decision each, in the order in which
they were made, and what was settled without one: by the clock, or with the run.

Source: docs/pauses.md, ADR 0031 (who decided is a fact), ADR 0040 (who cancelled is one).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from treadle.kernel.standing import edits
from treadle.runtime.unheard import NOTHING_UNHEARD, Unheard
from treadle.values.calls import ToolStatus
from treadle.values.events import FINAL_TYPES
from treadle.values.facts import AnswerKept, CancelKept, DecisionKept, OutcomeKept, PauseKept
from treadle.values.ids import CallId, InterruptId, RunId
from treadle.values.mappings import Json
from treadle.values.pauses import Decision, PauseKind, PendingInterrupt, Resolution, Settlement
from treadle.values.stretches import Stretch, entries_of


class Heard(StrEnum):
    """Whether a run knows of a decision about it."""

    YES = "yes"
    NOT_YET = "not_yet"
    """It was taken in, and waits for a process that works on the run."""
    NEVER = "never"
    """It was taken in, and the run ended for another reason before it heard of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """One pause, settled.

    Shape: `decision` is None where nobody decided about the pause itself; `by` then names who stopped the run it ended
        with, and is None where nobody is known to have. `asked` is the request as it was asked, `said` what was
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
    heard: Heard = Heard.YES


@dataclass(slots=True)
class _Kept:
    """What a log holds of pauses. `at_s` beside each is when it was stored."""

    asked: dict[InterruptId, tuple[float, PendingInterrupt]] = field(default_factory=dict)
    decided: dict[InterruptId, DecisionKept] = field(default_factory=dict)
    settled: dict[InterruptId, tuple[float, Resolution]] = field(default_factory=dict)
    results: dict[CallId, ToolStatus] = field(default_factory=dict)
    cancel: CancelKept | None = None
    is_final: bool = False


def audit_of(stretches: Sequence[Stretch], run_id: RunId, *, unheard: Unheard = NOTHING_UNHEARD) -> tuple[Audited, ...]:
    """Every settled pause of a run."""
    kept = _kept(stretches, run_id)
    heard = [
        _audited(run_id, kept, named, settled, who=kept.decided.get(named) or _stopped_by(kept.cancel, settled[1]))
        for named, settled in kept.settled.items()
    ]
    state = Heard.NEVER if kept.is_final else Heard.NOT_YET
    open_ = [named for named in kept.asked if named not in kept.settled]
    sent = [
        _audited(run_id, kept, named, (0.0, one.resolution), who=one.decided, heard=state)
        for named, one in unheard.answers.items()
        if named in open_
    ]
    return (*heard, *sent, *_to_be_stopped(run_id, kept, unheard))


def _kept(stretches: Sequence[Stretch], run_id: RunId) -> _Kept:
    kept = _Kept()
    for stretch in stretches:
        for entry in entries_of([stretch], run_id):
            match entry:
                case PauseKept(pending=pending):
                    kept.asked[pending.interrupt_id] = stretch.at_s, pending
                case DecisionKept():
                    kept.decided[entry.interrupt_id] = entry
                case CancelKept():
                    kept.cancel = entry
                case AnswerKept(resolution=resolution):
                    kept.settled[resolution.interrupt_id] = stretch.at_s, resolution
                case OutcomeKept(outcome=outcome):
                    kept.results[outcome.call_id] = outcome.status
                case _:
                    kept.is_final = isinstance(entry, FINAL_TYPES)
    return kept


def _stopped_by(cancel: CancelKept | None, resolution: Resolution) -> CancelKept | None:
    """Who stopped the run, where that is what settled this pause."""
    return cancel if resolution.settlement is Settlement.CANCELLED else None


def _to_be_stopped(run_id: RunId, kept: _Kept, unheard: Unheard) -> Iterable[Audited]:
    """The pauses that will end with their run, which was asked to stop and has not heard of it."""
    asked = None if unheard.cancel is None else unheard.cancel.asked
    if asked is None or kept.is_final:
        return
    for named in kept.asked:
        if named not in kept.settled and named not in unheard.settled:
            ends = Resolution(interrupt_id=named, settlement=Settlement.CANCELLED)
            yield _audited(run_id, kept, named, (asked.at_s, ends), who=asked, heard=Heard.NOT_YET)


def _audited(
    run_id: RunId,
    kept: _Kept,
    named: InterruptId,
    settled: tuple[float, Resolution],
    *,
    who: DecisionKept | CancelKept | None,
    heard: Heard = Heard.YES,
) -> Audited:
    asked_s, pending = kept.asked[named]
    at_s, resolution = settled
    before = pending.request.get("arguments", {})
    return Audited(
        run_id=run_id,
        interrupt_id=pending.interrupt_id,
        kind=pending.kind,
        call_id=pending.call_id,
        asked_s=asked_s,
        asked=pending.request,
        said_s=at_s if who is None else who.at_s,
        by=None if who is None else who.by,
        decision=who.decision if isinstance(who, DecisionKept) else None,
        settlement=resolution.settlement,
        said=resolution.value,
        reason=who.reason if isinstance(who, CancelKept) else resolution.reason,
        changed=dict(_changes(before, resolution.value)) if edits(pending, resolution) else {},
        result=kept.results.get(pending.call_id),
        heard=heard,
    )


def _changes(before: Mapping[str, Json], after: Mapping[str, Json]) -> Iterable[tuple[str, tuple[Json, Json]]]:
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name) or (name in before) != (name in after):
            yield name, (before.get(name), after.get(name))
