"""What holds for every sequence of inputs."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given

from tests.kernel.plays import AT_REST, REQUEST, RUN, Play, Played, played, plays
from tests.kernel.scenes import events, facts
from treadle.errors import StateError
from treadle.kernel.inputs import Started
from treadle.kernel.machine import Machine
from treadle.kernel.transitions import TRANSITIONS, Phase
from treadle.values import events as ev
from treadle.values.events import CLOSING_TYPES, FINAL_TYPES, PAUSE_TYPES
from treadle.values.facts import OutcomeKept, RoundOpened, TurnKept


@given(plays)
@pytest.mark.requirement("MACHINE-refuses")
def test_an_input_is_legal_or_refused_with_the_state_unchanged(play: Play) -> None:
    """Law 1: an illegal input is a StateError and changes nothing; a legal one leads where the table says."""
    machine = Machine()
    rules, inputs = play
    for one in [Started(request=REQUEST, rules=rules), *inputs]:
        before, phase = copy.deepcopy(machine.standing), machine.phase
        try:
            machine.receive(one)
        except StateError:
            assert machine.standing == before
        else:
            assert machine.phase in TRANSITIONS[phase, type(one)]


@given(plays)
@pytest.mark.requirement("EV-3", "EV-4")
def test_every_segment_has_one_closing_event_and_it_is_last(play: Play) -> None:
    """EV-3, EV-4: one closing event a segment, last; nothing after a final one."""
    told = events(played(play))
    for here, following in zip(told, [*told[1:], None], strict=True):
        if isinstance(here, FINAL_TYPES):
            assert following is None
        elif isinstance(here, CLOSING_TYPES):
            assert following is None or isinstance(following, ev.Resumed)
        else:
            assert not isinstance(following, ev.Resumed)


@given(plays)
@pytest.mark.requirement("EV-3")
def test_a_run_rests_exactly_where_its_last_event_closes(play: Play) -> None:
    """EV-3: a run that is final or waits has closed its segment, and no other has."""
    run = played(play)
    last = events(run)[-1]
    assert (run.machine.phase in AT_REST) == isinstance(last, CLOSING_TYPES)
    assert (run.machine.phase is Phase.FINAL) == isinstance(last, FINAL_TYPES)
    assert not run.machine.standing.pauses or run.machine.phase is not Phase.FINAL


@given(plays)
@pytest.mark.requirement("EV-3")
def test_what_a_segment_waits_for_is_settled_once_and_told(play: Play) -> None:
    """EV-3: every pause that was shown is settled by one `resumed`, or still open; and none that was not shown."""
    shown: dict[str, bool] = {}
    for event in events(played(play)):
        match event:
            case ev.AskUser() | ev.Interrupt():
                shown.update({pause.interrupt_id: True for pause in event.pending})
            case ev.Resumed():
                for resolution in event.resolutions:
                    assert shown[resolution.interrupt_id]
                    shown[resolution.interrupt_id] = False
            case ev.Done() | ev.Error() | ev.Cancelled():
                assert not any(shown.values())
            case _:
                pass


@given(plays)
@pytest.mark.requirement("EV-5", "MACHINE-siblings")
def test_every_announced_call_settles_once_before_the_next_round_and_before_an_end(play: Play) -> None:
    """EV-5: one result a call, before the next round and any closing event but a pause on that very call."""
    open_calls: set[str] = set()
    results: set[str] = set()
    waiting: dict[str, str] = {}
    for entry in played(play).entries:
        match entry:
            case ev.ToolAnnounced():
                open_calls.add(entry.call_id)
            case ev.ToolResult():
                assert entry.outcome.call_id not in results
                results.add(entry.outcome.call_id)
                open_calls.remove(entry.outcome.call_id)
            case ev.Retracted():
                open_calls.clear()
            case RoundOpened() | ev.Done() | ev.Error() | ev.Cancelled():
                assert not open_calls
                waiting.clear()
            case ev.AskUser() | ev.Interrupt():
                # A pause that was answered while another was asked again is told no more, and its call waits still.
                waiting.update({pause.call_id: pause.interrupt_id for pause in entry.pending})
                assert open_calls <= set(waiting)
                assert open_calls >= {pause.call_id for pause in entry.pending}
            case _:
                pass


@given(plays)
@pytest.mark.requirement("EV-6")
def test_what_occurs_of_a_call_occurs_in_order(play: Play) -> None:
    """EV-6: announce, execution, result; progress only while it runs, numbered from 0."""
    stage: dict[str, str] = {}
    progress: dict[str, int] = {}
    for entry in played(play).entries:
        match entry:
            case ev.ToolAnnounced():
                assert entry.call_id not in stage
                stage[entry.call_id] = "announced"
            case ev.ToolCall():
                assert stage[entry.request.call_id] == "announced"
                stage[entry.request.call_id] = "executing"
            case ev.ToolProgress():
                assert stage[entry.call_id] == "executing"
                assert entry.sequence == progress.get(entry.call_id, 0)
                progress[entry.call_id] = entry.sequence + 1
            case ev.ToolResult():
                assert stage[entry.outcome.call_id] in {"announced", "executing"}
                never_ran = (entry.outcome.error or "").startswith("not run: ")
                assert not never_ran or stage[entry.outcome.call_id] == "announced"
                stage[entry.outcome.call_id] = "settled"
            case _:
                pass


@given(plays)
@pytest.mark.requirement("EV-8")
def test_a_retraction_never_voids_a_call_that_ran(play: Play) -> None:
    """EV-8: what is retracted is the attempt at hand, and no call of it was dispatched."""
    opened: RoundOpened | None = None
    ran = False
    for entry in played(play).entries:
        match entry:
            case RoundOpened():
                opened, ran = entry, False
            case ev.ToolCall():
                ran = True
            case ev.Retracted():
                assert opened is not None
                assert (entry.round, entry.attempt) == (opened.round, opened.attempt)
                assert not ran
            case _:
                pass


@given(plays)
@pytest.mark.requirement("MACHINE-damaged", "MACHINE-cut")
def test_a_damaged_call_and_the_calls_of_a_cut_turn_never_run(play: Play) -> None:
    """Promise 8: a tool never runs on damaged arguments."""
    sound: set[str] = set()
    for entry in played(play).entries:
        match entry:
            case TurnKept(turn=turn) if turn.stop_reason not in {"length", "content_filter"}:
                sound |= {request.call_id for request in turn.tool_requests if request.damage is None}
            case ev.ToolCall():
                assert entry.request.call_id in sound
            case _:
                pass


@given(plays)
@pytest.mark.requirement("MACHINE-limits")
def test_no_run_goes_past_its_limits(play: Play) -> None:
    """Design: rounds, tool calls and tokens are never passed, whatever a model and people say."""
    run = played(play)
    limits = play[0].limits
    rounds = {entry.round for entry in facts(run, RoundOpened) if isinstance(entry, RoundOpened)}
    assert limits.rounds is None or len(rounds) <= limits.rounds
    ran = [entry for entry in run.entries if isinstance(entry, ev.ToolCall)]
    assert limits.tool_calls is None or len(ran) <= limits.tool_calls
    spent = 0
    for entry in run.entries:
        if isinstance(entry, TurnKept):
            spent += entry.turn.usage.spent_tokens
        elif isinstance(entry, RoundOpened | ev.ToolCall):
            assert limits.tokens is None or spent < limits.tokens


@given(plays)
@pytest.mark.requirement("MACHINE-rebuilds")
def test_a_rebuilt_machine_stands_where_the_live_one_does(play: Play) -> None:
    """Law 5: the state is the fold of the records, so rebuilding and going on is never having stopped."""
    run = Played()
    rules, inputs = play
    for one in [Started(request=REQUEST, rules=rules), *inputs]:
        run.tell(one)
        rebuilt = Machine.rebuilt(run.entries)
        assert rebuilt.standing == run.machine.standing


@given(plays)
@pytest.mark.requirement("MACHINE-rebuilds")
def test_the_transcript_has_an_outcome_for_every_call_of_every_turn(play: Play) -> None:
    """Law 5: a model is told its finished turns raw, each call with its result, in call order."""
    run = played(play)
    true = {fact.outcome.call_id: fact.outcome for fact in facts(run, OutcomeKept) if isinstance(fact, OutcomeKept)}
    for message in run.machine.turns:
        assert message.outcomes == tuple(true[request.call_id] for request in message.turn.tool_requests)
    finished = [fact for fact in facts(run, TurnKept) if isinstance(fact, TurnKept)]
    open_turns = len(finished) - len(run.machine.turns)
    assert open_turns == (run.machine.phase in {Phase.CALLING, Phase.STOPPING, Phase.WAITING})


@given(plays)
@pytest.mark.requirement("MACHINE-usage")
def test_usage_is_the_sum_of_all_attempts(play: Play) -> None:
    """Promise 10: every attempt counts, shown or not; one that told nothing is unmeasured; every end tells the sum."""
    run = played(play)
    attempts = sum(isinstance(entry, RoundOpened) for entry in run.entries)
    usage = run.machine.standing.usage
    under_way = run.machine.phase is Phase.ASKING
    assert usage.unmeasured_rounds <= attempts - under_way
    last = events(run)[-1]
    if isinstance(last, CLOSING_TYPES):
        assert last.outcome.usage == usage
        assert last.outcome.run_id == RUN


@given(plays)
def test_a_segment_that_waits_is_a_question_exactly_if_all_is_questions(play: Play) -> None:
    """Design: `ask_user` if all are questions, else `interrupt`."""
    for event in events(played(play)):
        if isinstance(event, PAUSE_TYPES):
            assert isinstance(event, ev.AskUser) == all(pause.kind == "ask_user" for pause in event.pending)
