"""The port to the table of runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import Lease, NewRun, RunState, RunStatus


class RunTable(Protocol):
    """Which runs there are, and who may write them."""

    async def create(self, run: NewRun, /) -> RunState:
        """Create a run, status `ready`, in one transaction with the rules of its key and its thread.

        Shape:   gives the state of the run that stands then: the new one, or, where its key was used before in its
                 scope for the same digest, the one that was there (compare the run ids).
        Raises:
            KeyReusedError: The key was used before for another request. Nothing changed.
            ThreadBusyError: The thread has a live run and the rule is `reject`. Nothing changed. With `queue` the run
                is created and cannot be claimed until the one before it is final; with `cancel_previous` a cancel is
                sent to the live run and the new one is queued.
        """
        ...

    async def claim(self, worker: str, /, *, plans: Collection[str], ttl_s: float) -> Lease | None:
        """Take over a run that is ready, whose lease is over, or whose `wake_at` has come; the oldest first.

        Shape:   None where there is none that this worker can run (by the fingerprints of `plans`). The epoch rises.
        Cancel:  Safe: a run that was claimed for nobody is given back.
        """
        ...

    async def ready(self, *, timeout_s: float) -> None:
        """Come back when there may be a run to claim; after `timeout_s` at the latest. A hint, as `RunLog.wait` is."""
        ...

    async def renew(self, lease: Lease, /, *, ttl_s: float) -> None:
        """Hold a run for longer.

        Raises:
            FencedError: A newer owner holds it.
        """
        ...

    async def find(
        self,
        scope: str,
        /,
        *,
        thread_id: ThreadId | None = None,
        statuses: Collection[RunStatus] | None = None,
        before: RunId | None = None,
        limit: int = 100,
    ) -> Sequence[RunState]:
        """Runs of a scope, newest first. `before` goes on after the last one of an earlier page."""
        ...

    async def delete(self, scope: str, run_id: RunId, /, *, facts_only: bool = False) -> bool:
        """Delete a final run: its rows, its inbox, its key; or its facts alone. False where there is none.

        Raises:
            RunLiveError: The run is not final. Nothing changed.
        """
        ...
