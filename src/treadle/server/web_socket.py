"""Several runs on one socket: kernel events as on the lines of JSON, each a message, and who reads which.

In: a handshake, and a client's wishes. Out: events, in turns. A socket holds no queue. What a client sends is heard one
message after the other, so whoever sends much waits for itself. Who asks is asked at every `read`, by the headers of
the handshake or by a ticket: a socket is no right.

Source: docs/protocols/socket.md, ADR 0052 (several runs on one socket).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from starlette.requests import HTTPConnection
from starlette.types import Message, Receive, Scope, Send

from treadle.errors import BadRequestError, TooManyReadersError, UnauthenticatedError
from treadle.server.access.anonymous import Anonymous
from treadle.server.access.failures import refusal
from treadle.server.delivery import CLOSING_S, NDJSON, Ending, settled
from treadle.server.parts import ServerParts
from treadle.server.visit import may_still_read, run_to_read
from treadle.server.web_socket_messages import ALIVE, MAX_MESSAGE_BYTES, Leave, Read, over, refused, wish_of
from treadle.server.web_socket_reader import SocketReader
from treadle.values.ids import RunId

PATH: Final = "/v1/socket"
MAX_RUNS: Final = 64
"""Runs that are read at once on one socket."""
_CREDENTIALS: Final = ("authorization", "x-api-key")


class Close(NamedTuple):
    """How a socket is closed: a code of the protocol, and ours."""

    code: int
    reason: str


STOPPING: Final = Close(1001, "stopping")
IDLE: Final = Close(1000, "idle")
BINARY: Final = Close(1003, "bad_request")
TOO_LARGE: Final = Close(1009, "body_too_large")


STRANGERS: Final = 256
"""Sockets at once of clients that show no credential at the handshake: their tickets come later, if at all."""


class SocketDoor:
    """What stands at the path of sockets: an ASGI application."""

    def __init__(self, parts: ServerParts) -> None:
        self._parts = parts
        self._open = self._strangers = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take a handshake or refuse it, and serve the socket to its end."""
        await receive()
        connection = HTTPConnection(scope)
        try:
            is_stranger = await self._check(connection)
        except Exception as error:  # noqa: BLE001 (the border of a request: each exception has its refusal)
            said = refusal(error)
            self._parts.metrics.refusals.labels(said.code).inc()
            await said.send(scope, receive, send)
            return
        self._open += 1
        self._strangers += is_stranger
        try:
            await Socket(connection, self._parts, send).serve(receive)
        finally:
            self._open -= 1
            self._strangers -= is_stranger

    async def _check(self, connection: HTTPConnection) -> bool:
        """Refuse a handshake whose credential is none, and one too many. Give whether it shows none.

        One without any may show tickets later. Such sockets have a bound of their own: nobody takes the places of those
        who are known.
        """
        if self._open >= self._parts.admission.caps.all_readers:
            raise TooManyReadersError(f"at most {self._parts.admission.caps.all_readers} open sockets", retry_after_s=5)
        try:
            await self._parts.entrance.enter(connection)
        except UnauthenticatedError:
            # Without an `access` there are no strangers: this machine is served, and no other.
            is_open = isinstance(self._parts.entrance.access, Anonymous)
            if is_open or any(name in connection.headers for name in _CREDENTIALS):
                raise
            if self._strangers >= STRANGERS:
                raise TooManyReadersError(f"at most {STRANGERS} open sockets of strangers", retry_after_s=5) from None
            return True
        return False


class Socket:
    """One socket, from its acceptance to its end."""

    def __init__(self, connection: HTTPConnection, parts: ServerParts, send: Send) -> None:
        self.sent = 0
        self.is_sending = False
        self._connection = connection
        self._parts = parts
        self._send = send
        self._turn = asyncio.Lock()
        self._speaker: object = None
        self._readers: dict[RunId, SocketReader] = {}
        self._was_idle = False
        self._ending: Ending | None = None
        self._close: Close | None = None
        self._work: asyncio.Task[Any] | None = None
        self._beating: asyncio.Task[None] | None = None
        self._checking: asyncio.Task[None] | None = None

    async def serve(self, receive: Receive) -> None:
        """Take the handshake, hear the client, until it goes or somebody ends it."""
        pulse = self._parts.delivering.pulse
        pulse.add(self)
        try:
            try:
                await self._heard(receive)
            finally:
                await self._unread()
            await self._closed()
        finally:
            pulse.remove(self)

    # ------------------------------------------------ what the readers need

    async def say(self, texts: Sequence[str], speaker: object) -> None:
        """Send messages, when it is this speaker's turn. Turns go round: a lock is given to whoever waits longest."""
        async with self._turn:
            self._speaker, self.is_sending = speaker, True
            for text in texts:
                await self._send({"type": "websocket.send", "text": text})
                self.sent += 1
            # Not in a `finally`: after a send that was broken off, nothing more is sent.
            self._speaker, self.is_sending = None, False

    def is_heard(self, speaker: object) -> bool:
        """Whether a send of this speaker's is under way."""
        return self._speaker is speaker

    def lost(self) -> None:
        """The client has gone."""
        self._end(Ending.LEFT)

    # ------------------------------------------------ as the pulse knows it

    def beat(self) -> None:
        """Break the silence."""
        if self._beating is None and self._ending is None:
            self._beating = asyncio.get_running_loop().create_task(self._beat())

    def freeze(self) -> None:
        """A send does not end."""
        self._end(Ending.FROZEN)

    def stop(self) -> None:
        """The server stops."""
        self._end(Ending.DRAINED, STOPPING)

    def recheck(self) -> None:
        """Look whether each reader may go on; a socket on which nothing was read since the last look ends."""
        if not self._readers and self._was_idle:
            self._end(Ending.READ, IDLE)
        elif self._checking is None and self._ending is None:
            self._checking = asyncio.get_running_loop().create_task(self._check())
        self._was_idle = not self._readers

    # ------------------------------------------------ what it does

    def _end(self, ending: Ending, close: Close | None = None) -> None:
        if self._ending is None:
            self._ending, self._close = ending, close
            if self._work is not None:
                self._work.cancel()

    async def _heard(self, receive: Receive) -> None:
        """Hear the client to the end."""
        self._work = work = asyncio.current_task()
        try:
            await self._send({"type": "websocket.accept"})
            while self._ending is None:
                message = await receive()
                if message["type"] == "websocket.disconnect":
                    self._ending = Ending.LEFT
                else:
                    await self._take(message)
        except asyncio.CancelledError:
            # `_end` cancels this very task, which then goes on. Whoever else cancels it wants it gone.
            if self._ending is None or work is None or work.uncancel() > 0:
                raise
        except OSError:
            self._ending = self._ending or Ending.LEFT  # The server says in this way that the client has gone.
        finally:
            self._work = None

    async def _take(self, message: Message) -> None:
        text = message.get("text")
        if text is None:
            self._ending, self._close = Ending.LEFT, BINARY
            return
        if len(text) > MAX_MESSAGE_BYTES or len(text.encode(errors="surrogatepass")) > MAX_MESSAGE_BYTES:
            self._ending, self._close = Ending.LEFT, TOO_LARGE
            return
        if answers := await self._answers(text):
            await self.say(answers, None)

    async def _answers(self, text: str) -> tuple[str, ...]:
        """Grant a wish, or say why not."""
        run_id: RunId | None = None
        try:
            wish = wish_of(text)
            run_id = wish.run_id
            return await (self._read(wish) if isinstance(wish, Read) else self._leave(wish))
        except Exception as error:  # noqa: BLE001 (the border of a request: each exception has its refusal)
            said = refusal(error)
            self._parts.metrics.refusals.labels(said.code).inc()
            return (refused(said, run_id),)

    async def _read(self, asked: Read) -> tuple[str, ...]:
        """Begin to read a run; the reader itself says so, in its turn."""
        run_id, parts = asked.run_id, self._parts
        if run_id in self._readers:
            raise BadRequestError("this run is read on this socket; leave it first", pointer="/run_id")
        if len(self._readers) >= MAX_RUNS:
            raise TooManyReadersError(f"at most {MAX_RUNS} runs are read at once on one socket")
        if asked.ticket is None:
            entry = await parts.entrance.enter(self._connection)
        else:
            entry = await parts.entrance.redeem(asked.ticket, run_id)
        runs, state = await run_to_read(parts, entry, run_id)
        with parts.admission.reader(entry.principal) as place:
            reader = SocketReader(
                await runs.reading(run_id, after=asked.after, to_end_of=asked.follow),
                NDJSON.telling(asked.integers),
                socket=self,
                shared=parts.delivering,
                held=place.keep(),
                still_allowed=may_still_read(parts, entry, state),
            )
        self._readers[run_id] = reader
        reader.begin(self._forget)
        return ()

    async def _leave(self, asked: Leave) -> tuple[str, ...]:
        """Stop reading a run. The reader's own last word is the answer; where there is none, this is."""
        reader = self._readers.get(asked.run_id)
        if reader is None:
            return (over(asked.run_id, Ending.LEFT),)
        reader.end(Ending.LEFT)
        await reader.gone()
        return ()

    async def _unread(self) -> None:
        """End every reader, and what else is under way."""
        readers = [*self._readers.values()]
        for reader in readers:
            reader.abandon(self._ending or Ending.LEFT)
        for reader in readers:
            await reader.gone()
        await settled(self._beating, self._checking)

    def _forget(self, run_id: RunId) -> None:
        del self._readers[run_id]

    async def _beat(self) -> None:
        try:
            if not self._turn.locked():
                await self.say((ALIVE,), None)
        except OSError:
            self.lost()
        finally:
            self._beating = None

    async def _check(self) -> None:
        try:
            for reader in [*self._readers.values()]:
                await reader.recheck()
        finally:
            self._checking = None

    async def _closed(self) -> None:
        """Close it, where it was not the client who did and it would hear that."""
        if self._close is None or self.is_sending:
            return
        message = {"type": "websocket.close", "code": self._close.code, "reason": self._close.reason}
        try:
            async with asyncio.timeout(CLOSING_S):
                await self._send(message)
        except (TimeoutError, OSError):
            pass  # It is over for the client either way.
