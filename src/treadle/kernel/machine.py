"""Inputs to effects: the rules of a run.

Told, never asking: no clock, no task, no I/O, no randomness. An input that is not legal where the run stands is a
`StateError` and changes nothing. All state is folded from the drafts and facts that come out, so a machine rebuilt
from a log goes on as if it had never stopped.

Source: docs/machine.md (the rules EV-1 to EV-10 and the state diagram).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Final, Self, assert_never

from treadle.errors import StateError
from treadle.kernel.effects import Effect
from treadle.kernel.endings import broken, cancelled, over_limit
from treadle.kernel.inputs import (
    Answered,
    CancelRequested,
    DeadlinePassed,
    Input,
    ModelAnnounced,
    ModelBroke,
    ModelTurned,
    PartBroke,
    PauseExpired,
    Recalled,
    Started,
    TookOver,
    ToolPaused,
    ToolProgressed,
    ToolReturned,
)
from treadle.kernel.standing import Standing, edits
from treadle.kernel.takeover import TakingOver
from treadle.kernel.transitions import LEGAL, Phase
from treadle.values.facts import Ending
from treadle.values.ids import CallId
from treadle.values.records import Entry
from treadle.values.requests import TurnMessage

# A member of an enum is looked up by the enum's class, which is slow where every input does it.
_FINAL: Final = Phase.FINAL


class Machine(TakingOver):
    """The rules of one run.

    Shape: `receive` takes one input and gives the effects in the order in which they are to be carried out.
    """

    __slots__ = ()

    @classmethod
    def rebuilt(cls, entries: Iterable[Entry]) -> Self:
        """The machine that these entries of a log, in order, lead to."""
        machine = cls()
        for entry in entries:
            machine._s.take(entry)
        return machine

    @property
    def phase(self) -> Phase:
        """Where the run stands."""
        return self._s.phase

    @property
    def turns(self) -> list[TurnMessage]:
        """The finished turns of the run, oldest first; the machine's own list, which only grows."""
        return self._s.turns

    @property
    def standing(self) -> Standing:
        """The whole state, to look at."""
        return self._s

    def call_at(self, slot: int) -> CallId:
        """The id of the call in this slot of the present turn."""
        return list(self._s.calls)[slot]

    def receive(self, given: Input) -> tuple[Effect, ...]:
        """Take one input.

        Raises:
            StateError: The input is not legal where the run stands, or names what does not exist. Nothing changed.
        """
        phase, kind = self._s.phase, type(given)
        if phase not in LEGAL.get(kind, ()):
            told = f"{kind.__name__} is not legal in phase {phase.value!r}"
            raise StateError(told, state=phase, input=given)
        refuse = self._refusals.get(kind)
        if refuse is not None:
            refuse(self, given)
        out: list[Effect] = []
        self._out = out
        if phase is not _FINAL:
            self._take(given)
        return tuple(out)

    def _take(self, given: Input) -> None:
        match given:
            case ToolReturned():
                self._returned(given)
            case ModelTurned():
                self._turned(given)
            case ModelAnnounced():
                self._announce(given.slot, given.name)
            case ToolProgressed():
                self._progressed(given)
            case Started():
                self._start(given)
            case Recalled():
                self._recalled(given)
            case ModelBroke():
                self._broke(given)
            case ToolPaused():
                self._tool_paused(given)
            case Answered():
                self._answered(given)
            case PauseExpired():
                self._expired(given)
            case TookOver():
                self._took_over(given)
            case DeadlinePassed():
                self._end(over_limit(given.limit), given)
            case CancelRequested():
                self._cancel(given)
            case PartBroke():
                self._end(broken(given), given)
            case _:
                assert_never(given)

    def _cancel(self, given: CancelRequested) -> None:
        # Of a run that is stopping, who asked first is kept.
        if given.kept is not None and self._s.phase is not Phase.STOPPING:
            self._keep(given.kept)
        self._end(cancelled(given.reason), given)

    def _end(self, ending: Ending, given: DeadlinePassed | CancelRequested | PartBroke) -> None:
        """Bring the run to this end, from wherever it stands. Waiting is no time at work, so no limit ends it."""
        match self._s.phase:
            case Phase.ASKING:
                self._end_asking(ending, usage=given.usage, shown=given.shown)
            case Phase.CALLING:
                self._end_calling(ending)
            case Phase.WAITING if not isinstance(given, DeadlinePassed):
                self._settle_pauses([self._cancelled(pending) for pending in self._s.pauses.values()])
                self._final(ending)
            case Phase.RECALLING:
                self._end_recalling(ending)
            case _:
                return

    # An input about a call or a pause that the run never had is a bug of the caller.

    def _refuse_slot(self, given: ModelAnnounced) -> None:
        if not 0 <= given.slot <= len(self._s.calls):
            told = f"slots come in order, expected one up to {len(self._s.calls)}, not {given.slot!r}"
            raise StateError(told, state=self._s.phase, input=given)

    def _refuse_lost_calls(self, given: ModelTurned) -> None:
        if len(given.turn.tool_requests) < len(self._s.calls):
            told = f"{len(self._s.calls)} calls were announced, the turn has {len(given.turn.tool_requests)}"
            raise StateError(told, state=self._s.phase, input=given)

    def _refuse_call(self, given: ToolProgressed | ToolPaused) -> None:
        if not self._gave(given.call_id):
            raise StateError(f"call {given.call_id!r} is not of this run", state=self._s.phase, input=given)

    def _refuse_outcome(self, given: ToolReturned) -> None:
        named = given.outcome.call_id
        if named not in self._s.calls and not self._gave(named):
            raise StateError(f"call {given.outcome.call_id!r} is not of this run", state=self._s.phase, input=given)

    def _refuse_pause(self, given: PauseExpired) -> None:
        if not self._asked(given.interrupt_id):
            raise StateError(f"pause {given.interrupt_id!r} is not of this run", state=self._s.phase, input=given)

    def _refuse_bad_answers(self, given: Answered) -> None:
        resolutions = given.resolutions
        named = [resolution.interrupt_id for resolution in resolutions]
        if not named or not all(map(self._asked, named)) or len(set(named)) != len(named):
            raise StateError(f"pauses {named!r} are not of this run, once each", state=self._s.phase, input=given)
        for resolution in resolutions:
            pending = self._s.pauses.get(resolution.interrupt_id)
            if pending is None:
                continue  # It was settled meanwhile.
            if edits(pending, resolution) and not isinstance(resolution.value, Mapping):
                told = f"leave for {pending.call_id!r} is given with arguments or with none, not {resolution.value!r}"
                raise StateError(told, state=self._s.phase, input=given)

    _refusals: ClassVar[dict[type[Input], Callable[[Any, Any], None]]] = {
        ModelAnnounced: _refuse_slot,
        ModelTurned: _refuse_lost_calls,
        ToolProgressed: _refuse_call,
        ToolPaused: _refuse_call,
        ToolReturned: _refuse_outcome,
        Answered: _refuse_bad_answers,
        PauseExpired: _refuse_pause,
    }
    """What is to be refused of inputs that name something of the run."""
