"""Pauses of a run: asked, answered, declined, expired, and mixed with everything else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.kernel.plays import RUN, Played
from tests.kernel.scenes import (
    LEAVE,
    QUESTION,
    SIGNAL,
    answered,
    asking,
    begun,
    closing,
    dispatched,
    events,
    expired,
    facts,
    kinds,
    paused,
    progressed,
    request,
    results,
    returned,
    said,
    tell,
    turned,
)
from treadle.kernel.effects import AskModel, CallTools, Wait
from treadle.kernel.inputs import Answered, CancelRequested, DeadlinePassed, PartBroke, PauseAsk
from treadle.kernel.machine import Machine
from treadle.kernel.transitions import Phase
from treadle.values import events as ev
from treadle.values.facts import PauseKept
from treadle.values.ids import call_id, interrupt_id
from treadle.values.limits import Limit, Limits
from treadle.values.pauses import OnExpiry, PauseKind, PendingInterrupt, Settlement

C1, C2, C3 = (call_id(RUN, number) for number in (1, 2, 3))
ENDED = "not run: the run ended first"


def settlements(run: Played) -> list[list[tuple[str, str]]]:
    """How each `resumed` says that its pauses were settled, pauses by their number."""
    return [
        [(one.interrupt_id.rpartition(".")[2], one.settlement.value) for one in event.resolutions]
        for event in events(run)
        if isinstance(event, ev.Resumed)
    ]


def last_calls(run: Played) -> CallTools:
    """What was last wanted of tools."""
    return [effect for effect in run.effects if isinstance(effect, CallTools)][-1]


# Asked.


@pytest.mark.requirement("MACHINE-siblings")
def test_the_other_calls_settle_before_a_pause_closes_the_segment() -> None:
    """Design: all pauses of a round are collected; its other calls settle first."""
    run = begun()
    tell(run, turned(request(), request("ping"), request(damage="bad"), gated={0: LEAVE}))
    assert (dispatched(run), run.machine.phase) == (["c2"], Phase.CALLING)
    effects = tell(run, returned(2))
    assert results(run) == {"c2": ("ok", None), "c3": ("failed", "not run: bad")}
    assert closing(run).kind == "interrupt"
    assert effects[-1] == Wait(interrupt_ids=(interrupt_id(RUN, 1),))


def test_all_pauses_of_a_round_close_one_segment() -> None:
    """Design: the closing event tells all pending interrupts of the round, bound to their calls."""
    run = begun()
    ask = replace(LEAVE, response_schema={"type": "object"}, expires_at=9.0, on_expiry=OnExpiry.FAIL)
    tell(run, turned(request(), request("ping"), gated={1: ask}), paused(1, SIGNAL))
    last = closing(run)
    assert isinstance(last, ev.Interrupt)
    assert last.pending == (
        PendingInterrupt(
            interrupt_id=interrupt_id(RUN, 1),
            kind=PauseKind.APPROVAL,
            call_id=C2,
            request={"name": "add"},
            response_schema={"type": "object"},
            arguments_digest="d1",
            expires_at=9.0,
            on_expiry=OnExpiry.FAIL,
        ),
        PendingInterrupt(
            interrupt_id=interrupt_id(RUN, 2), kind=PauseKind.INTERRUPT, call_id=C1, request={"name": "upload"}
        ),
    )


@pytest.mark.parametrize(
    ("asks", "kind"),
    [((QUESTION, QUESTION), "ask_user"), ((QUESTION, LEAVE), "interrupt"), ((SIGNAL, SIGNAL), "interrupt")],
)
def test_a_segment_ends_ask_user_where_all_is_questions(asks: tuple[PauseAsk, PauseAsk], kind: str) -> None:
    """Design: `ask_user` if all are questions, else `interrupt`."""
    run = begun()
    tell(run, turned(request(), request(), gated=dict(enumerate(asks))))
    assert closing(run).kind == kind


def test_a_damaged_call_is_never_asked_about() -> None:
    """Design: what cannot run needs no leave."""
    run = begun()
    tell(run, turned(request(damage="bad"), gated={0: LEAVE}))
    assert results(run) == {"c1": ("failed", "not run: bad")}
    assert run.machine.phase is Phase.ASKING


# Answered.


def test_a_granted_call_runs_with_the_arguments_that_were_asked_about() -> None:
    """Design: bound to one call and its exact arguments; it is dispatched where leave came."""
    run = begun()
    effects = tell(run, turned(request(a=1), gated={0: LEAVE}, streamed=frozenset({0})), answered(1))
    assert kinds(run)[-3:] == ["interrupt", "resumed", "tool_call"]
    assert isinstance(effects[-1], CallTools)
    (granted,) = effects[-1].requests
    assert (granted.call_id, granted.arguments) == (C1, {"a": 1})
    assert effects[-1].answers == {}
    assert [event.streamed for event in events(run) if isinstance(event, ev.ToolCall)] == [True]


def test_leave_for_other_arguments_runs_those() -> None:
    """Design: for an approval the answer is the arguments to run with; their text was never streamed."""
    run = begun()
    tell(run, turned(request(a=1), gated={0: LEAVE}, streamed=frozenset({0})), answered(1, value={"a": 2}))
    (call,) = [event for event in events(run) if isinstance(event, ev.ToolCall)]
    assert (call.request.arguments, call.streamed) == ({"a": 2}, False)
    assert last_calls(run).requests[0].arguments == {"a": 2}


def test_the_answer_to_a_question_is_the_result_of_its_call() -> None:
    """Design: the model is told what a person said, and nothing runs."""
    run = begun()
    effects = tell(run, turned(request("ask_user"), gated={0: QUESTION}), answered(1, value={"q1": "red"}))
    assert dispatched(run) == []
    assert run.machine.turns[0].outcomes[0].content == {"q1": "red"}
    assert effects[-1] == AskModel(round=2, attempt=1)


@pytest.mark.parametrize(("ask", "is_told"), [(SIGNAL, True), (LEAVE, False)], ids=["signal", "leave"])
def test_a_call_that_paused_on_its_way_goes_on_and_is_not_called_anew(ask: PauseAsk, *, is_told: bool) -> None:
    """EV-6: dispatched once. What it asked for by an interrupt is handed to it, and its arguments stay."""
    run = begun(limits=Limits(tool_calls=1))
    tell(run, turned(request(a=1)), progressed(1), paused(1, ask), answered(1, value={"part": 7}), progressed(1))
    assert dispatched(run) == ["c1"]
    again = last_calls(run)
    assert again.requests[0].arguments == {"a": 1}
    (pending,) = [fact.pending for fact in facts(run, PauseKept) if isinstance(fact, PauseKept)]
    assert again.answers == ({C1: ((pending, said(1, value={"part": 7})),)} if is_told else {})
    tell(run, returned(1))
    assert [event.sequence for event in events(run) if isinstance(event, ev.ToolProgress)] == [0, 1]
    assert results(run) == {"c1": ("ok", None)}


def test_a_call_that_waits_for_a_signal_before_it_runs_is_dispatched_when_that_came() -> None:
    """EV-6: no result without an execution before it, whatever kind of pause came first."""
    run = begun()
    tell(run, turned(request(a=1), gated={0: SIGNAL}), answered(1, value="go"), progressed(1), returned(1))
    assert dispatched(run) == ["c1"]
    assert kinds(run)[-4:] == ["resumed", "tool_call", "tool_progress", "tool_result"]


def test_a_call_may_pause_again() -> None:
    """Ours: each pause has an id of its own."""
    run = begun()
    tell(run, turned(request()), paused(1, SIGNAL), answered(1), paused(1, SIGNAL), answered(2), returned(1))
    assert settlements(run) == [[("i1", "answered")], [("i2", "answered")]]
    assert results(run) == {"c1": ("ok", None)}


@pytest.mark.parametrize("ask", [SIGNAL, LEAVE, QUESTION], ids=["signal", "leave", "question"])
def test_a_declined_call_is_denied_in_words(ask: PauseAsk) -> None:
    """Design: a no is a result the model is told, and the run goes on."""
    run = begun()
    tell(run, turned(request(), gated={0: ask}))
    effects = tell(run, Answered(resolutions=(said(1, Settlement.DECLINED, reason="too dear"),)))
    assert results(run) == {"c1": ("denied", "denied by a person: too dear")}
    assert effects[-1] == AskModel(round=2, attempt=1)


def test_the_run_goes_on_when_no_pause_is_open() -> None:
    """Design: an answer to one of several is a fact; `resumed` comes when none is open, and tells all."""
    run = begun()
    tell(run, turned(request(), request("ping"), gated={0: LEAVE, 1: QUESTION}))
    tell(run, answered(2, value="red"))
    assert (run.machine.phase, kinds(run)[-1]) == (Phase.WAITING, "interrupt")
    effects = tell(run, answered(1))
    assert settlements(run) == [[("i2", "answered"), ("i1", "answered")]]
    assert isinstance(effects[-1], CallTools)
    assert results(run) == {"c2": ("ok", None)}


def test_several_answers_may_come_at_once() -> None:
    """Ours: one input may settle all."""
    run = begun()
    tell(run, turned(request(), request("ping"), gated={0: LEAVE, 1: LEAVE}))
    tell(run, Answered(resolutions=(said(2), said(1, Settlement.DECLINED))))
    assert dispatched(run) == ["c2"]
    assert results(run) == {"c1": ("denied", "denied by a person")}
    assert run.machine.phase is Phase.CALLING


# Not answered.


@pytest.mark.requirement("MACHINE-expiry")
def test_a_pause_that_expires_is_declined_by_default() -> None:
    """Design: settled as declared; nothing is granted by silence."""
    run = begun()
    effects = tell(run, turned(request(), gated={0: LEAVE}), expired(1))
    assert settlements(run) == [[("i1", "expired")]]
    assert results(run) == {"c1": ("denied", "denied: nobody answered in time")}
    assert effects[-1] == AskModel(round=2, attempt=1)


@pytest.mark.requirement("MACHINE-expiry", "EV-3")
def test_a_pause_that_must_not_expire_fails_the_run_in_a_segment_of_its_own() -> None:
    """Design: `fail`; the answers that had come are told, the pauses that had none are cancelled."""
    run = begun()
    fatal = asking(PauseKind.APPROVAL, OnExpiry.FAIL)
    asks = {0: QUESTION, 1: fatal, 2: LEAVE, 3: LEAVE}
    tell(run, turned(*[request()] * 4, gated=asks), answered(1, value="red"), answered(3), expired(2))
    assert settlements(run) == [[("i1", "answered"), ("i3", "answered"), ("i2", "expired"), ("i4", "cancelled")]]
    assert results(run) == {
        "c1": ("ok", None),
        "c2": ("denied", "denied: nobody answered in time"),
        "c4": ("cancelled", "cancelled while it waited for a person"),
        "c3": ("cancelled", ENDED),
    }
    last = closing(run)
    assert isinstance(last, ev.Error)
    assert (last.code, last.termination, last.error_class) == ("pause_expired", "pause_expired", "client")
    assert dispatched(run) == []


@pytest.mark.requirement("MACHINE-expiry")
def test_a_pause_that_is_kept_is_asked_again_under_a_new_id() -> None:
    """Design: `keep`; the same question, a later expiry, and the old id is worth nothing."""
    run = begun()
    kept = asking(PauseKind.APPROVAL, OnExpiry.KEEP)
    effects = tell(run, turned(request(), gated={0: kept}), expired(1, 20.0))
    assert kinds(run)[-3:] == ["interrupt", "resumed", "interrupt"]
    assert effects[-1] == Wait(interrupt_ids=(interrupt_id(RUN, 2),))
    last = closing(run)
    assert isinstance(last, ev.Interrupt)
    (pending,) = last.pending
    assert (pending.interrupt_id, pending.call_id, pending.expires_at) == (interrupt_id(RUN, 2), C1, 20.0)
    assert tell(run, answered(1)) == ()
    tell(run, answered(2), returned(1))
    assert results(run) == {"c1": ("ok", None)}


@pytest.mark.requirement("MACHINE-expiry")
def test_answers_that_had_come_stand_while_another_pause_is_asked_again() -> None:
    """Ours: only the pause that expired is settled and asked again; who has answered is not asked twice."""
    run = begun()
    kept = asking(PauseKind.INTERRUPT, OnExpiry.KEEP)
    tell(run, turned(request(), request("ping"), gated={0: LEAVE, 1: kept}), answered(1), expired(2), expired(3))
    last = closing(run)
    assert isinstance(last, ev.Interrupt)
    assert [pending.interrupt_id for pending in last.pending] == [interrupt_id(RUN, 4)]
    tell(run, answered(4, value="go"))
    assert settlements(run) == [[("i2", "expired")], [("i3", "expired")], [("i1", "answered"), ("i4", "answered")]]
    assert dispatched(run) == ["c1", "c2"]
    tell(run, returned(2), returned(1))
    assert run.machine.phase is Phase.ASKING


@pytest.mark.requirement("MACHINE-expiry")
def test_a_kept_pause_in_the_middle_of_a_call_goes_on_where_it_was() -> None:
    """EV-6: asked again or not, the call was executed once."""
    run = begun()
    tell(run, turned(request()), paused(1, asking(PauseKind.INTERRUPT, OnExpiry.KEEP)), expired(1))
    tell(run, answered(2), returned(1))
    assert (dispatched(run), results(run)) == (["c1"], {"c1": ("ok", None)})


@pytest.mark.requirement("MACHINE-expiry", "MACHINE-late")
@pytest.mark.parametrize("on_expiry", list(OnExpiry))
def test_a_pause_that_expires_when_it_was_answered_does_nothing(on_expiry: OnExpiry) -> None:
    """Design: an answer already sent wins, wherever the run stands by then."""
    run = begun()
    ask = asking(PauseKind.APPROVAL, on_expiry)
    tell(run, turned(request(), request(), gated={0: ask, 1: LEAVE}), answered(1))
    assert (tell(run, expired(1)), run.machine.phase) == ((), Phase.WAITING)
    tell(run, answered(2))
    assert (tell(run, expired(1)), run.machine.phase) == ((), Phase.CALLING)
    tell(run, returned(1), CancelRequested())
    assert (tell(run, expired(2)), run.machine.phase) == ((), Phase.STOPPING)
    tell(run, returned(2))
    assert (tell(run, expired(2)), run.machine.phase) == ((), Phase.FINAL)


@pytest.mark.requirement("MACHINE-late")
def test_a_pause_that_expires_in_the_next_round_does_nothing() -> None:
    """Design: late but honest."""
    run = begun()
    tell(run, turned(request(), gated={0: LEAVE}), answered(1, Settlement.DECLINED))
    assert (tell(run, expired(1)), run.machine.phase) == ((), Phase.ASKING)


# Ends while it waits, and while something else runs.


@pytest.mark.requirement("MACHINE-cancel-paused", "EV-3")
def test_a_cancel_while_the_run_waits_opens_a_segment_that_only_ends() -> None:
    """EV-3: what settles a waiting run without an answer opens a segment with `resumed`."""
    run = begun()
    asks = {0: QUESTION, 1: LEAVE, 2: QUESTION}
    tell(run, turned(*[request()] * 3, request(), gated=asks), paused(4, SIGNAL))
    tell(run, answered(1, value="red"), answered(2), answered(4), CancelRequested(reason="enough"))
    assert kinds(run)[-6:] == ["resumed", *["tool_result"] * 4, "cancelled"]
    assert settlements(run) == [[("i1", "answered"), ("i2", "answered"), ("i4", "answered"), ("i3", "cancelled")]]
    assert results(run) == {
        "c1": ("ok", None),
        "c3": ("cancelled", "cancelled while it waited for a person"),
        "c2": ("cancelled", ENDED),
        "c4": ("cancelled", "stopped: the run ended while it waited for a person"),
    }
    assert [outcome.status.value for outcome in run.machine.turns[-1].outcomes] == [
        "ok",
        "cancelled",
        "cancelled",
        "cancelled",
    ]


def test_a_fault_while_the_run_waits_ends_it_whatever_its_code() -> None:
    """Ours: only a limit that is measured outside leaves a waiting run alone, and no code makes a fault one."""
    run = begun()
    tell(run, turned(request(), gated={0: LEAVE}), PartBroke(code=Limit.WALL_CLOCK.value))
    assert (closing(run).kind, settlements(run)) == ("error", [[("i1", "cancelled")]])


@pytest.mark.requirement("MACHINE-late")
def test_time_that_passes_while_the_run_waits_ends_nothing() -> None:
    """Design: waiting is not duration."""
    run = begun()
    tell(run, turned(request(), gated={0: LEAVE}))
    assert tell(run, DeadlinePassed(limit=Limit.WALL_CLOCK)) == ()
    tell(run, answered(1))
    assert run.machine.phase is Phase.CALLING


def test_a_call_that_asks_while_the_run_is_being_stopped_is_stopped_and_nobody_is_asked() -> None:
    """EV-5: it has its one result, and that does not claim that it never ran."""
    run = begun()
    tell(run, turned(request(), request()), CancelRequested(), paused(1, SIGNAL))
    assert run.machine.phase is Phase.STOPPING
    tell(run, paused(2, SIGNAL))
    told = ("cancelled", "stopped: the run ended while it waited for a person")
    assert results(run) == {"c1": told, "c2": told}
    assert (closing(run).kind, run.machine.standing.pauses_made) == ("cancelled", 0)


def test_a_call_that_asks_in_a_turn_past_the_limit_is_stopped() -> None:
    """Ours: the run ends with this turn; the model would never hear the answer."""
    run = begun(limits=Limits(tool_calls=1))
    tell(run, turned(request(), request()), paused(1, SIGNAL))
    assert results(run)["c1"] == ("cancelled", "stopped: the run ended while it waited for a person")
    assert closing(run).kind == "error"


def test_a_cancel_while_siblings_run_settles_the_calls_that_wait_for_what_they_are() -> None:
    """EV-5: one had begun and one had not; nobody was asked, and nothing is left open."""
    run = begun()
    tell(run, turned(request(), request(), request(), gated={0: LEAVE}), paused(2, SIGNAL), CancelRequested())
    tell(run, returned(3))
    assert results(run) == {
        "c3": ("ok", None),
        "c1": ("cancelled", ENDED),
        "c2": ("cancelled", "stopped: the run ended while it waited for a person"),
    }
    assert "interrupt" not in kinds(run)
    assert (run.machine.standing.pauses, run.machine.standing.answers) == ({}, {})


def test_a_second_cancel_while_the_run_is_being_stopped_does_nothing() -> None:
    """Design: late but honest."""
    run = begun()
    tell(run, turned(request()), CancelRequested(reason="first"))
    assert tell(run, CancelRequested(reason="second")) == ()
    tell(run, returned(1))
    last = closing(run)
    assert isinstance(last, ev.Cancelled)
    assert last.reason == "first"


@pytest.mark.requirement("MACHINE-limits")
def test_an_answer_does_not_carry_a_run_past_its_rounds() -> None:
    """Design: limits are checked in one place, also after a pause."""
    run = begun(limits=Limits(rounds=1))
    tell(run, turned(request(), gated={0: QUESTION}), answered(1, value="red"))
    last = closing(run)
    assert isinstance(last, ev.Error)
    assert (last.code, results(run)) == ("limit_rounds", {"c1": ("ok", None)})


def test_calls_that_wait_for_leave_count_towards_the_limit() -> None:
    """Ours: leave that is given must not run more than the run may."""
    run = begun(limits=Limits(tool_calls=2))
    tell(run, turned(request(), request(), gated={0: LEAVE}), returned(2), answered(1))
    assert dispatched(run) == ["c2", "c1"]
    tell(run, returned(1), turned(request()))
    assert results(run)["c3"] == ("refused", "not run: the run has used up its tool calls")


def test_a_declined_call_does_not_count_towards_the_limit() -> None:
    """Ours: what never ran was not made."""
    run = begun(limits=Limits(tool_calls=1))
    tell(run, turned(request(), gated={0: LEAVE}), answered(1, Settlement.DECLINED), turned(request()), returned(2))
    assert dispatched(run) == ["c2"]


# Refused, and rebuilt.


@pytest.mark.requirement("MACHINE-refuses")
@pytest.mark.parametrize(
    "given",
    [
        Answered(resolutions=()),
        Answered(resolutions=(said(1), said(1))),
        answered(2),
        Answered(resolutions=(said(1), said(9))),
        expired(2),
        answered(1, value="yes"),
        answered(1, value=[{"a": 1}]),
    ],
    ids=["none", "one twice", "unknown", "one unknown", "expiry of an unknown", "words for arguments", "a list"],
)
def test_a_bad_answer_is_refused_whole(given: Answered) -> None:
    """Design: answered once, by what was asked; a refused input changes nothing, so the good answer still counts."""
    run = begun()
    tell(run, turned(request(a=1), gated={0: LEAVE}))
    before = run.machine.standing.answers.copy()
    assert not run.tell(given)
    assert run.machine.standing.answers == before == {}
    tell(run, answered(1, value={"a": 2}))
    assert dispatched(run) == ["c1"]


@pytest.mark.requirement("MACHINE-refuses")
def test_a_pause_is_answered_once() -> None:
    """Design: two answers at once: exactly one wins."""
    run = begun()
    tell(run, turned(request(), request(), gated={0: LEAVE, 1: LEAVE}), answered(1, Settlement.DECLINED))
    assert tell(run, answered(1)) == ()
    tell(run, answered(2))
    assert settlements(run) == [[("i1", "declined"), ("i2", "answered")]]
    assert tell(run, answered(2)) == ()


@pytest.mark.requirement("MACHINE-rebuilds")
def test_a_run_that_was_put_away_goes_on_where_a_person_left_it() -> None:
    """Design: a person may answer two days later on another machine."""
    run = begun()
    tell(run, turned(request(a=1), request(), gated={0: LEAVE, 1: QUESTION}, streamed=frozenset({0})), answered(2))
    elsewhere = Machine.rebuilt(run.entries)
    assert elsewhere.receive(answered(1)) == run.machine.receive(answered(1))
    assert elsewhere.standing == run.machine.standing


@pytest.mark.requirement("MACHINE-rebuilds")
def test_what_a_redacted_event_hides_is_rebuilt_from_the_facts() -> None:
    """Law 5: redaction cuts events, not facts: the granted arguments are the true ones."""
    run = begun()
    tell(run, turned(request(key="s3cret"), gated={0: LEAVE}), answered(1, value={"key": "s3cret2"}))
    shown = [_redacted(entry) for entry in run.entries]
    assert shown != run.entries
    assert Machine.rebuilt(shown).standing == run.machine.standing


def _redacted(entry: object) -> object:
    match entry:
        case ev.Resumed():
            return replace(entry, resolutions=tuple(replace(one, value=None) for one in entry.resolutions))
        case ev.ToolCall():
            return replace(entry, request=replace(entry.request, arguments={"key": "***"}))
        case _:
            return entry
