"""The attempts of a run to their spans, and what they spent.

An attempt's span begins when the model was asked and ends with its turn. It is opened with the first thing that the
attempt shows, for only then its model is told, or when it ends without having shown anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from treadle.adapters.traces import conventions as conv
from treadle.adapters.traces.content import Said
from treadle.adapters.traces.marking import Marking
from treadle.adapters.traces.spans import Attribute, named
from treadle.values import events as ev
from treadle.values.facts import RoundCut, RoundOpened
from treadle.values.ids import CallId
from treadle.values.usage import NO_USAGE, UsageDelta, count_or_none

RELEASED: Final = "released"
"""The outcome of what was open when its worker let the run go."""
RETRACTED: Final = "retracted"
"""The outcome of an attempt that was taken back."""
CANCELLED: Final = "cancelled"
ERROR: Final = "error"


@dataclass(slots=True)
class _Attempt:
    """The attempt under way.

    Shape: `key` is that of its span, None until it is opened. `said` is there only where content is wanted.
    Units: `asked_s` and `cut_s` are UTC seconds; an `asked_s` of None: nobody saw it begin, so it has no span.
    """

    round: int
    attempt: int
    asked_s: float | None
    key: int | None = None
    pieces: int = 0
    first_shown_s: float | None = None
    said: Said | None = None
    cut: RoundCut | None = None
    cut_s: float = 0.0


class AttemptSpans:
    """The attempts of one run, one under way at most.

    Shape: `usage` is what the attempts of the segment spent that are over, `unmeasured` how many of them told nothing.
    """

    def __init__(self, marking: Marking) -> None:
        self._marking = marking
        self._attempt: _Attempt | None = None
        self.usage = NO_USAGE
        self.unmeasured = 0

    def begin_segment(self) -> None:
        """Count anew."""
        self.usage, self.unmeasured = NO_USAGE, 0

    def asked(self, fact: RoundOpened) -> None:
        """The model is being asked."""
        self.settle(RELEASED)
        self._begin(fact.round, fact.attempt)

    def started(self, event: ev.RoundStarted) -> None:
        """The attempt shows something."""
        self._marking.model = event.model
        attempt = self._attempt
        if (
            attempt is None
            or attempt.key is not None
            or (attempt.round, attempt.attempt) != (event.round, event.attempt)
        ):
            self.settle(RELEASED)
            attempt = self._begin(event.round, event.attempt)
        self._open(attempt, attempt.asked_s)

    def cut(self, fact: RoundCut) -> None:
        """It ended without a whole turn. Whether it is taken back or was the last word comes next."""
        if self._attempt is None:
            self._attempt = _Attempt(round=fact.round, attempt=fact.attempt, asked_s=None)
        self._attempt.cut, self._attempt.cut_s = fact, self._marking.now_s

    def ended(self, event: ev.RoundEnded) -> None:
        """Its turn is over."""
        if self._attempt is None:
            self._spend(event.usage)
        self.settle(event.outcome, usage=event.usage, stop_reason=event.stop_reason)

    def retracted(self, event: ev.Retracted) -> None:
        """What it showed is void."""
        self.settle(RETRACTED, code=event.reason)

    def announced(self, call_id: CallId, name: str) -> None:
        """The model speaks of a call."""
        if self._attempt is not None and self._attempt.said is not None:
            self._attempt.said.call(call_id, name)

    def speech(self, kind: str, key: int | CallId, texts: tuple[str, ...]) -> None:
        """Count pieces; keep them only where content is wanted."""
        attempt = self._attempt
        if attempt is None:
            return
        if attempt.first_shown_s is None:
            attempt.first_shown_s = self._marking.now_s
        attempt.pieces += len(texts)
        if attempt.said is not None:
            attempt.said.add(kind, key, texts)

    def settle(
        self, outcome: str, *, code: str | None = None, usage: UsageDelta | None = None, stop_reason: str | None = None
    ) -> None:
        """End the attempt under way, if there is one. One that was cut, and of which no more is said, ended then."""
        attempt, self._attempt = self._attempt, None
        if attempt is None:
            return
        cut = attempt.cut
        if usage is None:
            usage = cut.usage if cut is not None else NO_USAGE
        self._spend(usage)
        if attempt.asked_s is None:
            return
        if cut is not None:
            code = cut.code
            outcome = RETRACTED if outcome == RETRACTED else CANCELLED if code == CANCELLED else ERROR
        failure = (code or conv.OTHER) if outcome in {ERROR, RETRACTED} else None
        attributes = {
            conv.OUTCOME: outcome,
            conv.FINISH_REASONS: (stop_reason,) if stop_reason else None,
            conv.ERROR_TYPE: failure,
            conv.PIECES: attempt.pieces,
            conv.FIRST_SHOWN_S: None if attempt.first_shown_s is None else attempt.first_shown_s - attempt.asked_s,
            conv.OUTPUT_MESSAGES: attempt.said.message(stop_reason) if attempt.said and outcome != RETRACTED else None,
            **spent(usage),
        }
        key = self._open(attempt, attempt.asked_s)
        self._marking.end(key, attributes, at_s=None if cut is None else attempt.cut_s, failure=failure)

    def _begin(self, round: int, attempt: int) -> _Attempt:  # noqa: A002 (the word of the domain)
        said = Said() if self._marking.content else None
        self._attempt = _Attempt(round=round, attempt=attempt, asked_s=self._marking.now_s, said=said)
        return self._attempt

    def _open(self, attempt: _Attempt, asked_s: float | None) -> int:
        if attempt.key is None:
            model = self._marking.model
            attributes: dict[str, Attribute | None] = {
                conv.OPERATION_NAME: conv.CHAT,
                conv.REQUEST_MODEL: model,
                conv.ROUND: attempt.round,
                conv.ATTEMPT: attempt.attempt,
                **self._marking.whose(),
            }
            at_s = self._marking.now_s if asked_s is None else asked_s
            attempt.key = self._marking.open_within(named(conv.CHAT, model), attributes, at_s=at_s, is_client=True)
        return attempt.key

    def _spend(self, usage: UsageDelta) -> None:
        self.usage += usage
        self.unmeasured += not usage.reported


def spent(usage: UsageDelta) -> dict[str, Attribute | None]:
    """The counts that a provider reported; a count that nobody reported is None."""
    counts: dict[str, Attribute | None] = {said: count_or_none(usage, ours) for ours, said in conv.USAGE.items()}
    return {**counts, conv.TOTAL_TOKENS: count_or_none(usage, "total_tokens")}
