"""How a run is told as the answer to one call of a tool.

In: what the call asked for, and what its client can do. Out: a value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from treadle.projections.mcp.wire import ASKING, MODERN, WITH_LISTS
from treadle.values.ids import InterruptId
from treadle.values.pauses import PendingInterrupt

TokenOf = Callable[[PendingInterrupt], str | None]
"""The token of a pause for one reader; None where they may not answer it."""


def no_token(_: PendingInterrupt) -> None:
    """For a reader who may answer nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What one call is told, and in which words.

    Shape: `id_json` and `token_json` are the id of the call and its progress token, JSON already; without a token
        there are no notifications. The call is told what comes behind the event `after`; -1 is everything. `can_ask`:
        its client can show forms. `settled` are pauses that were answered and that the run may not know of yet; `note`
        is what was wrong with an answer before. `runs_url` is where runs are found by their ids.
    """

    id_json: str
    version: str
    token_json: str | None = None
    after: int = -1
    can_ask: bool = False
    settled: frozenset[InterruptId] = frozenset()
    note: str = ""
    runs_url: str = "/v1/runs"
    token_of: TokenOf = no_token

    @property
    def is_modern(self) -> bool:
        """Whether a pause ends the call. In a session it does not: the client is asked in its midst."""
        return self.version == MODERN

    @property
    def asks(self) -> bool:
        """Whether its client may be asked anything."""
        return self.can_ask and self.version in ASKING

    @property
    def with_lists(self) -> bool:
        """Whether a field of a form may take more than one choice."""
        return self.version in WITH_LISTS


EVERYTHING: Final = -1
"""For a call that is told its run from the first event."""
