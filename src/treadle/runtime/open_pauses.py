"""What a stored run waits for, and what became of what it waited for: folded from its log and its inbox.

In: a store that is looked at. Out: the pauses that are open, as they were shown, and how each other one was settled. A
pause whose answer lies in the inbox is not open any more, though its run may not know yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from treadle.codec.pause_tokens import TokenKeys, token_for
from treadle.kernel.machine import Machine
from treadle.ports.inbox import Inbox
from treadle.ports.log import LogReads
from treadle.runtime.thread_history import stored_run
from treadle.values.events import PAUSE_TYPES
from treadle.values.facts import AnswerKept, PauseKept
from treadle.values.ids import CallId, InterruptId, RunId
from treadle.values.pauses import OnExpiry, PauseKind, PendingInterrupt, Settlement
from treadle.values.runs import RunState
from treadle.values.stretches import entries_of


class Asked(LogReads, Inbox, Protocol):
    """A store as far as pauses need it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPause:
    """A pause that may be answered now, with what proves that its reader was shown it.

    Shape: `request` and `response_schema` as in `PendingInterrupt`, strings redacted where the run redacts.
    Units: `expires_at` is UTC seconds; None never expires.
    """

    interrupt_id: InterruptId
    kind: PauseKind
    call_id: CallId
    request: Mapping[str, Any]
    response_schema: Mapping[str, Any]
    expires_at: float | None
    on_expiry: OnExpiry
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PausesOfRun:
    """All pauses that a run has had.

    Shape: `open` holds those that wait, with what they ask in truth; `shown` what of it was shown. `settled` says of
    the others how, as far as that is known: an answer that lies in the inbox has settled its pause, and None is how.
    """

    state: RunState
    open: Mapping[InterruptId, PendingInterrupt]
    shown: Mapping[InterruptId, PendingInterrupt]
    settled: Mapping[InterruptId, Settlement | None]

    def as_shown(self, *, keys: TokenKeys) -> tuple[OpenPause, ...]:
        """The open pauses with their tokens, for a reader who may answer them."""
        return tuple(
            _shown(self.shown.get(named, pending), token_for(pending, scope=self.state.scope, keys=keys))
            for named, pending in self.open.items()
        )


async def pauses_of(store: Asked, scope: str, run_id: RunId) -> PausesOfRun:
    """The pauses of a run.

    Raises:
        RunNotFoundError: No such run in this scope.
    """
    state, stretches = await stored_run(store, scope, run_id)
    consumed = {message.key for message in await store.inbox(scope, run_id)}
    asked: dict[InterruptId, PendingInterrupt] = {}
    shown: dict[InterruptId, PendingInterrupt] = {}
    settled: dict[InterruptId, Settlement | None] = {}
    entries = list(entries_of(stretches, run_id))
    for entry in entries:
        if isinstance(entry, PauseKept):
            asked[entry.pending.interrupt_id] = entry.pending
        elif isinstance(entry, AnswerKept):
            settled[entry.resolution.interrupt_id] = entry.resolution.settlement
        elif isinstance(entry, PAUSE_TYPES):
            shown.update((one.interrupt_id, one) for one in entry.pending)
    waiting = Machine.rebuilt(entries).standing.pauses
    open_ = {named: one for named, one in asked.items() if named in shown and named in waiting and named not in settled}
    for named in [named for named in open_ if named in consumed]:
        del open_[named]
    settled = {named: settled.get(named) for named in asked if named not in open_}
    return PausesOfRun(state=state, open=open_, shown=shown, settled=settled)


def _shown(pending: PendingInterrupt, token: str) -> OpenPause:
    return OpenPause(
        interrupt_id=pending.interrupt_id,
        kind=pending.kind,
        call_id=pending.call_id,
        request=pending.request,
        response_schema=pending.response_schema,
        expires_at=pending.expires_at,
        on_expiry=pending.on_expiry,
        token=token,
    )
