"""The port to the log of runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from treadle.values.ids import RunId
from treadle.values.runs import Lease, RunState, RunStatus
from treadle.values.stretches import Stretch


class LogReads(Protocol):
    """Logs as whoever reads them sees them."""

    async def read(self, scope: str, run_id: RunId, after: int, /, *, limit: int) -> Sequence[Stretch]:
        """What is stored of a run after the event with this index (-1: from the beginning), facts included.

        Shape:   at most about `limit` records, whole rows, in order. The first row may begin before `after`. Rows that
                 were joined have the time of the first; the last append of a log has its own.
        Raises:
            RunNotFoundError: No such run in this scope.
            RecordFormatError: A row that cannot be read; it says which. What lies after it can still be read.
        """
        ...

    async def wait(self, scope: str, run_id: RunId, after: int, /, *, timeout_s: float) -> None:
        """Come back when there may be more after this index, or the run may have come to rest.

        It is back after `timeout_s` at the latest. A hint: it may come early, and data comes from `read` alone.
        """
        ...

    async def state(self, scope: str, run_id: RunId, /) -> RunState:
        """Where a run stands.

        Raises:
            RunNotFoundError: No such run in this scope.
        """
        ...


class RunLog(LogReads, Protocol):
    """Append-only logs, one a run. One writer each, by lease; any number of readers."""

    async def append(
        self,
        lease: Lease,
        stretches: Sequence[Stretch],
        /,
        *,
        status: RunStatus,
        wake_at_s: float | None = None,
        take: Sequence[int] = (),
    ) -> RunStatus:
        """Add stretches to the end of a run's log, all or none, in one transaction with the run's new status.

        Shape:   the stretches, which may be none, follow each other in seq and index; the first stands at the end of
                 the log. A status of `ready` gives the run back unfinished. `take` are
                 numbers of inbox messages that these entries record. Gives the status that the run has then: a run
                 that was to wait, while a message it did not take is in its inbox, is `ready` instead.
        Units:   `wake_at_s` is UTC seconds by the store's clock.
        Raises:
            FencedError: A newer owner holds the run. Nothing was written.
            SequenceConflictError: Other content stands at that place. Nothing was written. The identical batch at a
                place that is already written is no error and changes nothing.
        Cancel:  Safe: either nothing or everything is written.
        """
        ...
