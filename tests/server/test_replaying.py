"""A stored run by its segments, and what is played of it."""

from __future__ import annotations

import pytest

from tests.projections.a2a.samples import LEAVE, QUESTION, RUN, Log
from treadle.codec.pause_tokens import TokenKeys, token_for
from treadle.projections.plain.wire import Integers
from treadle.server.delivery import NDJSON, RETRY, SSE
from treadle.server.replaying import PlayedEvents, StoredRun, Tokens
from treadle.values import events as ev
from treadle.values.ids import ThreadId
from treadle.values.outcome import InvocationOutcome
from treadle.values.runs import RunState, RunStatus

OUTCOME = InvocationOutcome(text="Let me.")


def run_of(log: Log, status: RunStatus = RunStatus.DONE) -> StoredRun:
    """A run with this log."""
    state = RunState(
        run_id=RUN,
        scope="default",
        thread_id=ThreadId("t1"),
        agent="calc",
        status=status,
        epoch=1,
        next_seq=log.next,
        next_index=log.next,
        created_s=1.0,
        changed_s=2.0,
    )
    return StoredRun(state, log.stretches)


def asking() -> Log:
    """A run that asks, and two pieces of what it says before."""
    log = Log().start(prompt="1+2?").say("Let", " me.")
    log.add(ev.ToolAnnounced, call_id=QUESTION.call_id, name="ask_user")
    return log.add(ev.AskUser, pending=(QUESTION,), outcome=OUTCOME)


@pytest.mark.requirement("CLI-replay")
def test_a_run_knows_its_segments_and_what_each_goes_on_with() -> None:
    """Ours: a closing event ends a segment, and what follows is the next."""
    waiting = run_of(asking(), RunStatus.WAITING)
    assert (waiting.segments, waiting.before(1), waiting.end(1), waiting.is_at_rest) == (1, -1, 4, True)
    assert waiting.asks == {"ask_user": QUESTION.kind}
    log = asking().add(ev.Resumed, resolutions=())
    going = run_of(log, RunStatus.OWNED)
    assert (going.segments, going.before(2), going.end(2), going.is_at_rest) == (2, 4, 5, False)
    assert going.answered(2) == {QUESTION.interrupt_id}
    stood = going.when_answered(2)
    assert (stood.status, stood.next_index, going.prompt) == (RunStatus.READY, 5, "1+2?")


def test_a_run_that_has_not_begun_has_one_segment_with_nothing_in_it() -> None:
    """Ours: it is told as whoever started it and waits is told."""
    run = run_of(Log(), RunStatus.READY)
    assert (run.segments, run.before(1), run.end(1), run.prompt, run.is_at_rest) == (1, -1, -1, "", False)


@pytest.mark.requirement("CLI-replay")
def test_events_are_played_behind_one_and_up_to_another() -> None:
    """Ours: in the midst of a stretch too; what opens a stream stands before its first event alone."""
    run = run_of(asking())
    lines = "".join(PlayedEvents(form=NDJSON, integers=Integers.EXACT, after=0, last=1).frames(run)).splitlines()
    assert len(lines) == 1
    assert '"text":"Let"' in lines[0]
    whole = "".join(PlayedEvents(form=SSE, integers=Integers.EXACT, after=-1, last=4).frames(run)).encode()
    assert whole.startswith(RETRY + b"id: 0:0\n")
    assert whole.count(RETRY) == 1
    assert whole.count(b"\n\n") == 5
    assert list(PlayedEvents(form=SSE, integers=Integers.EXACT, after=4, last=4).frames(run)) == []


def test_tokens_are_derived_and_where_there_is_no_key_that_is_known() -> None:
    """docs/cli.md: left out, and said so; where none was asked for there is nothing to say."""
    run, keys = run_of(asking()).state, TokenKeys(bytes(range(32)))
    tokens = Tokens(run, keys)
    assert tokens.of(LEAVE) == token_for(LEAVE, scope="default", keys=keys)
    assert not tokens.were_missed
    without = Tokens(run, None)
    assert not without.were_missed
    assert without.of(LEAVE) is None
    assert without.were_missed
