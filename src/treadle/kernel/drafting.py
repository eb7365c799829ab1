"""Making the entries of a run: each draft and fact is folded as it is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from treadle.kernel.effects import Close, Effect, Emit, Keep, Wait
from treadle.kernel.inputs import PauseAsk
from treadle.kernel.settlements import cut_short, stopped
from treadle.kernel.standing import EVENT_FOLDERS, FACT_FOLDERS, Standing
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome
from treadle.values.facts import Ending, Fact, OutcomeKept, PauseKept
from treadle.values.ids import CallId, InterruptId, interrupt_id
from treadle.values.limits import RunRules
from treadle.values.making import maker
from treadle.values.pauses import PauseKind, PendingInterrupt
from treadle.values.requests import TurnRequest
from treadle.values.usage import UsageDelta

# Every round makes eight of these two.
_draft, _kept = maker(Emit), maker(Keep)
_outcome_kept = maker(OutcomeKept)


class Drafting:
    """The standing of a run and the effects of the input at hand."""

    __slots__ = ("_out", "_s")

    def __init__(self) -> None:
        self._s = Standing()
        self._out: list[Effect] = []

    # No properties: a call of a method costs a third of them, and every round asks.

    def _request(self) -> TurnRequest:
        # Only `Started` is legal before there is a request.
        assert self._s.request is not None
        return self._s.request

    def _rules(self) -> RunRules:
        assert self._s.rules is not None
        return self._s.rules

    @property
    def _run_id(self) -> str:
        return self._request().run_id if self._s.request else ""

    def _gave(self, named: CallId) -> bool:
        """Whether the run has given this id to a call."""
        return named in self._s.calls or self._counted(named, ".c", self._s.calls_made)

    def _asked(self, named: InterruptId) -> bool:
        """Whether the run has given this id to a pause."""
        return self._counted(named, ".i", self._s.pauses_made)

    def _counted(self, named: str, mark: str, made: int) -> bool:
        head, _, number = named.rpartition(mark)
        # No longer than the last id's number: no foreign text is read as a number of any length.
        is_number = number.isascii() and number.isdecimal() and number[0] != "0" and len(number) <= len(str(made))
        return head == self._run_id and is_number and int(number) <= made

    def _emit(self, event: type[ev.KernelEvent], fields: Mapping[str, object], *, held: bool = False) -> None:
        if event in EVENT_FOLDERS:
            EVENT_FOLDERS[event](self._s, fields)
        self._out.append(_draft(event=event, fields=fields, held=held))

    def _keep(self, fact: Fact) -> None:
        FACT_FOLDERS[type(fact)](self._s, fact)
        self._out.append(_kept(fact=fact))

    def _close(self, event: type[ev.ClosingEvent], **fields: object) -> None:
        stop_reason = self._s.turn.stop_reason if self._s.turn else None
        self._s.fold(event, fields)
        outcome = {"usage": self._s.usage, "stop_reason": stop_reason, "run_id": self._request().run_id}
        self._out.append(Close(event=event, fields=fields, outcome=outcome))

    def _settle(self, outcome: ToolOutcome) -> None:
        self._keep(_outcome_kept(outcome=outcome))
        self._emit(ev.ToolResult, {"outcome": outcome})

    def _settle_unfinished(self) -> None:
        """Settle what has no result yet, where the run ends."""
        self._settle_all(
            [stopped(call.call_id) if call.dispatched else cut_short(call.call_id) for call in self._s.open_calls()]
        )

    def _settle_all(self, outcomes: Iterable[ToolOutcome]) -> None:
        for outcome in outcomes:
            self._settle(outcome)

    def _emit_round_ended(self, usage: UsageDelta, *, stop_reason: str | None, outcome: str) -> None:
        s = self._s
        fields = {
            "round": s.round,
            "attempt": s.attempt,
            "usage": usage,
            "stop_reason": stop_reason,
            "outcome": outcome,
        }
        self._emit(ev.RoundEnded, fields)

    def _final(self, ending: Ending) -> None:
        if ending.code is None:
            self._close(ev.Cancelled, reason=ending.reason, termination=ending.termination)
            return
        self._close(
            ev.Error,
            code=ending.code,
            error_class=ending.error_class,
            retryable=ending.retryable,
            reference=ending.reference,
            detail=ending.detail,
            termination=ending.termination,
        )

    def _pause(self, paused: CallId, ask: PauseAsk) -> None:
        self._keep(
            PauseKept(
                pending=PendingInterrupt(
                    interrupt_id=interrupt_id(self._request().run_id, self._s.pauses_made + 1),
                    kind=ask.kind,
                    call_id=paused,
                    request=ask.request,
                    response_schema=ask.response_schema,
                    arguments_digest=ask.arguments_digest,
                    expires_at=ask.expires_at,
                    on_expiry=ask.on_expiry,
                )
            )
        )

    def _wait(self) -> None:
        pending = tuple(pause for name, pause in self._s.pauses.items() if name not in self._s.answers)
        questions = all(pause.kind is PauseKind.ASK_USER for pause in pending)
        self._close(ev.AskUser if questions else ev.Interrupt, pending=pending)
        self._out.append(Wait(interrupt_ids=tuple(pause.interrupt_id for pause in pending)))
