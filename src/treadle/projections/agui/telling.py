"""How a run is told to one client.

In: what it asked for. Out: a value that compares equal for clients that are told the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from treadle.projections.agui.interrupts import TokenOf, no_token
from treadle.projections.agui.messages import NO_MESSAGES, Told
from treadle.values.ids import InterruptId


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What one client is told, and as what.

    Shape: `thread_id`, `run_id` and `parent_run_id` are its own names, said back to it. It is told what comes behind
        `after`, the index of the last event that it was told before, -1 where it was told none; `rests`: that one ends
        a segment after which nothing comes now, and its end is told again. `snapshots`: it is told first what it may
        have missed. `before` are the messages that it has, or is to have, beside those of this run; `user_message_id`
        is the id of the one that the run answers. `open_pauses` are those that wait, of the ones that the event behind
        `after` tells; None: all.
    """

    thread_id: str
    run_id: str
    parent_run_id: str | None = None
    after: int = -1
    rests: bool = False
    snapshots: bool = False
    before: tuple[Told, ...] = NO_MESSAGES
    user_message_id: str = ""
    open_pauses: frozenset[InterruptId] | None = None
    token_of: TokenOf = no_token
