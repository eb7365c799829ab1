"""The way of a run through its rounds."""

from __future__ import annotations

import pytest

from tests.kernel.plays import RUN, Played
from tests.kernel.scenes import (
    LEAVE,
    begun,
    closing,
    dispatched,
    events,
    facts,
    kinds,
    progressed,
    request,
    results,
    returned,
    tell,
    turned,
)
from treadle.kernel.effects import AskModel, CallTools, Close, Emit, Keep, Recall, StopModel, StopTools, Withdraw
from treadle.kernel.inputs import (
    CancelRequested,
    DeadlinePassed,
    Input,
    ModelAnnounced,
    ModelBroke,
    ModelTurned,
    PartBroke,
    Recalled,
)
from treadle.kernel.transitions import Phase
from treadle.values import events as ev
from treadle.values.calls import ToolRequest
from treadle.values.facts import RecallKept, RoundCut, RoundOpened, TurnKept
from treadle.values.ids import call_id
from treadle.values.limits import Limit, Limits, Retries
from treadle.values.model import ModelTurn, StopReason
from treadle.values.usage import NO_USAGE, UsageDelta

SPENT = UsageDelta(input_tokens=7, output_tokens=3)
TWICE = Retries(attempts=2, first_wait_s=0.5)
TWICE_ALWAYS = Retries(attempts=2, after_output=True)
BROKE = ModelBroke(code="upstream_error", retryable=True, usage=SPENT)
BROKE_IN_SIGHT = ModelBroke(code="upstream_truncated", retryable=True, shown=True, usage=SPENT)


def end_of(run: Played) -> tuple[str, str]:
    """The closing event's kind and termination."""
    last = closing(run)
    assert isinstance(last, ev.Done | ev.Error | ev.Cancelled)
    return last.kind, last.termination


# What a turn leads to is decided from its content.


@pytest.mark.requirement("MACHINE-content")
@pytest.mark.parametrize("label", [StopReason.STOP, StopReason.OTHER, StopReason.TOOL_CALLS, None])
def test_calls_run_whatever_the_label_says(label: StopReason | None) -> None:
    """Design: a label of `stop` with calls still runs them."""
    run = begun()
    effects = tell(run, turned(request(a=1), label=label))
    assert [type(effect) for effect in effects[-2:]] == [Emit, CallTools]
    assert (dispatched(run), run.machine.phase) == (["c1"], Phase.CALLING)


@pytest.mark.requirement("MACHINE-empty")
@pytest.mark.parametrize("label", [StopReason.STOP, StopReason.TOOL_CALLS, None])
def test_a_turn_without_a_word_and_without_a_call_ends_done_as_an_empty_answer(label: StopReason | None) -> None:
    """Design: "tool_calls" without a call ends the run; that nothing was said is told whatever the label."""
    run = begun()
    tell(run, turned(label=label))
    assert end_of(run) == ("done", "empty_answer")


@pytest.mark.requirement("MACHINE-empty")
def test_a_turn_whose_text_came_in_pieces_is_no_empty_answer() -> None:
    """Ours: a turn need not repeat what came in pieces."""
    run = begun()
    tell(run, ModelTurned(turn=ModelTurn(stop_reason=StopReason.TOOL_CALLS), spoke=True))
    assert end_of(run) == ("done", "completed")


@pytest.mark.parametrize("label", [StopReason.STOP, StopReason.TOOL_CALLS, StopReason.OTHER, None])
def test_text_without_a_call_completes_the_run(label: StopReason | None) -> None:
    """Design: decided from content; "tool_calls" beside text and no call is a label that lies."""
    run = begun()
    tell(run, turned(text="3", label=label))
    assert end_of(run) == ("done", "completed")
    assert closing(run).outcome.stop_reason == label


@pytest.mark.requirement("MACHINE-cut")
@pytest.mark.parametrize("label", [StopReason.LENGTH, StopReason.CONTENT_FILTER])
def test_a_cut_turn_never_runs_its_calls_and_ends_error(label: StopReason) -> None:
    """Design: unless the turn was cut or filtered; what came of the turn is kept."""
    run = begun()
    tell(run, ModelAnnounced(slot=0, name="add"), turned(request(a=1), request("ping"), text="so", label=label))
    last = closing(run)
    assert isinstance(last, ev.Error)
    assert (last.code, last.termination, last.error_class) == (label.value, label.value, "model")
    assert dispatched(run) == []
    assert results(run) == {
        "c1": ("cancelled", "not run: the run ended first"),
        "c2": ("cancelled", "not run: the run ended first"),
    }
    assert [message.turn.text for message in run.machine.turns] == ["so"]


@pytest.mark.requirement("MACHINE-cut")
def test_a_cut_answer_without_calls_ends_error_with_the_turn_kept() -> None:
    """Design: `length` ends `error`, partial kept."""
    run = begun()
    tell(run, turned(text="half", label=StopReason.LENGTH, usage=SPENT))
    assert end_of(run) == ("error", "length")
    assert closing(run).outcome.usage == SPENT
    assert [message.turn.text for message in run.machine.turns] == ["half"]


@pytest.mark.requirement("MACHINE-damaged")
def test_a_damaged_call_never_runs_and_the_model_is_told_why() -> None:
    """Design: a tool never runs on damaged arguments; the run goes on within its limits."""
    run = begun()
    effects = tell(run, turned(request(damage="not one JSON object"), request("ping")))
    assert dispatched(run) == ["c2"]
    assert isinstance(effects[-1], CallTools)
    assert [one.call_id for one in effects[-1].requests] == [call_id(RUN, 2)]
    assert results(run) == {"c1": ("failed", "not run: not one JSON object")}
    tell(run, returned(2))
    assert run.machine.phase is Phase.ASKING
    assert [outcome.status.value for outcome in run.machine.turns[0].outcomes] == ["failed", "ok"]


@pytest.mark.requirement("MACHINE-damaged")
def test_a_turn_whose_calls_cannot_be_told_apart_runs_nothing() -> None:
    """Design: damaged, never guessed: all its calls are refused with the reason, and the model is asked again."""
    run = begun()
    effects = tell(run, turned(request(a=1), request("ping", damage="own"), damage="no owner", gated={0: LEAVE}))
    assert dispatched(run) == []
    assert results(run) == {"c1": ("failed", "not run: no owner"), "c2": ("failed", "not run: own")}
    assert effects[-1] == AskModel(round=2, attempt=1)


@pytest.mark.requirement("MACHINE-damaged")
def test_a_damaged_turn_that_leaves_no_call_is_not_shown_as_done() -> None:
    """Ours: it tried to call, and there is no call the model could be told of."""
    run = begun()
    tell(run, turned(text="let me see", damage="no owner"))
    last = closing(run)
    assert isinstance(last, ev.Error)
    assert (last.code, last.error_class, last.detail) == ("model_garbled", "model", "no owner")


# Calls.


def test_a_call_is_announced_once_and_keeps_its_id() -> None:
    """Design: the kernel gives the id, the same from announcement to result."""
    run = begun()
    tell(run, ModelAnnounced(slot=0, name="add"), ModelAnnounced(slot=0, name="add"), turned(request(a=1)), returned(1))
    assert kinds(run) == [
        "run_started",
        "round_started",
        "tool_announced",
        "round_ended",
        "tool_call",
        "tool_result",
    ]
    assert [event.call_id for event in events(run) if isinstance(event, ev.ToolAnnounced)] == [call_id(RUN, 1)]


def test_a_call_that_nobody_announced_is_announced_with_its_turn() -> None:
    """EV-6: whatever comes of a call, its announcement comes first."""
    run = begun()
    tell(run, turned(request(), request("ping")))
    assert kinds(run)[2:4] == ["tool_announced", "tool_announced"]


def test_calls_of_one_turn_run_at_once_and_the_next_round_waits_for_all() -> None:
    """Design: results as they come for the reader, in call order for the provider."""
    run = begun()
    effects = tell(run, turned(request(a=1), request("ping"), streamed=frozenset({0})))
    assert isinstance(effects[-1], CallTools)
    assert len(effects[-1].requests) == 2
    assert [event.streamed for event in events(run) if isinstance(event, ev.ToolCall)] == [True, False]
    assert [type(effect) for effect in tell(run, returned(2, "b"))] == [Keep, Emit]
    assert tell(run, returned(1, "a"))[-1] == AskModel(round=2, attempt=1)
    assert list(results(run)) == ["c2", "c1"]
    assert [outcome.content for outcome in run.machine.turns[0].outcomes] == ["a", "b"]


def test_progress_is_numbered_for_each_call_from_zero() -> None:
    """Design: sequence from 0."""
    run = begun()
    tell(run, turned(request(), request("ping")), progressed(1, "x"), progressed(2, "y"), progressed(1, "z"))
    told = [(event.call_id, event.sequence, event.payload) for event in events(run) if event.kind == "tool_progress"]
    assert told == [(call_id(RUN, 1), 0, "x"), (call_id(RUN, 2), 0, "y"), (call_id(RUN, 1), 1, "z")]


@pytest.mark.requirement("MACHINE-late")
@pytest.mark.parametrize("late", [returned(1, "again"), progressed(1)], ids=["result", "progress"])
def test_what_a_settled_call_still_says_is_legal_and_does_nothing(late: Input) -> None:
    """Design: a late but honest input is legal and does nothing, wherever the run stands by then."""
    run = begun()
    tell(run, turned(request()), returned(1))
    assert tell(run, late) == ()
    tell(run, turned(request("ping"), request()))
    assert tell(run, late) == ()
    tell(run, returned(2))
    assert tell(run, late) == ()


# Retries.


@pytest.mark.requirement("MACHINE-retry")
def test_an_attempt_that_showed_nothing_is_withdrawn_and_tried_again() -> None:
    """Design: retry before anything was shown; such an attempt leaves no event, and its usage counts."""
    run = begun(retries=TWICE)
    effects = tell(run, BROKE)
    assert [type(effect) for effect in effects] == [Keep, Withdraw, Keep, Emit, AskModel]
    assert effects[-1] == AskModel(round=1, attempt=2, wait_s=0.5)
    tell(run, turned(text="3", usage=SPENT))
    assert kinds(run) == ["run_started", "round_started", "round_ended", "done"]
    assert closing(run).outcome.usage == SPENT + SPENT


@pytest.mark.requirement("MACHINE-retry")
def test_a_provider_that_says_when_is_asked_then() -> None:
    """Ours: its own retry-after wins within bounds."""
    told = ModelBroke(code="model_busy", retryable=True, retry_after_s=2.5)
    assert tell(begun(retries=TWICE), told)[-1] == AskModel(round=1, attempt=2, wait_s=2.5)


@pytest.mark.requirement("MACHINE-retry")
@pytest.mark.parametrize(
    ("retries", "broke"),
    [
        (TWICE, ModelBroke(code="model_refused", retryable=False)),
        (TWICE, BROKE_IN_SIGHT),
        (Retries(attempts=1), BROKE),
        (Retries(attempts=1, after_output=True), BROKE_IN_SIGHT),
    ],
    ids=["not worth it", "shown", "no attempt left", "shown, no attempt left"],
)
def test_an_attempt_that_may_not_be_tried_again_ends_the_run(retries: Retries, broke: ModelBroke) -> None:
    """Design: after visible output only where the plan says so, else `error`, partial kept."""
    run = begun(retries=retries)
    assert isinstance(tell(run, broke)[0], StopModel)
    assert end_of(run) == ("error", broke.code)
    last = closing(run)
    assert isinstance(last, ev.Error)
    assert (last.retryable, last.error_class) == (broke.retryable, "infrastructure")
    assert ("round_ended" in kinds(run)) == broke.shown
    assert [fact.code for fact in facts(run, RoundCut) if isinstance(fact, RoundCut)] == [broke.code]


@pytest.mark.requirement("EV-8", "MACHINE-retry")
def test_what_was_shown_is_taken_back_where_the_plan_says_so() -> None:
    """EV-8: the retraction names the attempt; its calls are void, and ids are not given again."""
    run = begun(retries=TWICE_ALWAYS)
    tell(run, ModelAnnounced(slot=0, name="add"), ModelAnnounced(slot=1, name="ping"))
    effects = tell(run, ModelBroke(code="upstream_truncated", retryable=True))
    assert [event for event in events(run) if isinstance(event, ev.Retracted)] == [
        ev.Retracted(index=4, run_id=RUN, round=1, attempt=1, reason="upstream_truncated")
    ]
    assert effects[-1] == AskModel(round=1, attempt=2, wait_s=0.2)
    tell(run, ModelAnnounced(slot=0, name="add"), turned(request()), returned(3), turned(text="3"))
    assert results(run) == {"c3": ("ok", None)}
    assert end_of(run) == ("done", "completed")


@pytest.mark.requirement("MACHINE-retry")
def test_an_announced_call_counts_as_shown() -> None:
    """Ours: a reader has seen the call, whether or not a word of text came with it."""
    run = begun(retries=TWICE)
    tell(run, ModelAnnounced(slot=0, name="add"), BROKE)
    assert end_of(run) == ("error", "upstream_error")
    assert results(run) == {"c1": ("cancelled", "not run: the run ended first")}


# Limits.


@pytest.mark.requirement("MACHINE-limits")
def test_the_round_after_the_last_is_not_begun() -> None:
    """Design: rounds, a termination of its own, with what was settled until then."""
    run = begun(limits=Limits(rounds=2))
    tell(run, turned(request()), returned(1), turned(request()), returned(2))
    assert end_of(run) == ("error", "limit_rounds")
    assert len(facts(run, RoundOpened)) == 2


@pytest.mark.requirement("MACHINE-limits")
def test_calls_past_the_limit_are_refused_and_the_others_run_to_their_end() -> None:
    """Design: tool calls, a termination of its own; every call of the turn has its result before it."""
    run = begun(limits=Limits(tool_calls=2))
    tell(run, turned(request()), returned(1), turned(request(), request(), request(damage="bad")))
    assert dispatched(run) == ["c1", "c2"]
    assert run.machine.phase is Phase.CALLING
    tell(run, returned(2, "kept"))
    assert results(run) == {
        "c1": ("ok", None),
        "c2": ("ok", None),
        "c3": ("refused", "not run: the run has used up its tool calls"),
        "c4": ("failed", "not run: bad"),
    }
    last = closing(run)
    assert isinstance(last, ev.Error)
    assert (last.code, last.error_class, last.termination) == ("limit_tool_calls", "limit", "limit_tool_calls")


@pytest.mark.requirement("MACHINE-limits")
def test_a_turn_that_may_make_no_call_at_all_ends_at_once() -> None:
    """Design: a limit ends the run where nothing of it runs."""
    run = begun(limits=Limits(tool_calls=1))
    tell(run, turned(request()), returned(1), turned(request()))
    assert end_of(run) == ("error", "limit_tool_calls")


@pytest.mark.requirement("MACHINE-limits")
def test_nobody_is_asked_for_leave_in_a_turn_past_the_limit() -> None:
    """Ours: the run ends with this turn, so the model would never hear of what was allowed."""
    run = begun(limits=Limits(tool_calls=2))
    tell(run, turned(request(), request(), request(), gated={1: LEAVE}), returned(1))
    assert results(run) == {
        "c1": ("ok", None),
        "c2": ("cancelled", "not run: the run ended first"),
        "c3": ("refused", "not run: the run has used up its tool calls"),
    }
    assert end_of(run) == ("error", "limit_tool_calls")
    assert "pause_kept" not in {entry.kind for entry in run.entries}


@pytest.mark.requirement("MACHINE-limits")
@pytest.mark.parametrize("calls", [(request(),), (request(damage="bad"),)], ids=["a call", "a damaged call"])
def test_a_run_that_has_used_up_its_tokens_calls_and_asks_no_more(calls: tuple[ToolRequest, ...]) -> None:
    """Design: tokens, a termination of its own; a turn of damaged calls alone does not get around it."""
    run = begun(limits=Limits(tokens=10))
    tell(run, turned(*calls, usage=SPENT))
    assert end_of(run) == ("error", "limit_tokens")
    assert dispatched(run) == []


@pytest.mark.requirement("MACHINE-limits")
def test_an_answer_that_used_up_the_tokens_is_still_done() -> None:
    """Ours: a limit forbids going on, not having come to an end."""
    run = begun(limits=Limits(tokens=10))
    tell(run, turned(text="3", usage=SPENT))
    assert end_of(run) == ("done", "completed")


@pytest.mark.requirement("MACHINE-limits")
def test_a_broken_attempt_that_used_up_the_tokens_is_not_tried_again() -> None:
    """Ours: tokens of attempts that failed were spent too."""
    run = begun(limits=Limits(tokens=10), retries=TWICE)
    tell(run, BROKE)
    assert end_of(run) == ("error", "upstream_error")


@pytest.mark.requirement("MACHINE-limits")
def test_tokens_are_summed_from_what_each_round_spent() -> None:
    """Ours: one provider tells a total and another a split; a sum of counts alone would miss one of the two."""
    run = begun(limits=Limits(tokens=20))
    tell(run, turned(request(), usage=UsageDelta(total_tokens=10)), returned(1))
    assert run.machine.phase is Phase.ASKING
    tell(run, turned(request(), usage=SPENT))
    assert end_of(run) == ("error", "limit_tokens")


def test_tokens_that_nobody_told_are_not_guessed() -> None:
    """Design: as told, unknown is not zero: it is counted as unmeasured."""
    run = begun(limits=Limits(tokens=1))
    tell(run, turned(request(), usage=NO_USAGE), returned(1), turned(text="3"))
    assert end_of(run) == ("done", "completed")
    assert closing(run).outcome.usage.unmeasured_rounds == 2


@pytest.mark.requirement("MACHINE-limits")
@pytest.mark.parametrize("limit", [Limit.WALL_CLOCK, Limit.OUTPUT_BYTES, Limit.STALL])
@pytest.mark.parametrize("shown", [True, False])
def test_a_limit_that_is_measured_outside_ends_the_round_under_way(limit: Limit, *, shown: bool) -> None:
    """Design: wall clock, stall, output bytes: each its own termination reason, with what was spent and shown."""
    run = begun()
    effects = tell(run, DeadlinePassed(limit=limit, shown=shown, usage=SPENT))
    assert isinstance(effects[0], StopModel)
    last = closing(run)
    assert isinstance(last, ev.Error)
    assert (last.code, last.termination, last.error_class) == (limit.value, limit.value, "limit")
    assert last.outcome.usage == SPENT
    assert kinds(run)[1:-1] == (["round_started", "round_ended"] if shown else [])


@pytest.mark.requirement("MACHINE-limits")
@pytest.mark.parametrize("limit", [Limit.WALL_CLOCK, Limit.OUTPUT_BYTES])
def test_a_limit_that_is_measured_outside_stops_what_runs_and_waits_for_it(limit: Limit) -> None:
    """EV-5: each call has its result before the end."""
    run = begun()
    effects = tell(run, turned(request(), request()), returned(1), DeadlinePassed(limit=limit))
    assert effects[-1] == StopTools(call_ids=(call_id(RUN, 2),))
    assert kinds(run)[-1] == "stage"
    assert run.machine.phase is Phase.STOPPING
    tell(run, progressed(2, "still"), returned(2, "late"))
    assert end_of(run) == ("error", limit.value)
    assert results(run) == {"c1": ("ok", None), "c2": ("ok", None)}


# Ends from outside.


@pytest.mark.parametrize("shown", [True, False])
def test_a_cancel_closes_the_round_under_way(*, shown: bool) -> None:
    """Design: cancel is an input; what was shown is kept, an attempt that showed nothing leaves no event."""
    run = begun()
    tell(run, CancelRequested(reason="stop button", shown=shown, usage=SPENT))
    last = closing(run)
    assert isinstance(last, ev.Cancelled)
    assert (last.reason, last.termination, last.outcome.usage) == ("stop button", "cancelled", SPENT)
    ends = [event.outcome for event in events(run) if isinstance(event, ev.RoundEnded)]
    assert ends == (["cancelled"] if shown else [])


def test_a_part_of_ours_that_broke_ends_the_run_with_a_reference() -> None:
    """Design: `error`, code `internal`, with a reference; the operator's words are the detail."""
    run = begun()
    tell(run, PartBroke(reference="ref1", detail="boom", shown=True))
    last = closing(run)
    assert isinstance(last, ev.Error)
    assert (last.code, last.reference, last.detail, last.termination) == ("internal", "ref1", "boom", "internal")


# Memory.


def test_memory_is_asked_first_where_the_plan_has_one() -> None:
    """Design: recalled is an input, its stage is told, and what it gave is remembered."""
    run = begun(recalls=True)
    assert (run.machine.phase, run.effects[-1]) == (Phase.RECALLING, Recall())
    effects = tell(run, Recalled(blocks=("likes tea",)))
    assert effects[-1] == AskModel(round=1, attempt=1)
    assert facts(run, RecallKept) == [RecallKept(blocks=("likes tea",))]
    assert [(event.phase, event.outcome, event.counts) for event in events(run) if isinstance(event, ev.Stage)] == [
        ("started", None, {}),
        ("ended", "done", {"blocks": 1}),
    ]


def test_memory_that_cannot_be_asked_does_not_end_the_run() -> None:
    """Ours: an answer without memory is better than none; the stage says so."""
    run = begun(recalls=True)
    tell(run, Recalled(problem="memory is away"), turned(text="3"))
    assert end_of(run) == ("done", "completed")
    stages = [event for event in events(run) if isinstance(event, ev.Stage)]
    assert (stages[-1].outcome, stages[-1].reason) == ("error", "memory is away")


@pytest.mark.parametrize(
    ("given", "end", "outcome"),
    [
        (CancelRequested(), ("cancelled", "cancelled"), "cancelled"),
        (DeadlinePassed(limit=Limit.WALL_CLOCK), ("error", "limit_wall_clock"), "error"),
        (PartBroke(), ("error", "internal"), "error"),
    ],
    ids=["cancel", "deadline", "fault"],
)
def test_a_run_that_ends_while_memory_is_asked_ends_that_stage(
    given: CancelRequested | DeadlinePassed | PartBroke, end: tuple[str, str], outcome: str
) -> None:
    """Ours: what was begun is ended before the run is; memory's late answer is legal and does nothing."""
    run = begun(recalls=True)
    effects = tell(run, given)
    assert isinstance(effects[-1], Close)
    assert end_of(run) == end
    assert [event.outcome for event in events(run) if isinstance(event, ev.Stage)] == [None, outcome]
    assert tell(run, Recalled(blocks=("late",))) == ()


def test_a_turn_is_kept_whole_with_the_ids_of_the_kernel() -> None:
    """Design: raw turns are facts; the provider's own id stays beside the kernel's."""
    run = begun()
    tell(run, turned(request(a=1), streamed=frozenset({0}), usage=SPENT))
    (kept,) = facts(run, TurnKept)
    assert isinstance(kept, TurnKept)
    assert (kept.round, kept.attempt, kept.streamed) == (1, 1, {0})
    assert [(one.call_id, one.arguments) for one in kept.turn.tool_requests] == [(call_id(RUN, 1), {"a": 1})]
