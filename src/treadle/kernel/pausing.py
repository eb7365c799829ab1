"""Pauses of a run: asked, answered, declined, expired."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from treadle.kernel.effects import CallTools
from treadle.kernel.endings import failed_attempt
from treadle.kernel.inputs import Answered, PauseAsk, PauseExpired, ToolPaused
from treadle.kernel.rounds import Rounds
from treadle.kernel.settlements import declined, stopped
from treadle.kernel.standing import Call, CallStage, is_granted
from treadle.kernel.transitions import Phase
from treadle.values import events as ev
from treadle.values.facts import AnswerKept
from treadle.values.pauses import OnExpiry, PendingInterrupt, Resolution, Settlement


class Pausing(Rounds):
    """What follows from what people say, or do not say in time."""

    __slots__ = ()

    def _tool_paused(self, given: ToolPaused) -> None:
        call = self._s.calls.get(given.call_id)
        if call is None or call.stage is not CallStage.EXECUTING:
            return
        if self._s.ending is not None:
            self._settle(stopped(call.call_id))
            self._go_on()
            return
        self._pause(call.call_id, given.ask)
        self._go_on()

    def _answered(self, given: Answered) -> None:
        """Take the answers to pauses that are open. One to a pause that was settled meanwhile comes too late."""
        open_ = self._s.pauses.keys() - self._s.answers.keys() if self._s.phase is Phase.WAITING else frozenset()
        in_time = tuple(resolution for resolution in given.resolutions if resolution.interrupt_id in open_)
        if in_time:
            for decided in given.decided:
                if decided.interrupt_id in open_:
                    self._keep(decided)
            self._take_answers(in_time)

    def _take_answers(self, resolutions: tuple[Resolution, ...]) -> None:
        for resolution in resolutions:
            self._keep(AnswerKept(resolution=resolution))
        if len(self._s.answers) == len(self._s.pauses):
            self._resume()

    def _resume(self) -> None:
        """Open the next segment: run what was granted, tell the model what was not."""
        granted: list[Call] = []
        for call, resolution, may_run in self._open_segment():
            if not may_run:
                self._settle(declined(call.call_id, resolution))
                continue
            granted.append(call)
            if not call.dispatched:
                self._emit(ev.ToolCall, {"request": call.request, "streamed": call.streamed})
        if granted:
            self._call(granted)
        else:
            self._go_on()

    def _call(self, calls: Iterable[Call]) -> None:
        """Have calls of a whole turn run, each with what was said to it."""
        requests, answers = [], {}
        for call in calls:
            # Only the calls of a whole turn are run.
            assert call.request is not None
            requests.append(call.request)
            if call.said:
                answers[call.call_id] = call.said
        self._out.append(CallTools(requests=tuple(requests), answers=answers))

    def _open_segment(self) -> list[tuple[Call, Resolution, bool]]:
        """Tell how each pause was settled; give the calls, what was said to each, and whether it is to run."""
        settled = [(self._s.pauses[name], answer) for name, answer in self._s.answers.items()]
        self._emit(ev.Resumed, {"resolutions": tuple(answer for _, answer in settled)})
        return [(self._s.calls[pending.call_id], answer, is_granted(pending, answer)) for pending, answer in settled]

    def _settle_pauses(self, resolutions: list[Resolution]) -> None:
        """Settle every open pause without an answer, in a segment of its own that only ends."""
        for resolution in resolutions:
            if resolution.interrupt_id not in self._s.answers:
                self._keep(AnswerKept(resolution=resolution))
        # What people said already is told to the model, but nothing runs any more.
        settled = self._open_segment()
        self._settle_all([declined(call.call_id, answer) for call, answer, granted in settled if not granted])
        self._settle_unfinished()

    def _cancelled(self, pending: PendingInterrupt) -> Resolution:
        return Resolution(interrupt_id=pending.interrupt_id, settlement=Settlement.CANCELLED)

    def _expired(self, given: PauseExpired) -> None:
        pending = self._s.pauses.get(given.interrupt_id)
        if pending is None or self._s.phase is not Phase.WAITING or pending.interrupt_id in self._s.answers:
            return  # It was answered in time.
        expired = Resolution(interrupt_id=given.interrupt_id, settlement=Settlement.EXPIRED)
        match pending.on_expiry:
            case OnExpiry.DECLINE:
                self._take_answers((expired,))
            case OnExpiry.FAIL:
                others = [self._cancelled(other) for other in self._s.pauses.values() if other is not pending]
                self._settle_pauses([expired, *others])
                self._final(failed_attempt("pause_expired", "client", retryable=False))
            case OnExpiry.KEEP:
                self._ask_again(pending, expired, given.next_expires_at)
            case _:
                assert_never(pending.on_expiry)

    def _ask_again(self, pending: PendingInterrupt, expired: Resolution, expires_at: float | None) -> None:
        kept = PauseAsk(
            kind=pending.kind,
            request=pending.request,
            response_schema=pending.response_schema,
            arguments_digest=pending.arguments_digest,
            expires_at=expires_at,
            on_expiry=pending.on_expiry,
        )
        self._keep(AnswerKept(resolution=expired))
        self._emit(ev.Resumed, {"resolutions": (expired,)})
        self._pause(pending.call_id, kept)
        self._wait()
