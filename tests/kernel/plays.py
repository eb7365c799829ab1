"""Any sequence of inputs: what the properties of the machine are tried on.

A play draws inputs that name calls and pauses that exist, and some that do not, without caring whether they are
legal: the machine has to.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random

from hypothesis import strategies as st

from treadle.errors import StateError
from treadle.kernel.effects import Close, Effect, Emit, Keep
from treadle.kernel.inputs import (
    Answered,
    CancelRequested,
    DeadlinePassed,
    Input,
    ModelAnnounced,
    ModelBroke,
    ModelTurned,
    PartBroke,
    PauseAsk,
    PauseExpired,
    Recalled,
    Started,
    TookOver,
    ToolPaused,
    ToolProgressed,
    ToolReturned,
)
from treadle.kernel.machine import Machine
from treadle.kernel.takeover import SILENT_OWNERS
from treadle.kernel.transitions import TRANSITIONS, Phase
from treadle.values.calls import ToolOutcome, ToolRequest, ToolStatus
from treadle.values.ids import CallId, InterruptId, RunId, call_id, interrupt_id
from treadle.values.limits import Limit, Limits, Retries, RunRules
from treadle.values.model import ModelTurn, StopReason
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import OnExpiry, PauseKind, Resolution, Settlement
from treadle.values.records import Entry
from treadle.values.requests import TurnRequest
from treadle.values.usage import UsageDelta

RUN = RunId("r1")
REQUEST = TurnRequest(prompt="hi", run_id=RUN, root_run_id=RUN)
LONGEST = 40
"""Inputs of the longest play."""


def _usage(dice: Random) -> UsageDelta:
    return UsageDelta(input_tokens=dice.randint(0, 9), output_tokens=dice.randint(0, 9))


def _ask(dice: Random) -> PauseAsk:
    return PauseAsk(kind=dice.choice(list(PauseKind)), on_expiry=dice.choice(list(OnExpiry)), request={"q": "?"})


def _rules(dice: Random) -> RunRules:
    limits = Limits(
        rounds=dice.choice([None, 1, 2, 4]),
        tool_calls=dice.choice([None, None, 1, 3]),
        tokens=dice.choice([None, None, 30]),
    )
    retries = Retries(attempts=dice.randint(1, 3), after_output=dice.random() < 0.5)
    return RunRules(agent="a", model="m", limits=limits, retries=retries, recalls=dice.random() < 0.2)


def _turn(dice: Random, at_least: int) -> ModelTurn:
    requests = tuple(
        ToolRequest(name=dice.choice(["add", "ping"]), damage=dice.choice([None, None, None, "not json"]))
        for _ in range(max(at_least, dice.choice([0, 1, 1, 2, 2, 3, 3, 3])))
    )
    labels = [None, *StopReason] if dice.random() < 0.2 else [None, StopReason.STOP, StopReason.TOOL_CALLS]
    return ModelTurn(
        text=dice.choice(["", "t"]),
        tool_requests=requests,
        usage=_usage(dice),
        stop_reason=dice.choice(labels),
        damage="fragments without an owner" if dice.random() < 0.1 else None,
    )


def _outcome(dice: Random, named: CallId) -> ToolOutcome:
    if dice.random() < 0.3:
        return ToolOutcome(call_id=named, status=ToolStatus.FAILED, error="no")
    return ToolOutcome(call_id=named, content="ok")


def _resolution(dice: Random, named: InterruptId) -> Resolution:
    settlements = [Settlement.ANSWERED] if dice.random() < 0.5 else list(Settlement)
    value = dice.choice([None, None, {"a": 1}, {"a": 1}, "yes"])
    return Resolution(interrupt_id=named, settlement=dice.choice(settlements), value=value)


class _Table:
    """What exists in a run at the moment, and sometimes what does not."""

    def __init__(self, dice: Random, machine: Machine) -> None:
        self.dice = dice
        self.calls = list(machine.standing.calls) or [call_id(RUN, 1)]
        self.open = [call.call_id for call in machine.standing.open_calls()] or self.calls
        self.asked = [name for name in machine.standing.pauses if name not in machine.standing.answers]
        self.ever_asked = [interrupt_id(RUN, number + 1) for number in range(machine.standing.pauses_made)]
        self.made = len(machine.standing.calls)

    def call(self) -> CallId:
        lot = self.dice.random()
        return self.dice.choice(self.open if lot < 0.8 else self.calls if lot < 0.9 else [call_id(RUN, 9)])

    def pause(self) -> InterruptId:
        lot = self.dice.random()
        known = self.asked if lot < 0.8 else []
        return self.dice.choice(known or (lot < 0.95 and self.ever_asked) or [interrupt_id(RUN, 99)])


_MADE: dict[type[Input], Callable[[Random, _Table], Input]] = {
    Started: lambda dice, _: Started(request=REQUEST, rules=_rules(dice)),
    Recalled: lambda dice, _: Recalled(blocks=("b",), problem=dice.choice([None, "memory is away"])),
    ModelAnnounced: lambda dice, at: ModelAnnounced(slot=dice.choice([at.made, at.made, 0, 3]), name="add"),
    ModelTurned: lambda dice, at: ModelTurned(
        turn=_turn(dice, at.made if dice.random() < 0.95 else 0),
        streamed=frozenset(range(dice.randint(0, 2))),
        gated={slot: _ask(dice) for slot in range(3) if dice.random() < 0.4},
    ),
    ModelBroke: lambda dice, _: ModelBroke(
        code="upstream_error", retryable=dice.random() < 0.7, shown=dice.random() < 0.4, usage=_usage(dice)
    ),
    ToolProgressed: lambda dice, at: ToolProgressed(call_id=at.call(), payload=dice.random()),
    ToolPaused: lambda dice, at: ToolPaused(call_id=at.call(), ask=_ask(dice)),
    ToolReturned: lambda dice, at: ToolReturned(outcome=_outcome(dice, at.call())),
    Answered: lambda dice, at: Answered(
        resolutions=tuple(_resolution(dice, at.pause()) for _ in range(dice.choice([1, 1, 1, 2, 0])))
    ),
    PauseExpired: lambda _, at: PauseExpired(interrupt_id=at.pause()),
    DeadlinePassed: lambda dice, _: DeadlinePassed(
        limit=dice.choice([Limit.WALL_CLOCK, Limit.OUTPUT_BYTES]), shown=dice.random() < 0.5, usage=_usage(dice)
    ),
    CancelRequested: lambda dice, _: CancelRequested(shown=dice.random() < 0.5),
    TookOver: lambda dice, _: TookOver(
        shown=dice.random() < 0.5,
        idempotent=frozenset({"add"}) if dice.random() < 0.5 else frozenset(),
        silent_owners=dice.choice([0, 0, 0, SILENT_OWNERS]),
    ),
    PartBroke: lambda _, __: PartBroke(),
}
_ENDS = frozenset({CancelRequested, DeadlinePassed, PartBroke})
_OFTEN = {ModelTurned: 5, ModelAnnounced: 2, Answered: 4, PauseExpired: 3, ToolReturned: 2}
_LEGAL = {phase: [kind for at, kind in TRANSITIONS if at is phase] for phase in Phase}
_GOING_ON = {
    phase: [kind for kind in legal if kind not in _ENDS for _ in range(_OFTEN.get(kind, 1))] or legal
    for phase, legal in _LEGAL.items()
}

Play = tuple[RunRules, list[Input]]


def play(seed: int) -> Play:
    """Rules, and inputs: most of them fit where the run stands, the rest are whatever comes."""
    dice = Random(seed)
    rules, told, machine = _rules(dice), [], Machine()
    machine.receive(Started(request=REQUEST, rules=rules))
    left = dice.randint(0, LONGEST)
    while left > 0:
        lot = dice.random()
        at_hand = _GOING_ON if lot > 0.15 else _LEGAL
        kind = dice.choice(at_hand[machine.phase] if lot > 0.05 else list(_MADE))
        one = _MADE[kind](dice, _Table(dice, machine))
        told.append(one)
        with suppress(StateError):
            machine.receive(one)
        # What is told to a run that is over changes nothing: a few of these are enough.
        left -= 1 if machine.phase is not Phase.FINAL else 8
    return rules, told


plays = st.integers(0, 2**32).map(play)
"""Plays by their seed: hundreds of them reach every arrow of the table."""


@dataclass
class Played:
    """A machine and all that came out of it, written down as a log would."""

    machine: Machine = field(default_factory=Machine)
    entries: list[Entry] = field(default_factory=list)
    taken: list[Input] = field(default_factory=list)
    refused: list[Input] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    told: list[tuple[Effect, ...]] = field(default_factory=list)
    """The effects of each input."""
    held: Emit | None = None
    index: int = 0

    def tell(self, given: Input) -> bool:
        """Give an input; False where it was refused."""
        try:
            effects = self.machine.receive(given)
        except StateError:
            self.refused.append(given)
            return False
        self.taken.append(given)
        self.effects.extend(effects)
        self.told.append(effects)
        for effect in effects:
            self.write(effect)
        return True

    def write(self, effect: Effect) -> None:
        """Write an effect down as the writer would, text left out."""
        match effect:
            case Keep():
                self.entries.append(effect.fact)
            case Emit(held=True):
                self.held = effect
            case Emit():
                self.seal(effect)
            case Close():
                outcome = InvocationOutcome(text="", **effect.outcome)
                self.held = None
                self.entries.append(effect.event(index=self.index, run_id=RUN, outcome=outcome, **effect.fields))
                self.index += 1
            case _:
                self.held = None if type(effect).__name__ == "Withdraw" else self.held

    def seal(self, draft: Emit) -> None:
        """Number a draft, after the one that was held for it."""
        if self.held is not None:
            held, self.held = self.held, None
            self.seal(held)
        self.entries.append(draft.event(index=self.index, run_id=RUN, **draft.fields))
        self.index += 1


def played(given_play: Play) -> Played:
    """A machine that was started by these rules and told all these inputs."""
    done = Played()
    rules_given, given = given_play
    done.tell(Started(request=REQUEST, rules=rules_given))
    for one in given:
        done.tell(one)
    return done


AT_REST = frozenset({Phase.WAITING, Phase.FINAL})
