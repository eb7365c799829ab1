"""Where one run stands: the state that its records fold to.

Nothing else changes it: a live machine folds each draft and fact as it makes it, a rebuilt one folds those that
were stored, so both stand in the same place. Text is not here; it lives where it is filtered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any

from treadle.kernel.transitions import Phase
from treadle.values import events as ev
from treadle.values import facts as fa
from treadle.values.calls import ToolOutcome, ToolRequest
from treadle.values.facts import Ending
from treadle.values.ids import CallId, InterruptId
from treadle.values.limits import RunRules
from treadle.values.making import maker
from treadle.values.model import ModelTurn
from treadle.values.pauses import IS_THE_RESULT, PauseKind, PendingInterrupt, Resolution, Settlement
from treadle.values.records import Entry
from treadle.values.requests import TurnMessage, TurnRequest
from treadle.values.usage import NO_USAGE, UsageDelta


class CallStage(StrEnum):
    """How far a call of the present round has come."""

    ANNOUNCED = "announced"
    EXECUTING = "executing"
    PAUSED = "paused"
    SETTLED = "settled"


# A member of an enum is looked up by the enum's class, which is slow where every call does it.
_EXECUTING, _SETTLED = CallStage.EXECUTING, CallStage.SETTLED
_ASKING, _CALLING = Phase.ASKING, Phase.CALLING

_turn_message = maker(TurnMessage)


@dataclass(slots=True)
class Call:
    """A call of the present round.

    `dispatched`: it was told to run, be it that it paused since. `streamed`: its argument text was given in pieces.
    `said` is what it asked by interrupts, and what was answered, in order.
    """

    call_id: CallId
    name: str
    stage: CallStage = CallStage.ANNOUNCED
    dispatched: bool = False
    streamed: bool = False
    request: ToolRequest | None = None
    outcome: ToolOutcome | None = None
    next_sequence: int = 0
    said: tuple[tuple[PendingInterrupt, Resolution], ...] = ()


@dataclass(slots=True)
class Standing:
    """The state of one run. Only `fold` changes it."""

    phase: Phase = Phase.NEW
    request: TurnRequest | None = None
    rules: RunRules | None = None
    recalled: tuple[str, ...] = ()
    round: int = 0
    attempt: int = 0
    turn: ModelTurn | None = None
    calls: dict[CallId, Call] = field(default_factory=dict)
    """The calls of the present round by id, in the order of their slots."""
    turns: list[TurnMessage] = field(default_factory=list)
    """The finished turns, oldest first. It only grows."""
    calls_made: int = 0
    """How many call ids were given in the run."""
    dispatched: int = 0
    measured: UsageDelta = NO_USAGE
    """What attempts have spent, as far as it was told."""
    unmeasured: int = 0
    """How many attempts told nothing."""
    spent_tokens: int = 0
    takeovers: int = 0
    """How often the present round was begun again after a lost worker."""
    pauses: dict[InterruptId, PendingInterrupt] = field(default_factory=dict)
    answers: dict[InterruptId, Resolution] = field(default_factory=dict)
    pauses_made: int = 0
    ending: Ending | None = None

    @property
    def usage(self) -> UsageDelta:
        """What the run has spent by now."""
        return self.measured + UsageDelta(unmeasured_rounds=self.unmeasured)

    @property
    def failures(self) -> int:
        """How many attempts at the present round the model has failed. A lost worker is no failure of a model."""
        return self.attempt - 1 - self.takeovers

    def keep(self, fact: fa.Fact) -> None:
        """Take in a fact."""
        FACT_FOLDERS[type(fact)](self, fact)

    def fold(self, event: type[ev.KernelEvent], fields: Mapping[str, Any]) -> None:
        """Take in a draft of an event: its class and its fields."""
        folder = EVENT_FOLDERS.get(event)
        if folder is not None:
            folder(self, fields)

    def take(self, entry: Entry) -> None:
        """Take in an entry of a log."""
        kind = type(entry)
        if kind in FACT_FOLDERS:
            FACT_FOLDERS[kind](self, entry)
        elif kind in EVENT_FOLDERS:
            EVENT_FOLDERS[kind](self, _fields_of(entry))

    def open_calls(self) -> list[Call]:
        """The calls of the present round that have no result yet."""
        return [call for call in self.calls.values() if call.stage is not _SETTLED]

    def all_settled(self) -> bool:
        """Whether every call of the present round has its result."""
        for call in self.calls.values():  # noqa: SIM110 (a generator costs twice the loop, and every call asks)
            if call.stage is not _SETTLED:
                return False
        return True

    def is_at(self, stage: CallStage) -> bool:
        """Whether a call of the present round stands there."""
        for call in self.calls.values():  # noqa: SIM110 (as above)
            if call.stage is stage:
                return True
        return False

    def executing(self) -> list[Call]:
        """The calls that run now."""
        return [call for call in self.calls.values() if call.stage is _EXECUTING]


def is_granted(pending: PendingInterrupt, resolution: Resolution) -> bool:
    """Whether the call may run, or go on. Where the answer is the call's result, nothing runs."""
    return resolution.settlement is Settlement.ANSWERED and pending.kind not in IS_THE_RESULT


def edits(pending: PendingInterrupt, resolution: Resolution) -> bool:
    """Whether leave was given for other arguments than those that were asked about."""
    return pending.kind is PauseKind.APPROVAL and resolution.value is not None


def _fields_of(entry: Entry) -> Mapping[str, Any]:
    return {field.name: getattr(entry, field.name) for field in fields(entry)}


def _spend(s: Standing, told: UsageDelta) -> None:
    """Add what one attempt spent: what was reported, or one round unmeasured."""
    if told.reported:
        s.measured = s.measured + told
        s.spent_tokens += told.spent_tokens
    else:
        s.unmeasured += 1


def _request_kept(s: Standing, kept: fa.RequestKept) -> None:
    s.request, s.rules = kept.request, kept.rules
    s.phase = Phase.RECALLING if kept.rules.recalls else s.phase


def _recall_kept(s: Standing, kept: fa.RecallKept) -> None:
    s.recalled = kept.blocks


def _round_opened(s: Standing, kept: fa.RoundOpened) -> None:
    s.takeovers = s.takeovers if kept.round == s.round else 0
    s.round, s.attempt = kept.round, kept.attempt
    s.phase, s.turn, s.calls = _ASKING, None, {}


def _round_cut(s: Standing, kept: fa.RoundCut) -> None:
    _spend(s, kept.usage)
    s.takeovers += kept.code == fa.WORKER_LOST


def _announced(s: Standing, f: Mapping[str, Any]) -> None:
    s.calls[f["call_id"]] = Call(f["call_id"], f["name"])
    s.calls_made += 1


def _turn_kept(s: Standing, kept: fa.TurnKept) -> None:
    turn = kept.turn
    s.turn = turn
    _spend(s, turn.usage)
    if not turn.tool_requests:
        s.turns.append(_turn_message(turn=turn))
        return
    s.phase = _CALLING
    for slot, request in enumerate(turn.tool_requests):
        call = s.calls[request.call_id]
        call.request, call.streamed = request, slot in kept.streamed


def _called(s: Standing, f: Mapping[str, Any]) -> None:
    call = s.calls[f["request"].call_id]
    # The event may be redacted, the fact is whole: an edited request is kept by its answer.
    call.stage, call.dispatched = _EXECUTING, True
    s.dispatched += 1


def _progressed(s: Standing, f: Mapping[str, Any]) -> None:
    s.calls[f["call_id"]].next_sequence = f["sequence"] + 1


def _outcome_kept(s: Standing, kept: fa.OutcomeKept) -> None:
    outcome = kept.outcome
    call = s.calls[outcome.call_id]
    call.stage, call.outcome = _SETTLED, outcome
    if s.turn is not None and s.all_settled():
        outcomes = [call.outcome for call in s.calls.values() if call.outcome is not None]
        s.turns.append(_turn_message(turn=s.turn, outcomes=tuple(outcomes)))


def _pause_kept(s: Standing, kept: fa.PauseKept) -> None:
    pending = kept.pending
    s.pauses[pending.interrupt_id] = pending
    s.pauses_made += 1
    s.calls[pending.call_id].stage = CallStage.PAUSED


def _answer_kept(s: Standing, kept: fa.AnswerKept) -> None:
    s.answers[kept.resolution.interrupt_id] = kept.resolution


def _resumed(s: Standing, f: Mapping[str, Any]) -> None:
    for shown in f["resolutions"]:
        # The event may be redacted; the fact holds the whole answer.
        resolution = s.answers.pop(shown.interrupt_id)
        pending = s.pauses.pop(shown.interrupt_id)
        call = s.calls[pending.call_id]
        # A call that had begun goes on where it paused; one that waits for its `tool_call` does not execute yet.
        goes_on = is_granted(pending, resolution)
        call.stage = CallStage.EXECUTING if goes_on and call.dispatched else CallStage.ANNOUNCED
        if goes_on and pending.kind is PauseKind.INTERRUPT:
            call.said += ((pending, resolution),)
        if goes_on and not call.dispatched and edits(pending, resolution) and call.request:
            call.request = replace(call.request, arguments=resolution.value)
            call.streamed = False
    s.phase = Phase.CALLING


def _decision_kept(_: Standing, __: fa.DecisionKept) -> None:
    """Who decided changes nothing of what follows."""


def _cancel_kept(_: Standing, __: fa.CancelKept) -> None:
    """Who asked for the end changes nothing of it."""


def _end_begun(s: Standing, kept: fa.EndBegun) -> None:
    s.ending = kept.ending
    if s.executing() and kept.ending.stops:
        s.phase = Phase.STOPPING


def _retracted(s: Standing, _: Mapping[str, Any]) -> None:
    s.calls = {}


def _paused(s: Standing, _: Mapping[str, Any]) -> None:
    s.phase = Phase.WAITING


def _final(s: Standing, _: Mapping[str, Any]) -> None:
    s.phase = Phase.FINAL
    s.pauses, s.answers = {}, {}


FACT_FOLDERS: dict[type, Callable[[Standing, Any], None]] = {
    fa.RequestKept: _request_kept,
    fa.RecallKept: _recall_kept,
    fa.RoundOpened: _round_opened,
    fa.RoundCut: _round_cut,
    fa.TurnKept: _turn_kept,
    fa.OutcomeKept: _outcome_kept,
    fa.PauseKept: _pause_kept,
    fa.DecisionKept: _decision_kept,
    fa.CancelKept: _cancel_kept,
    fa.AnswerKept: _answer_kept,
    fa.EndBegun: _end_begun,
}
"""What each fact changes."""

EVENT_FOLDERS: dict[type[ev.KernelEvent], Callable[[Standing, Mapping[str, Any]], None]] = {
    ev.ToolAnnounced: _announced,
    ev.ToolCall: _called,
    ev.ToolProgress: _progressed,
    ev.Resumed: _resumed,
    ev.Retracted: _retracted,
    ev.AskUser: _paused,
    ev.Interrupt: _paused,
    ev.Done: _final,
    ev.Error: _final,
    ev.Cancelled: _final,
}
"""What each event changes. An event that is not here changes nothing."""
