"""The runs of a store that another process owns, as far as a command needs them: looked at, followed, sent to.

In: the address and the token that the owner has left beside the file. Out: what the owner's store says. Nobody works on
runs through it, so nothing is created, claimed or appended.

Source: ADR 0021 (a command goes through the owner).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from typing import Any, Final, TypeVar

from treadle.adapters.stores.served.asking import Asking
from treadle.codec import owner_wire
from treadle.codec.owner_wire import LONGEST_WAIT_S, Asked, ImportedRuns
from treadle.values.ids import RunId, ThreadId
from treadle.values.runs import Message, RunState, RunStatus
from treadle.values.stretches import Stretch

T = TypeVar("T")

_END: Final = ""


class ServedStore:
    """A store at the other end of an address."""

    def __init__(self, url: str, token: str) -> None:
        self._asking = Asking(url, token)

    async def state(self, scope: str, run_id: RunId, /) -> RunState:
        """Where a run stands. See `RunLog.state`."""
        return owner_wire.load_state(await self._ask("state", scope=scope, run_id=run_id))

    async def read(self, scope: str, run_id: RunId, after: int, /, *, limit: int) -> Sequence[Stretch]:
        """What is stored of a run. See `RunLog.read`."""
        told = await self._ask("read", scope=scope, run_id=run_id, after=after, limit=limit)
        return owner_wire.load_stretches(told)

    async def wait(self, scope: str, run_id: RunId, after: int, /, *, timeout_s: float) -> None:
        """Come back when there may be more. See `RunLog.wait`.

        It is back within `LONGEST_WAIT_S`, so that whoever ends the command does not wait for an answer that is far.
        """
        await self._ask("wait", scope=scope, run_id=run_id, after=after, timeout_s=min(timeout_s, LONGEST_WAIT_S))

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
        chosen = None if statuses is None else tuple(statuses)
        told = await self._ask("find", scope=scope, thread_id=thread_id, statuses=chosen, before=before, limit=limit)
        return owner_wire.load_states(told)

    async def send(
        self, scope: str, run_id: RunId, /, *, key: str, kind: str, body: bytes = b"", unless: str | None = None
    ) -> bool:
        """Send a message, once for each key. See `Inbox.send`."""
        told = await self._ask("send", scope=scope, run_id=run_id, key=key, kind=kind, body=body, unless=unless)
        return owner_wire.load(told, bool)

    async def inbox(self, scope: str, run_id: RunId, /) -> Sequence[Message]:
        """The messages that no append has taken. See `Inbox.inbox`."""
        return owner_wire.load_messages(await self._ask("inbox", scope=scope, run_id=run_id))

    async def delete(self, scope: str, run_id: RunId, /) -> bool:
        """Delete a final run. See `RunTable.delete`."""
        return owner_wire.load(await self._ask("delete", scope=scope, run_id=run_id), bool)

    async def export(
        self, scope: str, /, *, run_ids: Collection[RunId] | None = None, with_facts: bool = False
    ) -> AsyncIterator[str]:
        """Runs as lines of JSON, as the owner's store writes them.

        Raises:
            RunLogError: What the owner's store raises, or the connection broke before the last line.
        """
        chosen = None if run_ids is None else tuple(run_ids)
        lines = self._asking.lines("export", _asked(scope=scope, run_ids=chosen, with_facts=with_facts))
        while line := await asyncio.to_thread(next, lines, _END):
            yield line

    async def import_lines(self, lines: Iterable[str], /) -> ImportedRuns:
        """Put exported runs in, as the owner's store does."""
        told = await asyncio.to_thread(self._asking.pour, "import", lines)
        return owner_wire.load(told, ImportedRuns)

    async def _ask(self, name: str, **asked: Any) -> bytes:  # noqa: ANN401 (the fields of a question)
        return await asyncio.to_thread(self._asking.ask, name, _asked(**asked))


def _asked(**fields: Any) -> bytes:  # noqa: ANN401 (the fields of a question)
    return owner_wire.dump(Asked(**fields))
