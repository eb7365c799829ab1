"""Where one run stands: the state that its records fold to."""

from __future__ import annotations

import pytest

from tests.kernel.plays import REQUEST, RUN
from tests.kernel.scenes import LEAVE, QUESTION, SIGNAL, begun, paused, request, returned, said, tell, turned
from treadle.kernel.standing import FACT_FOLDERS, CallStage, Standing, edits, is_granted
from treadle.kernel.transitions import Phase
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome
from treadle.values.facts import FACT_TYPES, OutcomeKept, RequestKept, RoundCut, RoundOpened
from treadle.values.ids import CallId, InterruptId, call_id
from treadle.values.limits import RunRules
from treadle.values.pauses import PauseKind, PendingInterrupt, Settlement
from treadle.values.usage import UsageDelta

KINDS = list(PauseKind)


def pending(kind: PauseKind) -> PendingInterrupt:
    """An open pause of this kind."""
    return PendingInterrupt(interrupt_id=InterruptId("r1.i1"), kind=kind, call_id=call_id(RUN, 1))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("settlement", list(Settlement))
def test_only_an_answer_grants_and_the_answer_to_a_question_grants_nothing(
    kind: PauseKind, settlement: Settlement
) -> None:
    """Ours: a call runs by leave or by a signal; a question is answered, and its call never runs."""
    granted = settlement is Settlement.ANSWERED and kind not in (PauseKind.ASK_USER, PauseKind.FRONT_END)
    assert is_granted(pending(kind), said(1, settlement)) == granted


@pytest.mark.parametrize("kind", KINDS)
def test_only_leave_can_bring_other_arguments(kind: PauseKind) -> None:
    """Design: for an approval the value is the arguments to run with, or None for the ones asked about."""
    assert edits(pending(kind), said(1, value={"a": 2})) == (kind is PauseKind.APPROVAL)
    assert not edits(pending(kind), said(1))


def test_a_stored_event_and_a_draft_of_it_fold_alike() -> None:
    """Ours: a machine that is rebuilt from a log stands where the live one stood."""
    fields = {"call_id": CallId("r1.c1"), "name": "add"}
    stored, drafted = Standing(), Standing()
    stored.take(ev.ToolAnnounced(index=3, run_id=RUN, **fields))
    drafted.fold(ev.ToolAnnounced, fields)
    assert stored == drafted != Standing()


def test_what_folds_is_every_fact() -> None:
    """Ours: a fact that changes nothing would be forgotten when a machine is rebuilt."""
    assert set(FACT_FOLDERS) == set(FACT_TYPES)


@pytest.mark.parametrize("event", [ev.TextDelta, ev.Thinking, ev.ToolArguments, ev.Extension, ev.Dropped, ev.Stage])
def test_what_was_said_on_the_way_changes_nothing(event: type[ev.KernelEvent]) -> None:
    """Law 9: a piece of text changes no state but the text."""
    standing = Standing()
    standing.fold(event, {"text": "x", "passage": 1})
    assert standing == Standing()


def test_a_result_of_an_attempt_that_was_cut_is_no_turn() -> None:
    """Ours: a turn that never finished has no outcomes; its shown text is told elsewhere."""
    standing = Standing()
    standing.keep(RequestKept(request=REQUEST, rules=RunRules(agent="a", model="m")))
    standing.keep(RoundOpened(round=1, attempt=1))
    standing.fold(ev.ToolAnnounced, {"call_id": CallId("r1.c1"), "name": "add"})
    standing.keep(OutcomeKept(outcome=ToolOutcome(call_id=CallId("r1.c1"))))
    assert (standing.turns, standing.open_calls(), standing.calls_made) == ([], [], 1)


def test_an_attempt_that_told_no_usage_is_counted_as_unmeasured() -> None:
    """Design: usage is reported or absent; `unmeasured_rounds` says how much of a sum is missing."""
    standing = Standing()
    standing.keep(RoundCut(round=1, attempt=1, code="stalled"))
    standing.keep(RoundCut(round=1, attempt=2, code="stalled", usage=UsageDelta(total_tokens=4)))
    assert (standing.usage, standing.spent_tokens) == (UsageDelta(total_tokens=4, unmeasured_rounds=1), 4)


def test_the_calls_of_a_round_go_from_announced_to_settled() -> None:
    """EV-6: the stages of a call, in order."""
    run = begun()
    tell(run, turned(request(), request(), request(), gated={0: LEAVE, 1: QUESTION}), paused(3, SIGNAL))
    stages = {named.rpartition(".")[2]: call.stage for named, call in run.machine.standing.calls.items()}
    assert stages == {"c1": CallStage.PAUSED, "c2": CallStage.PAUSED, "c3": CallStage.PAUSED}
    assert [call.dispatched for call in run.machine.standing.calls.values()] == [False, False, True]
    assert (len(run.machine.standing.open_calls()), run.machine.standing.executing()) == (3, [])
    assert run.machine.phase is Phase.WAITING


def test_the_calls_of_a_round_are_forgotten_with_it() -> None:
    """Ours: a run of many rounds holds the calls of one."""
    run = begun()
    for number in range(1, 4):
        tell(run, turned(request()), returned(number))
    assert run.machine.standing.calls == {}
    assert run.machine.standing.dispatched == run.machine.standing.calls_made == 3
