"""Who decided about a pause, answers that come too late, and what a call is told that goes on."""

from __future__ import annotations

import pytest

from tests.kernel.plays import RUN
from tests.kernel.scenes import LEAVE, SIGNAL, answered, begun, facts, paused, request, returned, said, tell, turned
from treadle.kernel.effects import CallTools
from treadle.kernel.inputs import Answered, CancelRequested, TookOver
from treadle.kernel.machine import Machine
from treadle.values.facts import AnswerKept, CancelKept, DecisionKept, Fact
from treadle.values.ids import call_id, interrupt_id
from treadle.values.pauses import Decision

C1 = call_id(RUN, 1)


def decided(number: int, by: str = "ann") -> DecisionKept:
    """Somebody's decision about the run's pause with this number."""
    return DecisionKept(interrupt_id=interrupt_id(RUN, number), decision=Decision.APPROVE, by=by, at_s=5.0)


@pytest.mark.requirement("PAUSE-audit")
def test_who_decided_is_remembered_where_the_decision_counts() -> None:
    """Ours: who and when stand before the answer; a decision that came too late leaves no trace."""
    run = begun()
    tell(run, turned(request(), request(), gated={0: LEAVE, 1: LEAVE}))
    both = (said(1), said(2))
    tell(run, Answered(resolutions=both[:1], decided=(decided(1),)))
    tell(run, Answered(resolutions=both, decided=(decided(1, "bob"), decided(2, "bob"))))
    assert facts(run, DecisionKept) == [decided(1), decided(2, "bob")]
    assert [type(fact) for fact in facts(run, DecisionKept | AnswerKept)] == [DecisionKept, AnswerKept] * 2


KEPT = CancelKept(by="bob", at_s=9.0, reason="stop")


@pytest.mark.requirement("PAUSE-audit")
@pytest.mark.parametrize("way", ["asking", "calling", "waiting"])
def test_who_asked_for_the_stop_is_kept_before_what_follows_from_it(way: str) -> None:
    """Ours: once, of the first who asked; the rest of the end is as of any cancel."""
    run = begun()
    if way == "calling":
        tell(run, turned(request()))
    elif way == "waiting":
        tell(run, turned(request(), gated={0: LEAVE}))
    before = len(facts(run, Fact))
    tell(run, CancelRequested(reason="stop", kept=KEPT))
    tell(run, CancelRequested(kept=CancelKept(by="carl", at_s=10.0)))
    assert facts(run, Fact)[before] == KEPT
    assert facts(run, CancelKept) == [KEPT]
    assert Machine.rebuilt(run.entries).phase is run.machine.phase


@pytest.mark.requirement("PAUSE-audit")
def test_a_stop_that_nobody_asked_for_keeps_no_name() -> None:
    """Ours: a limit of readers, a shutdown: there is nobody to name."""
    run = begun()
    tell(run, CancelRequested(reason="shutdown"))
    assert facts(run, CancelKept) == []


@pytest.mark.requirement("MACHINE-late")
@pytest.mark.parametrize("way", ["asking", "calling", "stopping", "final"])
def test_an_answer_to_a_pause_that_is_settled_does_nothing(way: str) -> None:
    """Ours: it was sent in time, and something else came first: late but honest."""
    run = begun()
    tell(run, turned(request(), gated={0: LEAVE}), answered(1))
    if way == "stopping":
        tell(run, CancelRequested())
    elif way != "calling":
        tell(run, returned(1))
    if way == "final":
        tell(run, CancelRequested())
    assert run.machine.phase.value == way
    assert tell(run, answered(1)) == ()


@pytest.mark.requirement("MACHINE-rebuilds")
def test_a_call_that_is_run_again_after_a_crash_is_told_all_that_was_said_to_it() -> None:
    """Ours: an idempotent tool asks again for what was answered before the crash, and has it at once."""
    run = begun()
    tell(run, turned(request()), paused(1, SIGNAL), answered(1, value="a"), paused(1, SIGNAL), answered(2, value="b"))
    (*_, again) = Machine.rebuilt(run.entries).receive(TookOver(idempotent=frozenset({"add"})))
    assert isinstance(again, CallTools)
    assert [answer.value for _, answer in again.answers[C1]] == ["a", "b"]
