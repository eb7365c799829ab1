"""The wish that a stored run stops: kept with the run until an owner takes it up.

In: a store and the name of a run. Out: whether the wish was taken in, in words. That a run is cancelled is another
thing: its log says so, once a process that has its agent has carried the wish out, or another end has come first.

Source: docs/cli.md.
"""

from __future__ import annotations

from treadle.adapters.system import SystemClock
from treadle.cli.foreign_text import line
from treadle.codec.sent_cancels import SentCancel, dump_cancel
from treadle.ports.runs_seen import RunsSeen
from treadle.runtime.hearing import CANCEL
from treadle.values.facts import CancelKept
from treadle.values.ids import RunId

CARRIED_OUT = "it ends cancelled once a process that has its agent hears of it"


async def wish(store: RunsSeen, scope: str, run_id: RunId, *, principal: str) -> bool:
    """Ask a run to stop, under this name. False where it was asked before.

    Raises:
        RunNotFoundError: No such run in this scope.
        RunFinalError: The run has ended.
    """
    asked = CancelKept(by=principal, at_s=SystemClock().now_s())
    return await store.send(scope, run_id, key=CANCEL, kind=CANCEL, body=dump_cancel(SentCancel(asked=asked)))


def said(run_id: RunId, *, is_new: bool) -> str:
    """What came of the wish, as one line."""
    word = "accepted" if is_new else "accepted before"
    return f"cancel {word}: {line(run_id)}; {CARRIED_OUT}\n"
