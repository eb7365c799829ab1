"""Hand-made plays: a run that has begun, inputs in few words, and what came out of it.

In: numbers of calls and pauses, counted from 1. Out: inputs, events, results.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.kernel.plays import REQUEST, RUN, Played
from treadle.kernel.effects import Effect
from treadle.kernel.inputs import (
    Answered,
    Input,
    ModelTurned,
    PauseAsk,
    PauseExpired,
    Started,
    ToolPaused,
    ToolProgressed,
    ToolReturned,
)
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest
from treadle.values.events import CLOSING_TYPES, ClosingEvent, KernelEvent
from treadle.values.facts import FACT_TYPES, Fact
from treadle.values.ids import call_id, interrupt_id
from treadle.values.limits import DEFAULT_LIMITS, Limits, Retries, RunRules
from treadle.values.mappings import Json
from treadle.values.model import ModelTurn, StopReason
from treadle.values.pauses import OnExpiry, PauseKind, Resolution, Settlement
from treadle.values.usage import NO_USAGE, UsageDelta

NO_RETRIES = Retries(attempts=1)
LEAVE = PauseAsk(kind=PauseKind.APPROVAL, request={"name": "add"}, arguments_digest="d1")
QUESTION = PauseAsk(kind=PauseKind.ASK_USER, request={"questions": ["which?"]})
SIGNAL = PauseAsk(kind=PauseKind.INTERRUPT, request={"name": "upload"})


def asking(kind: PauseKind, on_expiry: OnExpiry) -> PauseAsk:
    """A pause of this kind with this fate."""
    return PauseAsk(kind=kind, on_expiry=on_expiry, expires_at=10.0)


def begun(*, limits: Limits = DEFAULT_LIMITS, retries: Retries = NO_RETRIES, recalls: bool = False) -> Played:
    """A run that was asked for."""
    run = Played()
    run.tell(
        Started(request=REQUEST, rules=RunRules(agent="a", model="m", limits=limits, retries=retries, recalls=recalls))
    )
    return run


def tell(run: Played, *given: Input) -> tuple[Effect, ...]:
    """Give inputs, all of them legal; what the last one wants done."""
    effects: tuple[Effect, ...] = ()
    for one in given:
        before = len(run.effects)
        assert run.tell(one), run.refused[-1]
        effects = tuple(run.effects[before:])
    return effects


def request(name: str = "add", *, damage: str | None = None, **arguments: Json) -> ToolRequest:
    """A call as an adapter tells it."""
    return ToolRequest(name=name, arguments=arguments, damage=damage)


def turned(
    *requests: ToolRequest,
    text: str = "",
    label: StopReason | None = None,
    gated: Mapping[int, PauseAsk] | None = None,
    usage: UsageDelta = NO_USAGE,
    damage: str | None = None,
    streamed: frozenset[int] = frozenset(),
) -> ModelTurned:
    """A whole turn."""
    turn = ModelTurn(text=text, tool_requests=requests, stop_reason=label, usage=usage, damage=damage)
    return ModelTurned(turn=turn, gated=gated or {}, streamed=streamed)


def returned(number: int, content: Json = "ok") -> ToolReturned:
    """The run's call with this number ended well."""
    return ToolReturned(outcome=ToolOutcome(call_id=call_id(RUN, number), content=content))


def progressed(number: int, payload: Json = None) -> ToolProgressed:
    """The run's call with this number tells how far it is."""
    return ToolProgressed(call_id=call_id(RUN, number), payload=payload)


def paused(number: int, ask: PauseAsk) -> ToolPaused:
    """The run's call with this number waits for a person."""
    return ToolPaused(call_id=call_id(RUN, number), ask=ask)


def said(
    number: int, settlement: Settlement = Settlement.ANSWERED, value: Json = None, reason: str | None = None
) -> Resolution:
    """What a person said to the run's pause with this number."""
    return Resolution(interrupt_id=interrupt_id(RUN, number), settlement=settlement, value=value, reason=reason)


def answered(number: int, settlement: Settlement = Settlement.ANSWERED, value: Json = None) -> Answered:
    """A person settles one pause."""
    return Answered(resolutions=(said(number, settlement, value),))


def expired(number: int, next_expires_at: float | None = None) -> PauseExpired:
    """Nobody settled the run's pause with this number in time."""
    return PauseExpired(interrupt_id=interrupt_id(RUN, number), next_expires_at=next_expires_at)


def events(run: Played) -> list[KernelEvent]:
    """The events of the run, in order."""
    return [entry for entry in run.entries if not isinstance(entry, FACT_TYPES)]


def facts(run: Played, kind: type[Fact]) -> list[Fact]:
    """The facts of this class, in order."""
    return [entry for entry in run.entries if isinstance(entry, kind)]


def kinds(run: Played) -> list[str]:
    """The kinds of the events, in order."""
    return [event.kind for event in events(run)]


def closing(run: Played) -> ClosingEvent:
    """The last event, which closes a segment."""
    last = events(run)[-1]
    assert isinstance(last, CLOSING_TYPES)
    return last


def results(run: Played) -> dict[str, tuple[str, str | None]]:
    """Status and error text of each result, by the call's number in the run."""
    return {
        event.outcome.call_id.rpartition(".")[2]: (event.outcome.status.value, event.outcome.error)
        for event in events(run)
        if isinstance(event, ev.ToolResult)
    }


def dispatched(run: Played) -> list[str]:
    """The numbers of the calls that were told to run, in order."""
    return [event.request.call_id.rpartition(".")[2] for event in events(run) if isinstance(event, ev.ToolCall)]
