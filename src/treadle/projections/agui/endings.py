"""How a segment of a run ends, as the end of their run.

In: a closing event as a mount may know it, what was spent since the segment began, and what one client is told. Out:
the last frame. Every ending is one of: done, to be answered by the front end, interrupted, cancelled, an error.

Source: docs/protocols/agui.md.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from treadle.codec.failure_words import failure_words
from treadle.projections.agui.interrupts import interrupt_json
from treadle.projections.agui.telling import Telling
from treadle.projections.agui.wire import frame, json_of, object_of, own_metadata, quoted, usage_list
from treadle.values import events as ev
from treadle.values.exposure import is_hidden
from treadle.values.ids import CallId
from treadle.values.pauses import PauseKind, PendingInterrupt
from treadle.values.usage import UsageDelta

_SUCCESS = object_of(type='"success"')
_CANCELLED = object_of(type='"cancelled"')


class Ending:
    """What all endings of a segment have in common.

    Shape: `calls` are those that were told and have no result.
    """

    def __init__(self, telling: Telling, *, spent: UsageDelta, model: str | None, calls: Collection[CallId]) -> None:
        self._telling = telling
        self._spent = spent
        self._usage = usage_list(spent, model)
        self._calls = calls

    def done(self, event: ev.Done) -> str:
        """The run came to its end."""
        output = event.outcome.output
        metadata = self._metadata(termination=None if event.termination == "completed" else event.termination)
        return self._finished(_SUCCESS, result=None if output is None else json_of(output), metadata=metadata)

    def cancelled(self, event: ev.Cancelled) -> str:
        """Somebody stopped the run."""
        return self._finished(_CANCELLED, metadata=self._metadata(reason=event.reason))

    def failed(self, event: ev.Error) -> str:
        """The run failed."""
        return frame(
            "RUN_ERROR",
            message=quoted(event.detail or failure_words(event.code)),
            code=quoted(event.code),
            usage=self._usage,
            metadata=self._metadata(reference=event.reference, retryable=event.retryable),
        )

    def paused(self, pending: Sequence[PendingInterrupt]) -> str:
        """The run waits. Where it waits for the front end alone, their run is done, and its calls are named."""
        token_of = self._telling.token_of
        asked = [interrupt_json(one, token_of) for one in pending if not self._is_pending_call(one)]
        if asked:
            outcome = object_of(type='"interrupt"', interrupts=f"[{','.join(asked)}]")
        else:
            outcome = object_of(type='"success"', pendingToolCallIds=json_of([one.call_id for one in pending]))
        return self._finished(outcome, metadata=self._metadata())

    def _is_pending_call(self, pending: PendingInterrupt) -> bool:
        return pending.kind is PauseKind.FRONT_END and not is_hidden(pending) and pending.call_id in self._calls

    def _finished(self, outcome: str, *, metadata: str | None, result: str | None = None) -> str:
        return frame(
            "RUN_FINISHED",
            threadId=quoted(self._telling.thread_id),
            runId=quoted(self._telling.run_id),
            result=result,
            outcome=outcome,
            usage=self._usage,
            metadata=metadata,
        )

    def _metadata(self, **said: object) -> str | None:
        # How much of a sum is missing is said beside a sum.
        missing = self._spent.unmeasured_rounds if self._usage is not None else 0
        return own_metadata(**said, unmeasuredRounds=missing or None)
