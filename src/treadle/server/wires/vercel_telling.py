"""How a run is told as a UI message, wherever in it its client begins.

In: what the client was told before, and how the agent's tools ask. Out: tellings. Knows nothing of requests, so what
was told can be told again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from treadle.projections.vercel.project import ResponseOptions, TokenOf, VercelResponse
from treadle.server.folded_feed import FoldedTelling
from treadle.values.exposure import Exposure
from treadle.values.ids import InterruptId
from treadle.values.pauses import PauseKind, PendingInterrupt


@dataclass(frozen=True, slots=True, kw_only=True)
class Begins:
    """Where a response begins. See `ResponseOptions`."""

    live_from: int
    after: int = -1
    answered: frozenset[InterruptId] = frozenset()


def response_telling(
    begins: Begins, *, token_of: TokenOf, asks: Mapping[str, PauseKind], resets: bool, exposure: Exposure
) -> FoldedTelling:
    """One response.

    Args:
        asks: The agent's tools whose calls are asked of somebody, and of whom.
    """
    options = ResponseOptions(
        token_of=token_of,
        after=begins.after,
        live_from=begins.live_from,
        answered=begins.answered,
        page=frozenset(name for name, kind in asks.items() if kind is PauseKind.FRONT_END),
        person=frozenset(name for name, kind in asks.items() if kind is PauseKind.ASK_USER),
        resets=resets,
    )
    return FoldedTelling(begin=VercelResponse, options=options, exposure=exposure)


def goes_on(after: int, answered: frozenset[InterruptId]) -> Begins:
    """The response to answers behind which the run goes on. `after` is the event that told the pauses."""
    return Begins(after=after, live_from=after + 1, answered=answered)


def no_token(_: PendingInterrupt) -> None:
    """The reader may not answer."""
