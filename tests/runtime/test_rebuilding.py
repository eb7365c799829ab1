"""A run's log to the parts that go on with it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernel.plays import play, played
from tests.runtime.agents import scripted
from tests.runtime.logs import REQUEST, RULES, RUN, started_event
from tests.values.event_samples import APPROVAL
from treadle.adapters.system import SystemClock
from treadle.kernel.inputs import TookOver
from treadle.kernel.machine import Machine
from treadle.kernel.takeover import SILENT_OWNERS
from treadle.runtime.attached import RunParts
from treadle.runtime.rebuilding import Rebuilt, lived_of, rebuilt_from, rebuilt_run, wake_at_of
from treadle.values import events as ev
from treadle.values.calls import ToolRequest
from treadle.values.facts import AnswerKept, PauseKept, RequestKept, RoundOpened, TurnKept
from treadle.values.ids import CallId, InterruptId
from treadle.values.model import TEXT, ModelTurn
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import PauseKind, PendingInterrupt, Resolution, Settlement
from treadle.values.records import Entry
from treadle.values.runs import Lease
from treadle.values.stretches import EntryStretch, SpeechStretch

NOTHING: frozenset[str] = frozenset()
BEGUN: list[Entry] = [RequestKept(request=REQUEST, rules=RULES), started_event(0), RoundOpened(round=1, attempt=1)]


def event(kind: type[ev.KernelEvent], **fields: object) -> Entry:
    """An event of the run, wherever it stands."""
    return kind(index=0, run_id=RUN, **fields)


def round_started(number: int = 1, attempt: int = 1) -> Entry:
    """A round is seen to begin."""
    return event(ev.RoundStarted, round=number, attempt=attempt, model="m")


def round_ended(number: int = 1) -> Entry:
    """A round is seen to end."""
    return event(
        ev.RoundEnded, round=number, attempt=1, usage=ModelTurn(text="").usage, stop_reason=None, outcome="done"
    )


def said(text: str, passage: int = 1) -> Entry:
    """A piece of text."""
    return event(ev.TextDelta, passage=passage, text=text)


def rebuilt(*entries: Entry) -> Rebuilt:
    """What a log leads to."""
    return rebuilt_from(entries, next_index=sum(not hasattr(entry, "index") for entry in entries))


def parts_of(log: Rebuilt) -> RunParts:
    """The parts that go on with it."""
    served = scripted("text: ok").served()
    return log.parts(request=REQUEST, rules=RULES, served=served, clock=SystemClock(), told=lambda _: None)


def waiting(*expires: float | None, answered: int = 0) -> Rebuilt:
    """A run that waits for leave to make so many calls; the first ones have their answers."""
    turn = ModelTurn(
        tool_requests=tuple(ToolRequest(call_id=CallId(f"r1.c{at}"), name="pay") for at, _ in enumerate(expires, 1))
    )
    pauses = tuple(
        PendingInterrupt(
            interrupt_id=InterruptId(f"r1.i{at}"),
            kind=PauseKind.APPROVAL,
            call_id=CallId(f"r1.c{at}"),
            request={},
            expires_at=expires_at,
        )
        for at, expires_at in enumerate(expires, 1)
    )
    answers = [
        AnswerKept(resolution=Resolution(interrupt_id=one.interrupt_id, settlement=Settlement.ANSWERED))
        for one in pauses[:answered]
    ]
    return rebuilt(
        *BEGUN,
        *[event(ev.ToolAnnounced, call_id=one.call_id, name="pay") for one in pauses],
        TurnKept(round=1, attempt=1, turn=turn),
        *[PauseKept(pending=one) for one in pauses],
        event(ev.Interrupt, outcome=InvocationOutcome(text=""), pending=pauses or (APPROVAL,)),
        *answers,
    )


def test_nothing_written_is_a_new_run() -> None:
    """Ours: it is begun, and told nothing of a lost worker."""
    log = rebuilt()
    assert log.is_new
    assert log.first_inputs(idempotent=NOTHING) == ()


def test_a_run_that_killed_owner_after_owner_before_it_wrote_is_told_so() -> None:
    """Ours: that is for the machine to end."""
    log = replace(rebuilt(), silent_owners=SILENT_OWNERS)
    (given,) = log.first_inputs(idempotent=NOTHING)
    assert given == TookOver(idempotent=NOTHING, silent_owners=SILENT_OWNERS)


@given(st.lists(st.tuples(st.integers(1, 3), st.floats(0, 1e6)), max_size=20))
def test_time_at_work_is_that_within_each_owners_records(moments: list[tuple[int, float]]) -> None:
    """Ours: of each owner from its first to its last; a clock that goes back takes nothing away."""
    epochs = sorted(epoch for epoch, _ in moments)
    times = sorted(at_s for _, at_s in moments)
    stretches = [
        SpeechStretch(seq=at, index=at, kind=TEXT, key=1, texts=("x",), at_s=at_s, epoch=epoch)
        for at, (epoch, at_s) in enumerate(zip(epochs, times, strict=True))
    ]
    owned = [[one.at_s for one in stretches if one.epoch == epoch] for epoch in set(epochs)]
    assert lived_of(stretches) == pytest.approx(sum(of_one[-1] - of_one[0] for of_one in owned))
    assert lived_of([replace(one, at_s=-one.at_s) for one in stretches]) == 0


@pytest.mark.parametrize(
    ("epochs", "epoch", "silent"), [([], 1, 0), ([], 3, 2), ([1, 1], 2, 0), ([1, 2], 7, 4), ([3], 3, 0)]
)
def test_owners_who_wrote_nothing_are_counted(epochs: list[int], epoch: int, silent: int) -> None:
    """Ours: every claim has an epoch of its own, so those that no record bears left nothing."""
    stretches = [
        EntryStretch(seq=at, index=0, entries=(BEGUN[0],), at_s=0.0, epoch=each) for at, each in enumerate(epochs)
    ]
    lease = Lease(run_id=RUN, scope="s", epoch=epoch, next_seq=len(epochs), next_index=0)
    assert rebuilt_run(stretches, lease, scripted("text: ok").served()).silent_owners == silent


def test_a_turn_that_a_reader_saw_begin_is_under_way_until_it_ends() -> None:
    """Design §6: what was shown of an unfinished turn is to be taken back."""
    assert not rebuilt(*BEGUN).is_under_way
    assert rebuilt(*BEGUN, round_started()).is_under_way
    assert not rebuilt(*BEGUN, round_started(), said("a"), round_ended()).is_under_way
    taken_back = event(ev.Retracted, round=1, attempt=1, reason="worker_lost")
    assert not rebuilt(*BEGUN, round_started(), said("a"), taken_back).is_under_way
    (given,) = rebuilt(*BEGUN, round_started()).first_inputs(idempotent=NOTHING)
    assert given == TookOver(shown=True, idempotent=NOTHING)


def test_a_round_begins_where_it_was_opened_though_it_showed_nothing() -> None:
    """Ours: the rounds before it are no part of what is taken back."""
    log = rebuilt(*BEGUN, round_started(), said("See. "), round_ended(), RoundOpened(round=2, attempt=1))
    assert (log.shown, log.begins) == ("See. ", 5)
    more = rebuilt(
        *BEGUN,
        round_started(),
        said("See. "),
        round_ended(),
        RoundOpened(round=2, attempt=1),
        round_started(2),
        said("It", 2),
    )
    assert (more.shown, more.begins, more.passage) == ("See. It", 5, 2)
    state = parts_of(more).loop._writer._state  # noqa: SLF001 (what a retraction would leave)
    assert (state.clean_text, state.answer_at) == ("See. It", 5)
    state.retract()
    assert state.clean_text == "See. "


def test_text_that_was_taken_back_is_gone_and_its_passage_counts() -> None:
    """Ours: passages go on being counted."""
    taken_back = event(ev.Retracted, round=1, attempt=1, reason="worker_lost")
    thought = event(ev.Thinking, passage=3, text="hm")
    log = rebuilt(
        *BEGUN, round_started(), said("It was"), thought, taken_back, RoundOpened(round=1, attempt=2), said("It", 4)
    )
    assert (log.shown, log.begins, log.passage) == ("It", 0, 4)


def test_the_first_pause_is_over_where_nobody_said_anything() -> None:
    """ADR 0014: the store's clock decides, whatever this one says; else the run would be claimed for ever."""
    log = waiting(10.0, 20.0, None)
    assert log.first_inputs(idempotent=NOTHING) == ()
    assert log.expired(now_s=0.0, was_sent_to=False) == ("r1.i1",)
    assert log.expired(now_s=25.0, was_sent_to=False) == ("r1.i1", "r1.i2")
    assert log.expired(now_s=0.0, was_sent_to=True) == ()
    assert waiting(None).expired(now_s=99.0, was_sent_to=False) == ()
    assert rebuilt(*BEGUN).expired(now_s=99.0, was_sent_to=False) == ()


def test_a_pause_that_has_its_answer_wakes_nobody() -> None:
    """Ours: only what is open can be over."""
    log = waiting(10.0, 20.0, answered=1)
    assert wake_at_of(log.machine.standing) == 20.0
    assert log.expired(now_s=15.0, was_sent_to=False) == ("r1.i2",)
    assert wake_at_of(waiting(None, None).machine.standing) is None
    assert log.is_waiting


@given(seed=st.integers(0, 10**6))
def test_any_log_is_rebuilt_to_where_its_machine_stood(seed: int) -> None:
    """ADR 0011: rebuilt equals live; the next event has the next index."""
    live = played(play(seed))
    log = rebuilt_from(live.entries, next_index=live.index)
    assert log.machine.phase is live.machine.phase
    assert log.next_index == live.index
    assert log.machine.standing == Machine.rebuilt(live.entries).standing
    assert parts_of(log).runs.next == live.index


@pytest.mark.parametrize("under_way", [True, False])
def test_a_writer_knows_whether_its_attempt_was_seen(*, under_way: bool) -> None:
    """Ours: a stop that ends a dead worker's turn closes a round that was seen to begin, and no other."""
    log = rebuilt(*BEGUN, *([round_started()] if under_way else []))
    assert parts_of(log).loop._writer.shown is under_way  # noqa: SLF001 (what the loop asks it)
