"""How a run is told to a client of AG-UI, wherever in it the client begins.

In: what is the client's own, and the run as it stands. Out: tellings. Knows nothing of requests, so what was told can
be told again.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from treadle.projections.agui.project import AguiRun
from treadle.projections.agui.telling import Telling
from treadle.runtime.scoped_runs import ASKED
from treadle.server.folded_feed import FoldedTelling
from treadle.values.exposure import Exposure
from treadle.values.ids import InterruptId
from treadle.values.mappings import EMPTY
from treadle.values.runs import RunState

MESSAGE: Final = "agui_message_id"
"""The property of a run that holds the client's own name for the message that it answers."""


def folded(telling: Telling, exposure: Exposure) -> FoldedTelling:
    """The telling of a client, behind the exposure of its mount."""
    return FoldedTelling(begin=AguiRun, options=telling, exposure=exposure)


def begun(telling: Telling, message_id: str) -> Telling:
    """For the client whose message of this name has begun the run."""
    return replace(telling, user_message_id=message_id)


def answered(telling: Telling, run: RunState, *, open_: Collection[InterruptId]) -> Telling:
    """For the client that has answered the run as it stands. `open_` are pauses that it has left open."""
    return replace(
        telling,
        after=run.next_index - 1,
        user_message_id=message_of(run),
        rests=bool(open_),
        open_pauses=frozenset(open_),
    )


def message_of(run: RunState) -> str:
    """The client's own name for the message that a run answers; "" where no client of this wire started it."""
    named = run.properties.get(ASKED, EMPTY).get(MESSAGE)
    return named if isinstance(named, str) else ""
