"""The port to the inboxes of runs, over the file.

Source: ports.inbox.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from treadle.adapters.stores.sqlite import messages, run_table
from treadle.adapters.stores.sqlite.core import StoreCore
from treadle.errors import RunFinalError
from treadle.runtime.failpoints import Failpoint, reach
from treadle.values.ids import RunId
from treadle.values.runs import FINAL_STATUSES, Message, RunStatus


class InboxPort:
    """What anyone may say to a run in one file."""

    _core: StoreCore

    async def send(
        self, scope: str, run_id: RunId, /, *, key: str, kind: str, body: bytes = b"", unless: str | None = None
    ) -> bool:
        """Send a message, once for each key. See `Inbox.send`."""
        now_s = self._core.now_s()

        def do(connection: sqlite3.Connection) -> tuple[bool, bool]:
            run = run_table.standing(connection, scope, run_id)
            if run.status in FINAL_STATUSES:
                raise RunFinalError(f"run {run_id!r} is {run.status.value!r} and hears nothing more")
            is_new = messages.put(connection, scope, run_id, key=key, kind=kind, body=body, unless=unless)
            wakes = is_new and run.status is RunStatus.WAITING
            if wakes:
                run_table.make_ready(connection, run.number, now_s=now_s)
            reach(Failpoint.SEND_BEFORE_COMMIT)
            return is_new, wakes

        def heed(sent: tuple[bool, bool]) -> None:
            if sent[1]:
                self._core.rested((scope, run_id), RunStatus.READY, now_s=now_s)
            elif sent[0]:
                # Its owner may wait for it where the readers wait.
                self._core.tails.wake((scope, run_id))

        sent: tuple[bool, bool] = await self._core.write(do, heed)
        return sent[0]

    async def inbox(self, scope: str, run_id: RunId, /) -> Sequence[Message]:
        """The messages that no append has taken, in order. See `Inbox.inbox`."""

        def query(connection: sqlite3.Connection) -> list[Message]:
            found = messages.open_messages(connection, scope, run_id)
            if not found:
                run_table.standing(connection, scope, run_id)
            return found

        return await self._core.ask(query)
