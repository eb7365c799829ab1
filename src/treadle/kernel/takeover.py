"""A run whose worker was lost: what was under way is gone, and another goes on from the log."""

from __future__ import annotations

from typing import Final

from treadle.kernel.effects import Recall, Withdraw
from treadle.kernel.endings import failed_attempt
from treadle.kernel.inputs import TookOver
from treadle.kernel.pausing import Pausing
from treadle.kernel.settlements import lost
from treadle.kernel.standing import Call
from treadle.kernel.transitions import Phase
from treadle.values import events as ev
from treadle.values.facts import WORKER_LOST, RoundCut
from treadle.values.usage import NO_USAGE

TAKEOVERS: Final = 3
"""How often one round is begun again after a lost worker: a run that kills its workers must end."""
SILENT_OWNERS: Final = 10
"""How many owners in a row may leave nothing in the log: a run may kill its workers before they write a word."""
_LOST_FOR_GOOD: Final = failed_attempt(WORKER_LOST, "infrastructure", retryable=True)


class TakingOver(Pausing):
    """What follows from the loss of a worker."""

    __slots__ = ()

    def _took_over(self, given: TookOver) -> None:
        is_enough = given.silent_owners >= SILENT_OWNERS
        match self._s.phase:
            case Phase.RECALLING if is_enough:
                self._end_recalling(_LOST_FOR_GOOD)
            case Phase.RECALLING:
                self._out.append(Recall())
            case Phase.ASKING:
                is_enough = is_enough or self._s.takeovers >= TAKEOVERS
                self._ask_after_loss(shown=given.shown or bool(self._s.calls), is_enough=is_enough)
            case Phase.CALLING | Phase.STOPPING:
                self._call_after_loss(frozenset() if is_enough else given.idempotent)
            case _:
                return

    def _ask_after_loss(self, *, shown: bool, is_enough: bool) -> None:
        """A turn that had not finished is taken back and asked again; nobody knows what it has cost."""
        this_round, attempt = self._s.round, self._s.attempt
        if is_enough:
            self._end_asking(_LOST_FOR_GOOD, usage=NO_USAGE, shown=shown)
            return
        self._keep(RoundCut(round=this_round, attempt=attempt, code=WORKER_LOST))
        if shown:
            self._emit(ev.Retracted, {"round": this_round, "attempt": attempt, "reason": WORKER_LOST})
        else:
            self._out.append(Withdraw())
        self._ask(round=this_round, attempt=attempt + 1)

    def _call_after_loss(self, idempotent: frozenset[str]) -> None:
        """A call that was started is not started again, unless it may be: whether it took effect is unknown."""
        again: list[Call] = []
        for call in self._s.executing():
            if call.request is not None and call.name in idempotent and self._s.phase is Phase.CALLING:
                again.append(call)
            else:
                self._settle(lost(call.call_id))
        if again:
            self._call(again)
        else:
            self._go_on()
