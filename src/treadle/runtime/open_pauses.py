"""What a stored run waits for, and what became of what it waited for: folded from its log and its inbox.

In: a store that is looked at. Out: the pauses that are open, as they were shown, and how each other one was settled. A
pause whose answer lies in the inbox is not open any more, though its run may not know yet; nor is any pause of a run
that was asked to stop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from treadle.codec.pause_tokens import TokenKeys, token_for
from treadle.codec.sent_answers import SentAnswer
from treadle.errors import AlreadyAnsweredError, BadAnswerError, CancelAskedError, ResumeError, TokenExpiredError
from treadle.kernel.machine import Machine
from treadle.ports.inbox import Inbox
from treadle.ports.log import LogReads
from treadle.runtime.answer_check import resolution_of
from treadle.runtime.thread_history import stored_run
from treadle.runtime.unheard import Unheard, unheard_of
from treadle.values.events import PAUSE_TYPES
from treadle.values.facts import AnswerKept, DecisionKept, PauseKept
from treadle.values.ids import CallId, InterruptId, RunId
from treadle.values.pauses import Answer, OnExpiry, PauseKind, PendingInterrupt, Settlement
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

    Shape: `asked` holds all that it asked, and `open` those that wait, with what they ask in truth; `shown` what of it
    was shown, `shown_at` the index of the event that showed it last, and `segments` the number, from 1, of the segment
    that ended with it. `settled` says of the others how, as far as that is known: what lies in the inbox has settled
    its pause, and where that cannot be read None is how. `decided` says who decided, of those that somebody did and the
    run has heard of; `said` what people said, heard or not; `unheard` is what lies in the inbox.
    """

    state: RunState
    asked: Mapping[InterruptId, PendingInterrupt]
    open: Mapping[InterruptId, PendingInterrupt]
    shown: Mapping[InterruptId, PendingInterrupt]
    shown_at: Mapping[InterruptId, int]
    settled: Mapping[InterruptId, Settlement | None]
    decided: Mapping[InterruptId, DecisionKept]
    said: Mapping[InterruptId, SentAnswer]
    unheard: Unheard
    segments: Mapping[InterruptId, int]

    def open_as_shown(self, token_of: Callable[[PendingInterrupt], str]) -> tuple[OpenPause, ...]:
        """The open pauses with their tokens, for a reader who may answer them."""
        return tuple(_shown(self.shown.get(named, one), token_of(one)) for named, one in self.open.items())

    def settled_as_shown(self, token_of: Callable[[PendingInterrupt], str]) -> tuple[OpenPause, ...]:
        """The pauses that were settled, as they were while they were open."""
        return tuple(
            _shown(self.shown[named], token_of(self.asked[named])) for named in self.settled if named in self.shown
        )

    def as_shown(self, *, keys: TokenKeys) -> tuple[OpenPause, ...]:
        """The same, with tokens of these keys."""
        return self.open_as_shown(lambda one: token_for(one, scope=self.state.scope, keys=keys))

    def has_heard(self, answers: Sequence[Answer], *, principal: str) -> bool:
        """Whether this principal has said all of this before, word for word: to say it again changes nothing."""
        return bool(answers) and all(self._has_heard(answer, principal) for answer in answers)

    def _has_heard(self, answer: Answer, principal: str) -> bool:
        named = InterruptId(answer.interrupt_id)
        sent = self.unheard.answers.get(named) or self.said.get(named)
        if sent is None or (sent.decided.by, sent.decided.decision) != (principal, answer.decision):
            return False
        try:
            # It was held against the tool when it was taken.
            heard = resolution_of(
                self.asked[named], answer, lambda _name, _arguments: None, shown=self.shown.get(named)
            )
        except BadAnswerError:
            return False
        return heard == sent.resolution

    def refusal(self, named: InterruptId, *, taken: tuple[InterruptId, ...] = ()) -> ResumeError:
        """Why this pause, which is not open, takes no answer; `taken` is what the same body had given before."""
        settled = self.settled.get(named)
        if settled is Settlement.EXPIRED and not taken:
            return TokenExpiredError(f"pause {named!r} is over: nobody answered in time")
        if self.unheard.cancel is not None and named not in self.unheard.settled and settled is Settlement.CANCELLED:
            said = f"run {self.state.run_id!r} was asked to stop: it takes no more answers"
            return CancelAskedError(said, taken=taken)
        return AlreadyAnsweredError(f"pause {named!r} is settled", taken=taken)


async def pauses_of(store: Asked, scope: str, run_id: RunId) -> PausesOfRun:
    """The pauses of a run.

    Raises:
        RunNotFoundError: No such run in this scope.
    """
    state, stretches = await stored_run(store, scope, run_id)
    unheard = unheard_of(await store.inbox(scope, run_id))
    asked: dict[InterruptId, PendingInterrupt] = {}
    shown: dict[InterruptId, PendingInterrupt] = {}
    shown_at: dict[InterruptId, int] = {}
    settled: dict[InterruptId, Settlement | None] = {}
    decided: dict[InterruptId, DecisionKept] = {}
    said: dict[InterruptId, SentAnswer] = {}
    segments: dict[InterruptId, int] = {}
    closed = 0
    entries = list(entries_of(stretches, run_id))
    for entry in entries:
        if isinstance(entry, PauseKept):
            asked[entry.pending.interrupt_id] = entry.pending
        elif isinstance(entry, AnswerKept):
            named = entry.resolution.interrupt_id
            settled[named] = entry.resolution.settlement
            if named in decided:
                said[named] = SentAnswer(resolution=entry.resolution, decided=decided[named])
        elif isinstance(entry, DecisionKept):
            decided[entry.interrupt_id] = entry
        elif isinstance(entry, PAUSE_TYPES):
            closed += 1
            shown.update((one.interrupt_id, one) for one in entry.pending)
            shown_at.update((one.interrupt_id, entry.index) for one in entry.pending)
            segments.update((one.interrupt_id, closed) for one in entry.pending)
    waiting = Machine.rebuilt(entries).standing.pauses
    open_ = {named: one for named, one in asked.items() if named in shown and named in waiting and named not in settled}
    for named in list(open_):
        if named in unheard.settled:
            settled[named] = unheard.settled[named]
        elif unheard.cancel is not None:
            settled[named] = Settlement.CANCELLED
        else:
            continue
        del open_[named]
    settled = {named: settled.get(named) for named in asked if named not in open_}
    return PausesOfRun(
        state=state,
        asked=asked,
        open=open_,
        shown=shown,
        shown_at=shown_at,
        settled=settled,
        decided=decided,
        said={**unheard.answers, **said},
        unheard=unheard,
        segments=segments,
    )


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
