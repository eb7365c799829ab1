"""A run whose worker was lost."""

from __future__ import annotations

import pytest

from tests.kernel.plays import REQUEST, RUN, Played
from treadle.kernel.effects import AskModel, CallTools
from treadle.kernel.inputs import ModelAnnounced, ModelBroke, ModelTurned, Started, TookOver, ToolReturned
from treadle.kernel.machine import Machine
from treadle.kernel.takeover import SILENT_OWNERS, TAKEOVERS
from treadle.kernel.transitions import Phase
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.ids import call_id
from treadle.values.limits import Retries, RunRules
from treadle.values.model import ModelTurn

RULES = RunRules(agent="a", model="m")
CALLS = ModelTurn(tool_requests=(ToolRequest(name="add"), ToolRequest(name="pay")))


def begun(*given, rules=RULES) -> Played:
    """A run that was told these inputs."""
    run = Played()
    for one in (Started(request=REQUEST, rules=rules), *given):
        assert run.tell(one)
    return run


def taken_over(run: Played, given: TookOver) -> Played:
    """The run rebuilt from what was written, as another worker has it."""
    other = Played(machine=Machine.rebuilt(run.entries), entries=list(run.entries), index=run.index)
    assert other.tell(given)
    return other


@pytest.mark.requirement("TAKEOVER-turn")
def test_an_unfinished_turn_is_taken_back_and_asked_again():
    """Design §6: what a dead turn had shown is taken back openly; the same round is asked once more."""
    run = taken_over(begun(ModelAnnounced(slot=0, name="add")), TookOver(shown=True))
    assert [entry for entry in run.entries if isinstance(entry, ev.Retracted)] == [
        ev.Retracted(index=3, run_id=RUN, round=1, attempt=1, reason="worker_lost")
    ]
    assert run.effects[-1] == AskModel(round=1, attempt=2)
    assert run.machine.standing.usage.unmeasured_rounds == 1


@pytest.mark.requirement("TAKEOVER-turn")
def test_a_turn_that_showed_nothing_is_asked_again_without_a_word():
    """An attempt that showed nothing leaves no event."""
    run = taken_over(begun(), TookOver())
    assert not any(isinstance(entry, ev.Retracted) for entry in run.entries)
    assert run.effects[-1] == AskModel(round=1, attempt=2)


@pytest.mark.requirement("TAKEOVER-call")
def test_a_call_that_was_started_is_unknown_and_one_that_may_run_again_is_run():
    """Promise 8: after a crash an unfinished side effect is `unknown`, not run again, unless declared idempotent."""
    run = taken_over(begun(ModelTurned(turn=CALLS)), TookOver(idempotent=frozenset({"add"})))
    (result,) = [entry.outcome for entry in run.entries if isinstance(entry, ev.ToolResult)]
    assert (result.call_id, result.status) == (call_id(RUN, 2), ToolStatus.UNKNOWN)
    (again,) = [effect for effect in run.effects if isinstance(effect, CallTools)]
    assert [request.name for request in again.requests] == ["add"]
    assert sum(isinstance(entry, ev.ToolCall) for entry in run.entries) == 2


@pytest.mark.requirement("TAKEOVER-call")
def test_a_call_that_was_done_stays_done():
    """Design §6: done ones are kept; the round goes on with what there is."""
    done = ToolReturned(outcome=ToolOutcome(call_id=call_id(RUN, 1), content=3))
    run = taken_over(begun(ModelTurned(turn=CALLS), done), TookOver())
    results = {entry.outcome.call_id: entry.outcome.status for entry in run.entries if isinstance(entry, ev.ToolResult)}
    assert results == {call_id(RUN, 1): ToolStatus.OK, call_id(RUN, 2): ToolStatus.UNKNOWN}
    assert run.effects[-1] == AskModel(round=2, attempt=1)


@pytest.mark.requirement("TAKEOVER-bound")
def test_a_run_that_kills_its_workers_ends():
    """Ours: a round is begun again so often and no more; then the run ends `worker_lost`, everything shown kept."""
    run = begun()
    for _ in range(TAKEOVERS):
        run = taken_over(run, TookOver(shown=True))
    last = taken_over(run, TookOver(shown=True))
    assert last.machine.phase is Phase.FINAL
    closing = last.entries[-1]
    assert isinstance(closing, ev.Error)
    assert (closing.code, closing.retryable) == ("worker_lost", True)


@pytest.mark.requirement("TAKEOVER-retries")
def test_a_lost_worker_uses_up_no_attempt_of_the_model():
    """Ours: what a provider fails is counted for itself, and how long is waited goes by that too."""
    busy = ModelBroke(code="model_busy", retryable=True)
    rules = RunRules(agent="a", model="m", retries=Retries(attempts=3, first_wait_s=1.0))
    run = begun(rules=rules)
    assert run.tell(busy)
    for _ in range(TAKEOVERS):
        run = taken_over(run, TookOver())
    assert run.tell(busy)
    assert run.effects[-1] == AskModel(round=1, attempt=3 + TAKEOVERS, wait_s=2.0)
    assert run.tell(busy)
    assert isinstance(run.entries[-1], ev.Error)
    assert run.entries[-1].code == "model_busy"


@pytest.mark.requirement("TAKEOVER-bound")
@pytest.mark.parametrize("recalls", [True, False])
def test_owners_that_die_before_they_write_a_word_end_the_run_too(recalls):
    """Ours: a run may kill its workers with its first deed."""
    for silent, phase in ((SILENT_OWNERS - 1, None), (SILENT_OWNERS, Phase.FINAL)):
        run = begun(rules=RunRules(agent="a", model="m", recalls=recalls))
        before = run.machine.phase
        run = taken_over(run, TookOver(silent_owners=silent))
        assert run.machine.phase is (phase or before)
    assert isinstance(run.entries[-1], ev.Error)
    assert run.entries[-1].code == "worker_lost"


@pytest.mark.requirement("TAKEOVER-bound")
def test_a_call_that_kills_its_workers_is_not_run_for_ever():
    """Ours: a call that is repeated writes nothing; it becomes unknown as well, and the model goes on."""
    may = frozenset({"add", "pay"})
    run = taken_over(begun(ModelTurned(turn=CALLS)), TookOver(idempotent=may, silent_owners=SILENT_OWNERS))
    results = [entry.outcome.status for entry in run.entries if isinstance(entry, ev.ToolResult)]
    assert results == [ToolStatus.UNKNOWN, ToolStatus.UNKNOWN]
    assert run.effects[-1] == AskModel(round=2, attempt=1)


def test_a_waiting_and_a_final_run_are_not_disturbed():
    """Law 1: late but honest inputs are legal and do nothing."""
    run = begun(ModelTurned(turn=ModelTurn(text="t")))
    before = len(run.entries)
    assert run.tell(TookOver())
    assert len(run.entries) == before
