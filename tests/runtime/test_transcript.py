"""What a thread's next run is told."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.kernel.plays import play, played
from tests.runtime.logs import REQUEST, RULES, RUN, started_event
from treadle.kernel.machine import Machine
from treadle.runtime.transcript import told_of
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest
from treadle.values.facts import OutcomeKept, RequestKept, RoundCut, RoundOpened, TurnKept
from treadle.values.ids import CallId
from treadle.values.model import ModelTurn
from treadle.values.outcome import InvocationOutcome
from treadle.values.records import Entry
from treadle.values.requests import TurnMessage, UserMessage

ASKED = UserMessage(text="1+2?")
CALL = CallId("r1.c1")
CALLING = ModelTurn(text="See. ", tool_requests=(ToolRequest(call_id=CALL, name="add"),))
RESULT = ToolOutcome(call_id=CALL, content=3)


def run(*entries: Entry) -> list[Entry]:
    """A run that was begun, and went on so."""
    return [RequestKept(request=REQUEST, rules=RULES), started_event(0), RoundOpened(round=1, attempt=1), *entries]


def said(text: str) -> ev.TextDelta:
    """A piece of text."""
    return ev.TextDelta(index=0, run_id=RUN, passage=1, text=text)


def retracted() -> ev.Retracted:
    """The first round is taken back."""
    return ev.Retracted(index=0, run_id=RUN, round=1, attempt=1, reason="worker_lost")


def called(*, with_result: bool) -> list[Entry]:
    """A whole turn with a call."""
    announced = ev.ToolAnnounced(index=0, run_id=RUN, call_id=CALL, name="add")
    kept = TurnKept(round=1, attempt=1, turn=CALLING)
    return [said("See. "), announced, kept, *([OutcomeKept(outcome=RESULT)] if with_result else [])]


def test_a_finished_turn_is_told_raw_with_its_results() -> None:
    """Design law 5: finished turns raw, with what came of their calls."""
    told = told_of(run(*called(with_result=True), RoundOpened(round=2, attempt=1), said("It is"), said(" 3.")))
    assert told == (
        ASKED,
        TurnMessage(turn=CALLING, outcomes=(RESULT,)),
        TurnMessage(turn=ModelTurn(text="It is 3."), cut=True),
    )


def test_a_round_that_showed_nothing_is_not_told_with_the_words_of_the_one_before() -> None:
    """Ours: only what was shown of the last turn itself is its text."""
    told = told_of(run(*called(with_result=True), RoundOpened(round=2, attempt=1)))
    assert told == (ASKED, TurnMessage(turn=CALLING, outcomes=(RESULT,)))


def test_a_call_without_a_result_is_not_told() -> None:
    """Ours: no provider takes a call that hangs in the air."""
    assert told_of(run(*called(with_result=False))) == (ASKED,)


def test_what_was_taken_back_is_not_told() -> None:
    """Design law 5: a retracted turn not at all."""
    cut = RoundCut(round=1, attempt=1, code="worker_lost")
    assert told_of(run(said("It was"), cut, retracted())) == (ASKED,)
    again = told_of(run(said("It was"), cut, retracted(), RoundOpened(round=1, attempt=2), said("It is")))
    assert again == (ASKED, TurnMessage(turn=ModelTurn(text="It is"), cut=True))


def test_without_facts_the_shown_text_is_told() -> None:
    """Design law 5: facts may be deleted on their own; a run that was cut is marked so."""
    outcome = InvocationOutcome(text="It is")
    events: list[Entry] = [started_event(0), said("It "), said("is")]
    done = ev.Done(index=3, run_id=RUN, outcome=outcome, termination="completed")
    assert told_of([*events, done]) == (ASKED, TurnMessage(turn=ModelTurn(text="It is")))
    assert told_of(events) == (ASKED, TurnMessage(turn=ModelTurn(text="It is"), cut=True))
    assert told_of([started_event(0)]) == (ASKED,)
    assert told_of([]) == ()


@given(seed=st.integers(0, 10**6), end=st.integers(0, 200))
def test_every_call_that_is_told_has_its_result_wherever_a_log_ends(seed: int, end: int) -> None:
    """Ours: the pairing rule of every provider, for a log that was cut anywhere."""
    entries = played(play(seed)).entries[:end]
    told = told_of(entries)
    for message in told:
        if isinstance(message, TurnMessage):
            calls = [request.call_id for request in message.turn.tool_requests]
            assert [outcome.call_id for outcome in message.outcomes] == calls
            assert not (message.cut and calls)
    assert Machine.rebuilt(entries).standing.request is not None or not told
