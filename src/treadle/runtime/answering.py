"""Answers of people, taken in: verified, looked up, held against what was asked, and consumed, in this order.

In: answers with their tokens, and who gives them. Out: a message in the run's inbox for each, under the pause's own id:
of two at the same moment one is new, and it alone counts. Nothing of a body is taken before all of it was found good.

Source: docs/pauses.md, ADR 0032 (tokens of pauses).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from treadle.codec.pause_tokens import TokenClaims, TokenKeys, claims_for, claims_of
from treadle.codec.sent_answers import SentAnswer, dump_answer
from treadle.errors import (
    AnswerProblem,
    BadAnswerError,
    PauseNotFoundError,
    RunFinalError,
    TokenExpiredError,
    TokenInvalidError,
)
from treadle.ports.clock import Clock
from treadle.runtime.answer_check import CheckArguments, resolution_of
from treadle.runtime.failpoints import Failpoint, reach
from treadle.runtime.hearing import ANSWER, CANCEL
from treadle.runtime.open_pauses import Asked, PausesOfRun, pauses_of
from treadle.values.facts import DecisionKept
from treadle.values.ids import InterruptId, RunId
from treadle.values.pauses import Answer, PendingInterrupt

MOST_ANSWERS: Final = 128
"""Answers that one body may hold: as many as one turn may hold calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenAnswers:
    """What was taken in. The run goes on when nothing is `open`."""

    run_id: RunId
    taken: tuple[InterruptId, ...]
    open: tuple[InterruptId, ...]


class Answering:
    """Takes in answers to the pauses of one scope.

    Shape: `checks` gives, for the fingerprint of a plan, what holds edited arguments against its tools.
    """

    def __init__(
        self, *, store: Asked, scope: str, keys: TokenKeys, clock: Clock, checks: Callable[[str], CheckArguments]
    ) -> None:
        self._store = store
        self._scope = scope
        self._keys = keys
        self._clock = clock
        self._checks = checks

    async def answer(self, run_id: RunId, answers: Sequence[Answer], *, principal: str) -> TakenAnswers:
        """Take in answers to pauses of a run, all of them or, where one is refused, none.

        Raises:
            BadAnswerError: There are none, too many, two to one pause, or one that does not fit what was asked.
            TokenInvalidError: A token is not ours, or not of this very pause.
            RunNotFoundError: No such run in this scope.
            PauseNotFoundError: The run never had a pause of this name.
            TokenExpiredError: A pause is over.
            CancelAskedError: The run was asked to stop before.
            AlreadyAnsweredError: A pause is settled. If that came about between two answers of this body, `taken` names
                those that were taken before.
        """
        if not 0 < len(answers) <= MOST_ANSWERS:
            problem = f"expected 1 to {MOST_ANSWERS} answers, came {len(answers)}"
            raise BadAnswerError((AnswerProblem(None, problem),))
        claims = [self._claims(answer) for answer in answers]
        _refuse_twins(answers)
        found = await pauses_of(self._store, self._scope, run_id)
        for claimed in claims:
            if claimed.interrupt_id not in found.open and claimed.interrupt_id not in found.settled:
                if claimed.run_id != run_id:
                    raise TokenInvalidError("the token is of another run")
                raise PauseNotFoundError(f"run {run_id!r} has no pause {claimed.interrupt_id!r}")
        pauses = [self._open(found, answer, claimed) for answer, claimed in zip(answers, claims, strict=True)]
        sent = self._settled(found, pauses, answers, principal)
        taken = await self._consume(run_id, sent)
        left = tuple(named for named in found.open if named not in taken)
        return TakenAnswers(run_id=run_id, taken=taken, open=left)

    def _claims(self, answer: Answer) -> TokenClaims:
        """What the token of this answer is bound to, if it is of the pause that the answer names."""
        claimed = claims_of(answer.token, scope=self._scope, keys=self._keys)
        if claimed.interrupt_id != answer.interrupt_id:
            raise TokenInvalidError("the token is of another pause")
        return claimed

    def _open(self, found: PausesOfRun, answer: Answer, claimed: TokenClaims) -> PendingInterrupt:
        """The pause that this answer is for, if its token is of this very pause and it may still be answered."""
        named = InterruptId(answer.interrupt_id)
        pending = found.open.get(named)
        if pending is None:
            raise found.refusal(named)
        if claimed != claims_for(pending):
            raise TokenInvalidError("the token is of another request")
        if pending.expires_at is not None and pending.expires_at <= self._clock.now_s():
            raise TokenExpiredError(f"pause {named!r} is over: nobody answered in time")
        return pending

    def _settled(
        self, found: PausesOfRun, pauses: Sequence[PendingInterrupt], answers: Sequence[Answer], principal: str
    ) -> list[SentAnswer]:
        """How the answers settle the pauses, in the order of the pauses; all that is wrong is told at once."""
        at_s, check = self._clock.now_s(), self._checks(found.state.plan)
        problems: list[AnswerProblem] = []
        sent: dict[InterruptId, SentAnswer] = {}
        for position, (pending, answer) in enumerate(zip(pauses, answers, strict=True)):
            named = pending.interrupt_id
            try:
                resolution = resolution_of(pending, answer, check, shown=found.shown[named])
            except BadAnswerError as bad:
                problems += [one._replace(position=position) for one in bad.problems]
            else:
                decided = DecisionKept(interrupt_id=named, decision=answer.decision, by=principal, at_s=at_s)
                sent[named] = SentAnswer(resolution=resolution, decided=decided)
        if problems:
            raise BadAnswerError(tuple(problems))
        # In one order for every body, so that of two that name the same pauses one wins all of them.
        return [sent[named] for named in sorted(sent, key=_number)]

    async def _consume(self, run_id: RunId, sent: Sequence[SentAnswer]) -> tuple[InterruptId, ...]:
        taken: list[InterruptId] = []
        bodies = [(one.resolution.interrupt_id, dump_answer(one)) for one in sent]
        reach(Failpoint.ANSWER_BEFORE_SEND)
        for named, body in bodies:
            try:
                # Which came first, an answer or a cancel, is decided here and nowhere else.
                is_new = await self._store.send(self._scope, run_id, key=named, kind=ANSWER, body=body, unless=CANCEL)
            except RunFinalError:
                is_new = False
            if not is_new:
                raise (await pauses_of(self._store, self._scope, run_id)).refusal(named, taken=tuple(taken))
            taken.append(named)
        reach(Failpoint.ANSWER_AFTER_SEND)
        return tuple(taken)


def _refuse_twins(answers: Sequence[Answer]) -> None:
    first: dict[str, int] = {}
    problems = []
    for position, answer in enumerate(answers):
        earlier = first.setdefault(answer.interrupt_id, position)
        if earlier != position:
            problem = f"expected one answer to each pause, and the one at position {earlier} is to the same"
            problems.append(AnswerProblem(answer.interrupt_id, problem, position))
    if problems:
        raise BadAnswerError(tuple(problems))


def _number(named: InterruptId) -> int:
    return int(named.rpartition(".i")[2])
