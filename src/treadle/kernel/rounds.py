"""The way of a run through its rounds: ask, hear, call, settle, ask again, end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from treadle.kernel.drafting import Drafting
from treadle.kernel.effects import AskModel, CallTools, Recall, StopModel, StopTools, Withdraw
from treadle.kernel.endings import failed_attempt, over_limit
from treadle.kernel.inputs import ModelBroke, ModelTurned, PauseAsk, Recalled, Started, ToolProgressed, ToolReturned
from treadle.kernel.settlements import cut_short, not_run, over_the_limit
from treadle.kernel.standing import CallStage
from treadle.values import events as ev
from treadle.values.calls import ToolOutcome, ToolRequest
from treadle.values.facts import EndBegun, Ending, RecallKept, RequestKept, RoundCut, RoundOpened, TurnKept
from treadle.values.ids import CallId, call_id
from treadle.values.limits import Limit
from treadle.values.making import maker
from treadle.values.mappings import EMPTY
from treadle.values.model import ModelTurn, StopReason
from treadle.values.usage import NO_USAGE, UsageDelta

CUT_LABELS = frozenset({StopReason.LENGTH, StopReason.CONTENT_FILTER})

# A member of an enum is looked up by the enum's class, which is slow where every call does it.
_EXECUTING = CallStage.EXECUTING
_round_opened, _turn_kept = maker(RoundOpened), maker(TurnKept)
_ask_model, _call_tools = maker(AskModel), maker(CallTools)


class Rounds(Drafting):
    """What follows from what a model says and what tools return."""

    __slots__ = ()

    def _start(self, given: Started) -> None:
        request, rules = given.request, given.rules
        self._keep(RequestKept(request=request, rules=rules))
        fields = {
            "agent": rules.agent,
            "thread_id": request.thread_id,
            "root_run_id": request.root_run_id,
            "parent_run_id": request.parent_run_id,
            "prompt": request.prompt,
            "tool_call_limit": rules.tool_call_limit,
        }
        self._emit(ev.RunStarted, fields)
        if rules.recalls:
            self._emit(ev.Stage, {"stage_id": "recall", "phase": "started", "capability": "memory"})
            self._out.append(Recall())
        else:
            self._ask(round=1, attempt=1)

    def _recalled(self, given: Recalled) -> None:
        self._keep(RecallKept(blocks=given.blocks))
        outcome = "error" if given.problem else "done"
        self._emit_recall_ended(outcome, reason=given.problem, counts={"blocks": len(given.blocks)})
        self._ask(round=1, attempt=1)

    def _emit_recall_ended(self, outcome: str, *, reason: str | None, counts: Mapping[str, int]) -> None:
        fields = {
            "stage_id": "recall",
            "phase": "ended",
            "capability": "memory",
            "outcome": outcome,
            "reason": reason,
            "counts": counts,
        }
        self._emit(ev.Stage, fields)

    def _end_recalling(self, ending: Ending) -> None:
        self._emit_recall_ended("error" if ending.code else "cancelled", reason=ending.code, counts=EMPTY)
        self._final(ending)

    def _ask(self, *, round: int, attempt: int, wait_s: float = 0.0) -> None:  # noqa: A002 (the word of the domain)
        self._keep(_round_opened(round=round, attempt=attempt))
        fields = {"round": round, "attempt": attempt, "model": self._rules().model}
        self._emit(ev.RoundStarted, fields, held=True)
        self._out.append(_ask_model(round=round, attempt=attempt, wait_s=wait_s))

    def _announce(self, slot: int, name: str) -> None:
        if slot == len(self._s.calls):
            made = call_id(self._request().run_id, self._s.calls_made + 1)
            self._emit(ev.ToolAnnounced, {"call_id": made, "name": name})

    def _turned(self, given: ModelTurned) -> None:
        turn = self._with_call_ids(given.turn)
        self._keep(_turn_kept(round=self._s.round, attempt=self._s.attempt, turn=turn, streamed=given.streamed))
        self._emit_round_ended(turn.usage, stop_reason=turn.stop_reason, outcome="done")
        if turn.stop_reason in CUT_LABELS:
            self._settle_unfinished()
            self._final(failed_attempt(turn.stop_reason.value, "model", retryable=False))
        elif turn.tool_requests:
            self._dispatch(turn, given)
        elif turn.damage:
            # It tried to call, and nothing is left of a call that the model could be told of.
            self._final(replace(failed_attempt("model_garbled", "model", retryable=False), detail=turn.damage))
        else:
            spoke = given.spoke or bool(turn.text)
            self._close(ev.Done, termination="completed" if spoke else "empty_answer")

    def _with_call_ids(self, turn: ModelTurn) -> ModelTurn:
        if not turn.tool_requests:
            return turn
        requests, calls = turn.tool_requests, self._s.calls
        if len(calls) < len(requests):
            for slot in range(len(calls), len(requests)):
                self._announce(slot, requests[slot].name)
        named = []
        for one, made in zip(requests, calls, strict=True):
            named.append(one.named(made, damage=one.damage or turn.damage))
        return turn.calling(tuple(named))

    def _dispatch(self, turn: ModelTurn, given: ModelTurned) -> None:
        """Run what may run; what may not is settled at once, and the model is told why."""
        limits, refused = self._rules().limits, False
        most, spent_up = limits.tool_calls, limits.tokens is not None and self._spent_up(NO_USAGE)
        room = len(turn.tool_requests) if most is None else most - self._s.dispatched
        runnable: list[ToolRequest] = []
        settled: list[ToolOutcome] = []
        waiting: list[tuple[CallId, PauseAsk]] = []
        for slot, request in enumerate(turn.tool_requests):
            if request.damage:
                settled.append(not_run(request.call_id, request.damage))
            elif spent_up or len(runnable) + len(waiting) >= room:
                settled.append(over_the_limit(request.call_id, _used_up(spent_up=spent_up)))
                refused = True
            elif slot in given.gated:
                waiting.append((request.call_id, given.gated[slot]))
            else:
                runnable.append(request)
                self._emit(ev.ToolCall, {"request": request, "streamed": slot in given.streamed})
        if refused:
            self._keep(EndBegun(ending=replace(over_limit(_used_up(spent_up=spent_up)), stops=False)))
            # The model will not hear of these: nobody is asked about them.
            settled += [cut_short(waiting_id) for waiting_id, _ in waiting]
            waiting = []
        for waiting_id, ask in waiting:
            self._pause(waiting_id, ask)
        if settled:
            self._settle_all(settled)
        if runnable:
            self._out.append(_call_tools(requests=tuple(runnable)))
        else:
            self._go_on()

    def _progressed(self, given: ToolProgressed) -> None:
        call = self._s.calls.get(given.call_id)
        if call is not None and call.stage is _EXECUTING:
            fields = {"call_id": call.call_id, "sequence": call.next_sequence, "payload": given.payload}
            self._emit(ev.ToolProgress, fields)

    def _returned(self, given: ToolReturned) -> None:
        outcome = given.outcome
        call = self._s.calls.get(outcome.call_id)
        if call is not None and call.stage is _EXECUTING:
            self._settle(outcome)
            self._go_on()

    def _go_on(self) -> None:
        """After a call came to rest: wait for the others, for a person, or ask the model again."""
        s = self._s
        is_settled = s.all_settled()
        if not is_settled and s.is_at(_EXECUTING):
            return
        limits = self._rules().limits
        if s.ending is not None:
            self._settle_unfinished()
            self._final(s.ending)
        elif not is_settled:
            self._wait()
        elif limits.tokens is not None and self._spent_up(NO_USAGE):
            self._final(over_limit(Limit.TOKENS))
        elif limits.rounds is not None and s.round >= limits.rounds:
            self._final(over_limit(Limit.ROUNDS))
        else:
            self._ask(round=s.round + 1, attempt=1)

    def retries(self, given: ModelBroke) -> bool:
        """Whether the model is asked again after this."""
        rules = self._rules().retries
        shown = given.shown or bool(self._s.calls)
        may = given.retryable and self._s.failures + 1 < rules.attempts and (not shown or rules.after_output)
        return may and not self._spent_up(given.usage)

    def _spent_up(self, more: UsageDelta) -> bool:
        """Whether the run has used up its tokens, with these."""
        most = self._rules().limits.tokens
        return most is not None and self._s.spent_tokens + more.spent_tokens >= most

    def _broke(self, given: ModelBroke) -> None:
        shown = given.shown or bool(self._s.calls)
        if not self.retries(given):
            ending = failed_attempt(given.code, given.error_class, given)
            self._end_asking(ending, usage=given.usage, shown=shown)
            return
        this_round, attempt = self._s.round, self._s.attempt
        wait_s = self._rules().retries.wait_s(self._s.failures + 1, given.retry_after_s)
        self._keep(RoundCut(round=this_round, attempt=attempt, usage=given.usage, code=given.code))
        if shown:
            self._emit(ev.Retracted, {"round": this_round, "attempt": attempt, "reason": given.code})
        else:
            self._out.append(Withdraw())
        self._ask(round=this_round, attempt=attempt + 1, wait_s=wait_s)

    def _end_asking(self, ending: Ending, *, usage: UsageDelta, shown: bool) -> None:
        self._out.append(StopModel())
        code = ending.code or "cancelled"
        self._keep(RoundCut(round=self._s.round, attempt=self._s.attempt, usage=usage, code=code))
        self._settle_unfinished()
        if shown or self._s.calls:
            self._emit_round_ended(usage, stop_reason=None, outcome="error" if ending.code else "cancelled")
        else:
            self._out.append(Withdraw())
        self._final(ending)

    def _end_calling(self, ending: Ending) -> None:
        """Where the run calls, at least one call executes: the end waits until all have returned."""
        self._keep(EndBegun(ending=ending))
        executing = tuple(call.call_id for call in self._s.executing())
        counts = {"calls": len(executing)}
        self._emit(ev.Stage, {"stage_id": "tools", "phase": "stopping", "capability": "tools", "counts": counts})
        self._out.append(StopTools(call_ids=executing))


def _used_up(*, spent_up: bool) -> Limit:
    return Limit.TOKENS if spent_up else Limit.TOOL_CALLS
