"""Entries of a run as they are made."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.kernel.plays import RUN, Play, played, plays
from tests.kernel.scenes import LEAVE, answered, begun, closing, facts, paused, request, returned, tell, turned
from treadle.kernel.effects import Close, Emit, Keep
from treadle.kernel.inputs import PauseAsk
from treadle.kernel.standing import Standing
from treadle.values import events as ev
from treadle.values.facts import OutcomeKept, PauseKept
from treadle.values.model import StopReason
from treadle.values.pauses import PauseKind
from treadle.values.usage import UsageDelta

SPENT = UsageDelta(input_tokens=7, output_tokens=3)


@given(plays)
@pytest.mark.requirement("MACHINE-rebuilds")
def test_the_state_is_what_the_drafts_and_facts_fold_to(play: Play) -> None:
    """Design: state changes by folding drafts and facts, and by nothing else."""
    run = played(play)
    folded = Standing()
    for effect in run.effects:
        match effect:
            case Keep(fact=fact):
                folded.keep(fact)
            case Emit(event=event, fields=told) | Close(event=event, fields=told):
                folded.fold(event, told)
            case _:
                pass
    assert folded == run.machine.standing


@given(plays)
def test_ids_are_counted_and_never_given_twice(play: Play) -> None:
    """Design: counted under the run's id, never drawn, never reused: retracted calls keep theirs."""
    run = played(play)
    calls = [entry.call_id for entry in run.entries if isinstance(entry, ev.ToolAnnounced)]
    asked = [entry.pending.interrupt_id for entry in run.entries if isinstance(entry, PauseKept)]
    assert calls == [f"{RUN}.c{number + 1}" for number in range(len(calls))]
    assert asked == [f"{RUN}.i{number + 1}" for number in range(len(asked))]


@given(plays)
def test_every_result_that_is_shown_is_remembered_first(play: Play) -> None:
    """Design: facts hold what is true, events what was shown; a result is both, in this order."""
    entries = played(play).entries
    for before, entry in zip([None, *entries], entries, strict=False):
        assert isinstance(entry, ev.ToolResult) == isinstance(before, OutcomeKept)
        if isinstance(entry, ev.ToolResult) and isinstance(before, OutcomeKept):
            assert entry.outcome == before.outcome


def test_a_closing_event_tells_the_usage_and_the_label_of_the_turn() -> None:
    """Design: an outcome on every closing event; text, answer and duration are filled in where the text is."""
    run = begun()
    told = turned(request(), label=StopReason.TOOL_CALLS, usage=SPENT, gated={0: LEAVE})
    tell(run, told)
    last = closing(run)
    assert (last.kind, last.outcome.usage, last.outcome.stop_reason) == ("interrupt", SPENT, "tool_calls")
    assert last.outcome.run_id == RUN
    tell(run, answered(1), returned(1), turned(text="3", usage=SPENT))
    last = closing(run)
    assert (last.kind, last.outcome.usage, last.outcome.stop_reason) == ("done", SPENT + SPENT, None)


def test_a_pause_keeps_all_that_is_asked() -> None:
    """Design: `PendingInterrupt` is bound to one call and its exact arguments."""
    run = begun()
    ask = PauseAsk(kind=PauseKind.INTERRUPT, request={"a": 1}, response_schema={"b": 2}, arguments_digest="d")
    tell(run, turned(request()), paused(1, ask))
    (kept,) = facts(run, PauseKept)
    assert isinstance(kept, PauseKept)
    pending = kept.pending
    assert (pending.request, pending.response_schema, pending.arguments_digest) == ({"a": 1}, {"b": 2}, "d")
