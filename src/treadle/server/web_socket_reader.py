"""One run that is read on a socket: it sends what is stored, then what comes, a block at a time, in its turn.

In: a reading, and the socket that it speaks on. Out: its events, and last why they are over. It holds no queue: it
pulls the next block when the last one was sent, and others had their turn. Its end is its own; the socket goes on.

Source: docs/protocols/socket.md, ADR 0052 (several runs on one socket).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, aclosing
from typing import Final, Protocol

from treadle.errors import TreadleError
from treadle.runtime.run_reading import RunReading
from treadle.server.delivery import Delivering, Ending
from treadle.server.feeds import Block, Feed, Telling
from treadle.server.web_socket_messages import REASONS, over, reading
from treadle.values.ids import RunId

_log: Final = logging.getLogger("treadle.server")


class Speaking(Protocol):
    """The socket, as one of its readers knows it."""

    async def say(self, texts: Sequence[str], speaker: object) -> None:
        """Send messages, when it is this speaker's turn."""
        ...

    def is_heard(self, speaker: object) -> bool:
        """Whether a send of this speaker's is under way."""
        ...

    def lost(self) -> None:
        """The client has gone, as a send has found."""
        ...


class SocketReader:
    """One run on one socket.

    Args:
        held: What it holds while it reads; given back at its end.
        still_allowed: Whether whoever reads may go on.
    """

    def __init__(
        self,
        run: RunReading,
        telling: Telling,
        *,
        socket: Speaking,
        shared: Delivering,
        held: AbstractContextManager[object],
        still_allowed: Callable[[], Awaitable[bool]],
    ) -> None:
        self._run = run
        self._telling = telling
        self._socket = socket
        self._shared = shared
        self._held = held
        self._still_allowed = still_allowed
        self._ending: Ending | None = None
        self._task: asyncio.Task[None] | None = None
        self._has_begun = False
        self._is_closed = False

    @property
    def run_id(self) -> RunId:
        """The run that it reads."""
        return self._run.state.run_id

    def begin(self, done: Callable[[RunId], None]) -> None:
        """Read, in a task of its own; whoever begins it awaits `gone`. `done` is called at its end."""
        self._task = asyncio.get_running_loop().create_task(self._read())
        self._task.add_done_callback(lambda _: done(self.run_id))

    def end(self, ending: Ending) -> None:
        """Tell no more, and say why. A send that is under way is let come to its end."""
        if self._ending is None:
            self._ending = ending
            if not self._socket.is_heard(self):
                self._stop()

    def abandon(self, ending: Ending) -> None:
        """Tell no more, and say nothing: the socket is over."""
        self._ending = self._ending or ending
        self._is_closed = True
        self._stop()

    async def gone(self) -> None:
        """Come back when it has ended."""
        if self._task is not None:
            await asyncio.wait((self._task,))

    async def recheck(self) -> None:
        """Look whether whoever reads may go on."""
        try:
            allowed = await self._still_allowed()
        except Exception:  # noqa: BLE001 (whoever may not be asked about is not let go on, however that failed)
            _log.exception("whether a reader of run %s may go on cannot be found out", self.run_id)
            allowed = False
        if not allowed:
            self.end(Ending.REVOKED)

    def _stop(self) -> None:
        # A task that is cancelled before its first step never gives back what it holds.
        if self._task is not None and self._has_begun:
            self._task.cancel()

    async def _read(self) -> None:
        self._has_begun = True
        try:
            with self._held:
                ending = await self._told()
            if not self._is_closed and ending in REASONS:
                await self._socket.say((over(self.run_id, ending),), self)
        except OSError:
            self._socket.lost()  # The server says in this way that the client has gone.
        except asyncio.CancelledError:
            if not self._is_closed:
                raise
        finally:
            self._shared.ended(self._ending or Ending.LEFT)

    async def _told(self) -> Ending:
        """Tell, and say why that is over."""
        try:
            if self._ending is not None:
                return self._ending
            with self._shared.feeds.of(self._run.state, self._telling) as feed:
                async with self._run:
                    self._ending = await self._tell(feed)
        except asyncio.CancelledError:
            # `end` cancels this very task, which then still says why. Whoever else cancels it wants it gone.
            task = asyncio.current_task()
            if self._ending is None or task is None or task.uncancel() > 0:
                raise
        except OSError:
            self._ending = Ending.LEFT
            raise
        except Exception as failure:  # noqa: BLE001 (the border of a stream: however the log fails, the stream is over)
            code = failure.code if isinstance(failure, TreadleError) else "internal"
            _log.error("%s: a stream of run %s broke off", code, self.run_id, exc_info=failure)
            self._ending = Ending.FAILED
        return self._ending

    async def _tell(self, feed: Feed) -> Ending:
        await self._socket.say((reading(self.run_id),), self)
        async with aclosing(_blocks(self._run, feed)) as blocks:
            # Whoever was left in the middle of a send is not cancelled: it looks for itself.
            while self._ending is None and (block := await anext(blocks, None)) is not None:
                # A block is lines; on a socket each is a message.
                await self._socket.say(block.data.decode().split("\n")[:-1], self)
        if self._ending is not None:
            return self._ending
        self._run.at_end = True
        return Ending.READ


async def _blocks(run: RunReading, feed: Feed) -> AsyncGenerator[Block, None]:
    """The blocks behind a reader's place, live, to the end that it asked for."""
    at = run.place
    while True:
        block = await feed.after(run, at)
        if block is None:
            if await run.is_over(at, closed=False):
                return
        else:
            at = block.last
            yield block
            if block.is_final or (block.closes and await run.is_over(at, closed=True)):
                return
            # The other runs get their turn, also where neither the log nor the server ever waits.
            await asyncio.sleep(0)
            if block.is_full:
                continue
        await run.more(at)
