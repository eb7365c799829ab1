"""The machine as a whole: what it refuses, where its inputs lead, and what it is after a rebuild."""

from __future__ import annotations

import copy
from typing import get_args

import pytest

from tests.kernel.plays import REQUEST, RUN
from tests.kernel.scenes import (
    LEAVE,
    SIGNAL,
    answered,
    begun,
    expired,
    facts,
    kinds,
    paused,
    progressed,
    request,
    returned,
    tell,
    turned,
)
from treadle.errors import StateError
from treadle.kernel.effects import AskModel, Effect, Emit, Keep
from treadle.kernel.inputs import (
    CancelRequested,
    DeadlinePassed,
    Input,
    ModelAnnounced,
    ModelBroke,
    PartBroke,
    PauseExpired,
    Recalled,
    Started,
    TookOver,
    ToolPaused,
    ToolProgressed,
    ToolReturned,
)
from treadle.kernel.machine import Machine
from treadle.kernel.transitions import TRANSITIONS, Phase
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome
from treadle.values.facts import RequestKept, RoundOpened
from treadle.values.ids import CallId, InterruptId, ThreadId, call_id
from treadle.values.limits import Limit, Limits, RunRules
from treadle.values.requests import TurnRequest

STARTED = Started(request=REQUEST, rules=RunRules(agent="a", model="m"))
AT_HAND: dict[type[Input], Input] = {
    Started: STARTED,
    Recalled: Recalled(),
    ModelAnnounced: ModelAnnounced(slot=0, name="add"),
    type(turned()): turned(),
    ModelBroke: ModelBroke(code="x"),
    ToolProgressed: progressed(1),
    ToolPaused: paused(1, SIGNAL),
    ToolReturned: returned(1),
    type(answered(1)): answered(1),
    PauseExpired: expired(1),
    DeadlinePassed: DeadlinePassed(limit=Limit.WALL_CLOCK),
    CancelRequested: CancelRequested(),
    PartBroke: PartBroke(),
    TookOver: TookOver(shown=True),
}
WAY_TO: dict[Phase, tuple[Input, ...]] = {
    Phase.NEW: (),
    Phase.RECALLING: (Started(request=REQUEST, rules=RunRules(agent="a", model="m", recalls=True)),),
    Phase.ASKING: (STARTED,),
    Phase.CALLING: (STARTED, turned(request())),
    Phase.STOPPING: (STARTED, turned(request()), CancelRequested()),
    Phase.WAITING: (STARTED, turned(request(), gated={0: LEAVE})),
    Phase.FINAL: (STARTED, turned(text="3")),
}


def at(phase: Phase) -> Machine:
    """A machine that stands there."""
    machine = Machine()
    for one in WAY_TO[phase]:
        machine.receive(one)
    assert machine.phase is phase
    return machine


def what_comes_of(given: Input, machine: Machine) -> tuple[Effect, ...] | str:
    """The effects, or the words of the refusal."""
    try:
        return machine.receive(given)
    except StateError as refused:
        return str(refused)


def test_there_is_an_input_of_every_class_at_hand() -> None:
    """Ours: what is tried over these is tried over the union."""
    assert set(AT_HAND) == set(get_args(Input))


@pytest.mark.requirement("MACHINE-refuses")
@pytest.mark.parametrize(
    ("phase", "kind"),
    [(phase, kind) for phase in Phase for kind in AT_HAND if (phase, kind) not in TRANSITIONS],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_what_is_not_in_the_table_is_refused_and_changes_nothing(phase: Phase, kind: type[Input]) -> None:
    """Design: an illegal input is a StateError, which says where the run stands and what came."""
    machine = at(phase)
    before = copy.deepcopy(machine.standing)
    with pytest.raises(StateError, match=f"{kind.__name__} is not legal in phase {phase.value!r}") as caught:
        machine.receive(AT_HAND[kind])
    assert (caught.value.state, caught.value.input) == (phase, AT_HAND[kind])
    assert machine.standing == before


STRANGERS = [
    "r1.c3",
    "r1.c0",
    "r1.c01",
    "r1.c",
    "r1.c-1",
    "r1.cx",
    "r1.c²",
    "r1.c٢",
    "r2.c1",
    "c1",
    "",
    "r1.c" + "9" * 9999,
]


@pytest.mark.requirement("MACHINE-refuses")
@pytest.mark.parametrize("named", STRANGERS, ids=range(len(STRANGERS)))
@pytest.mark.parametrize("phase", [Phase.CALLING, Phase.STOPPING, Phase.FINAL])
def test_a_call_that_the_run_never_had_is_refused(named: str, phase: Phase) -> None:
    """Ours: a result for a call of nobody is a bug of its caller, however its id is written."""
    machine = at(phase)
    for given in (
        ToolReturned(outcome=ToolOutcome(call_id=CallId(named))),
        ToolProgressed(call_id=CallId(named)),
        ToolPaused(call_id=CallId(named), ask=SIGNAL),
    ):
        with pytest.raises(StateError, match="is not of this run"):
            machine.receive(given)


@pytest.mark.requirement("MACHINE-refuses")
@pytest.mark.parametrize("named", ["r1.i2", "r1.i0", "r1.c1", "r2.i1", ""])
def test_a_pause_that_the_run_never_had_cannot_expire(named: str) -> None:
    """Ours: the same rule as for calls."""
    with pytest.raises(StateError, match="is not of this run"):
        at(Phase.WAITING).receive(PauseExpired(interrupt_id=InterruptId(named)))


def test_a_run_knows_the_calls_of_its_earlier_rounds() -> None:
    """Design: a tool that returns late is honest; ids are counted under the run, so any of them is known."""
    run = begun(limits=Limits(rounds=None, tool_calls=None))
    for number in range(1, 13):
        tell(run, turned(request()), returned(number))
    assert tell(run, returned(1), returned(9), returned(12)) == ()
    assert not run.tell(returned(13))


@pytest.mark.requirement("MACHINE-refuses")
@pytest.mark.parametrize("slot", [-1, 1, 7])
def test_slots_come_in_order(slot: int) -> None:
    """Ours: an announcement that skips a call is a bug of its adapter."""
    machine = at(Phase.ASKING)
    with pytest.raises(StateError, match="slots come in order"):
        machine.receive(ModelAnnounced(slot=slot, name="add"))
    assert machine.standing.calls == {}


@pytest.mark.requirement("MACHINE-refuses")
def test_a_turn_has_every_call_that_was_announced() -> None:
    """EV-5: a call that was shown cannot vanish; the turn is refused, and a whole one still counts."""
    run = begun()
    tell(run, ModelAnnounced(slot=0, name="add"), ModelAnnounced(slot=1, name="ping"))
    assert not run.tell(turned(request(), text="3"))
    assert not run.tell(turned(text="3"))
    assert run.machine.phase is Phase.ASKING
    tell(run, turned(request(), request("ping")))
    assert run.machine.phase is Phase.CALLING


def test_a_run_begins_with_what_was_asked() -> None:
    """Design: `run_started` is the first event; the request and the rules are a fact."""
    asked = TurnRequest(prompt="1+2?", run_id=RUN, root_run_id=RUN, parent_run_id=None, thread_id=ThreadId("t1"))
    rules = RunRules(agent="calc", model="gpt", limits=Limits(tool_calls=5))
    kept, started, opened, held, ask = Machine().receive(Started(request=asked, rules=rules))
    assert kept == Keep(fact=RequestKept(request=asked, rules=rules))
    assert isinstance(started, Emit)
    assert (started.event, dict(started.fields)) == (
        ev.RunStarted,
        {
            "agent": "calc",
            "thread_id": "t1",
            "root_run_id": "r1",
            "parent_run_id": None,
            "prompt": "1+2?",
            "tool_call_limit": 5,
        },
    )
    assert opened == Keep(fact=RoundOpened(round=1, attempt=1))
    assert held == Emit(event=ev.RoundStarted, held=True, fields={"round": 1, "attempt": 1, "model": "gpt"})
    assert ask == AskModel(round=1, attempt=1)


def test_the_call_in_a_slot_is_known_by_its_id() -> None:
    """Ours: who streams argument text says whose it is."""
    run = begun()
    tell(run, turned(request()), returned(1), ModelAnnounced(slot=0, name="a"), ModelAnnounced(slot=1, name="b"))
    assert [run.machine.call_at(slot) for slot in (0, 1)] == [call_id(RUN, 2), call_id(RUN, 3)]


@pytest.mark.requirement("MACHINE-late")
@pytest.mark.parametrize(
    "late",
    [given for kind, given in AT_HAND.items() if (Phase.FINAL, kind) in TRANSITIONS],
    ids=lambda given: type(given).__name__,
)
def test_what_comes_late_to_a_run_that_is_over_does_nothing(late: Input) -> None:
    """Design: late but honest: legal, and nothing comes of it."""
    run = begun()
    tell(run, turned(request(), request(), gated={0: LEAVE}), returned(2), answered(1), returned(1), turned(text="3"))
    before, written = copy.deepcopy(run.machine.standing), len(run.entries)
    assert tell(run, late) == ()
    assert (run.machine.standing, len(run.entries)) == (before, written)


@pytest.mark.requirement("MACHINE-late", "EV-4")
def test_a_second_cancel_is_legal_and_does_nothing() -> None:
    """Design: Stop may be pressed twice, and a tool may return after it."""
    run = begun()
    tell(run, turned(request()), CancelRequested())
    assert tell(run, CancelRequested()) == ()
    tell(run, returned(1))
    assert tell(run, CancelRequested(), returned(1), progressed(1), paused(1, SIGNAL)) == ()
    assert kinds(run)[-1] == "cancelled"
    assert kinds(run).count("cancelled") == 1


@pytest.mark.parametrize("phase", list(Phase))
def test_a_machine_that_has_done_nothing_more_gives_the_same_effects_after_a_rebuild(phase: Phase) -> None:
    """Law 5: the state is the fold of the records, from every phase on."""
    run = begun(recalls=phase is Phase.RECALLING)
    for one in WAY_TO[phase][1:]:
        tell(run, one)
    rebuilt = Machine.rebuilt(run.entries if phase is not Phase.NEW else [])
    live = run.machine if phase is not Phase.NEW else Machine()
    for kind, given in AT_HAND.items():
        if (phase, kind) in TRANSITIONS:
            assert what_comes_of(given, copy.deepcopy(rebuilt)) == what_comes_of(given, copy.deepcopy(live))


def test_the_turns_of_a_run_are_one_list_that_grows() -> None:
    """Ours: whoever builds a request reads it, and nothing is copied a round."""
    run = begun()
    turns = run.machine.turns
    tell(run, turned(request()), returned(1), turned(text="3"))
    assert turns is run.machine.turns
    assert [len(message.outcomes) for message in turns] == [1, 0]
    assert len(facts(run, RoundOpened)) == 2
