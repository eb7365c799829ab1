"""What holds for every sequence of inputs."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given

from tests.kernel.plays import AT_REST, REQUEST, RUN, Played, played, plays
from treadle.errors import StateError
from treadle.kernel.inputs import Started
from treadle.kernel.machine import Machine
from treadle.kernel.transitions import TRANSITIONS, Phase
from treadle.values import events as ev
from treadle.values.events import CLOSING_TYPES, FINAL_TYPES, KernelEvent
from treadle.values.facts import FACT_TYPES, RoundOpened


def events_of(done: Played) -> list[KernelEvent]:
    return [entry for entry in done.entries if not isinstance(entry, FACT_TYPES)]


@given(plays)
@pytest.mark.requirement("MACHINE-refuses")
def test_an_input_is_legal_or_refused_with_the_state_unchanged(play):
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
@pytest.mark.requirement("EV-1", "EV-3", "EV-4")
def test_every_segment_has_one_closing_event_and_it_is_last(play):
    """EV-3, EV-4: one closing event a segment, last; nothing after a final one."""
    events = events_of(played(play))
    assert [event.index for event in events] == list(range(len(events)))
    for here, following in zip(events, [*events[1:], None], strict=True):
        if isinstance(here, FINAL_TYPES):
            assert following is None
        elif isinstance(here, CLOSING_TYPES):
            assert following is None or isinstance(following, ev.Resumed)
        else:
            assert not isinstance(following, ev.Resumed)


@given(plays)
@pytest.mark.requirement("EV-3")
def test_a_run_rests_exactly_where_its_last_event_closes(play):
    """EV-3: a run that is final or waits has closed its segment, and no other has."""
    done = played(play)
    last = events_of(done)[-1]
    assert (done.machine.phase in AT_REST) == isinstance(last, CLOSING_TYPES)
    assert (done.machine.phase is Phase.FINAL) == isinstance(last, FINAL_TYPES)


@given(plays)
@pytest.mark.requirement("EV-5")
def test_every_announced_call_settles_once_before_the_next_round_and_before_an_end(play):
    """EV-5: one result a call, before the next round and any closing event but a pause on that call."""
    open_calls: dict[str, int] = {}
    results: set[str] = set()
    for entry in played(play).entries:
        match entry:
            case ev.ToolAnnounced():
                open_calls[entry.call_id] = 0
            case ev.ToolResult():
                assert entry.outcome.call_id not in results
                results.add(entry.outcome.call_id)
                del open_calls[entry.outcome.call_id]
            case ev.Retracted():
                open_calls.clear()
            case RoundOpened() | ev.Done() | ev.Error() | ev.Cancelled():
                assert not open_calls
            case ev.AskUser() | ev.Interrupt():
                assert set(open_calls) >= {pause.call_id for pause in entry.pending}
            case _:
                pass


@given(plays)
@pytest.mark.requirement("EV-6")
def test_what_occurs_of_a_call_occurs_in_order(play):
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
                stage[entry.outcome.call_id] = "settled"
            case _:
                pass


@given(plays)
@pytest.mark.requirement("EV-8")
def test_a_retraction_never_voids_a_call_that_ran(play):
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
@pytest.mark.requirement("MACHINE-rebuilds")
def test_a_rebuilt_machine_stands_where_the_live_one_does(play):
    """Law 5: the state is the fold of the records, so rebuilding and going on is never having stopped."""
    done = Played()
    rules, inputs = play
    for one in [Started(request=REQUEST, rules=rules), *inputs]:
        done.tell(one)
        rebuilt = Machine.rebuilt(done.entries)
        assert rebuilt.standing == done.machine.standing


@given(plays)
@pytest.mark.requirement("EV-10")
def test_usage_is_the_sum_of_all_attempts(play):
    """What every attempt spent counts, shown or not; an attempt that told nothing is counted as unmeasured."""
    done = played(play)
    attempts = sum(isinstance(entry, RoundOpened) for entry in done.entries)
    usage = done.machine.standing.usage
    under_way = done.machine.phase is Phase.ASKING
    assert usage.unmeasured_rounds <= attempts - under_way
    closing = events_of(done)[-1]
    if isinstance(closing, CLOSING_TYPES):
        assert closing.outcome.usage == usage
        assert closing.outcome.run_id == RUN
