"""The ports of a store as far as somebody needs them who works on no run: to look, to follow, to send."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from treadle.ports.inbox import Inbox
from treadle.ports.log import LogReads
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import RunState, RunStatus


class RunsSeen(LogReads, Inbox, Protocol):
    """Runs that somebody else works on."""

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
        """Runs of a scope, newest first. See `RunTable.find`."""
        ...
