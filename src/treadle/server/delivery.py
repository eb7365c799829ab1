"""A response that is a reader of a run: it sends what is stored, then what comes, until the end that was asked for.

The run does not live here. A response that ends, however it ends, ends nothing but itself: what its leaving does to the
run is the run's own rule, and a client that comes back with the id of the last event it had misses nothing.

Our own ASGI response, for five reasons: it pulls and holds no queue; it sends all that is there at once; it hears a
client go on every server, also in silence; a client that stops reading is ended; and it can be ended from outside.

Source: docs/server.md, ADR 0020 (delivery over ASGI).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from treadle.errors import TreadleError
from treadle.framing.sse import encode_comment
from treadle.projections.plain.wire import Integers
from treadle.runtime.run_reading import RunReading
from treadle.server.feeds import Feed, Feeds, Framing, PlainTelling, Telling, ndjson_frames, sse_frames
from treadle.server.pulse import Pulse

_log: Final = logging.getLogger("treadle.server")

RETRY: Final = b"retry: 1000\n"
"""What a browser's own reader is told: how many milliseconds to wait before it comes back. Part of the first event."""
HEARS_AFTER_S: Final = 0.05
"""Seconds after which a stream listens for its client's going: by then its first events are on their way, which would
have had to wait for that."""
CLOSING_S: Final = 1.0
"""Seconds that a stream which is ended from outside has for its last bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What is around the frames of a stream.

    Shape: `early` is sent before anything else is known, `heartbeat` in silence, `opening` before the first event.
        `broken` gives what is sent last where this side ends a stream that is not over, from the code that says why;
        without it such a stream breaks off.
    """

    media_type: str
    early: bytes
    heartbeat: bytes
    opening: bytes = b""
    broken: Callable[[str], bytes] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainForm(Form):
    """A form of kernel events in their own words."""

    framing: Framing

    def telling(self, integers: Integers) -> PlainTelling:
        """How a run is told in it."""
        return PlainTelling(self.framing, integers)


SSE: Final = PlainForm(
    media_type="text/event-stream",
    framing=sse_frames,
    early=encode_comment("treadle"),
    heartbeat=encode_comment(),
    opening=RETRY,
)
NDJSON: Final = PlainForm(media_type="application/x-ndjson", framing=ndjson_frames, early=b"", heartbeat=b"\n")

STREAM_HEADERS: Final[Mapping[str, str]] = {
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    "vary": "Accept",
}
"""Of every stream: no proxy keeps it, changes it or holds it back."""


@cache
def _shared_headers(content_type: str) -> tuple[tuple[bytes, bytes], ...]:
    """The headers that all streams of a form have: made once."""
    headers = {**STREAM_HEADERS, "content-type": content_type}
    return tuple([(name.encode("latin-1"), text.encode("latin-1")) for name, text in headers.items()])


class Ending(StrEnum):
    """Why a stream is over."""

    READ = "read"
    """All that was asked for was sent."""
    LEFT = "left"
    """The client has gone."""
    FROZEN = "frozen"
    """The client took nothing for too long."""
    REVOKED = "revoked"
    """Whoever reads may not any more."""
    DRAINED = "drained"
    """The server stops."""
    FAILED = "failed"
    """The log could not be read."""
    GIVEN_UP = "given_up"
    """The client was asked something in the midst of its stream, and gave no answer that could be taken."""


BROKEN: Final[Mapping[Ending, str]] = {
    Ending.REVOKED: "forbidden",
    Ending.DRAINED: "stopping",
    Ending.FAILED: "internal",
    Ending.GIVEN_UP: "decision_due",
}
"""The code that says why this side ended a stream that is not over."""
_CLOSED_WELL: Final = frozenset({Ending.READ, Ending.REVOKED, Ending.DRAINED, Ending.GIVEN_UP})
"""Ends after which a body that is whole says nothing untrue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivering:
    """What deliveries share: one a server."""

    feeds: Feeds
    pulse: Pulse
    ended: Callable[[Ending], None]
    """Is told of every stream that is over."""


class Delivery(Response):
    """One reader's response.

    Args:
        held: What the reader holds while it reads; given back at its end.
        still_allowed: Whether whoever reads may go on.
        over: Is told, when this one is over, the index of the last event that its reader was sent.
    """

    def __init__(  # noqa: PLR0913 (one for each thing it is made of)
        self,
        reading: RunReading,
        form: Form,
        telling: Telling,
        *,
        shared: Delivering,
        held: AbstractContextManager[object],
        still_allowed: Callable[[], Awaitable[bool]],
        headers: Mapping[str, str] | None = None,
        over: Callable[[int], None] | None = None,
    ) -> None:
        self.status_code = 200
        self.background = None
        self.media_type = form.media_type
        self.charset = "utf-8"
        self.init_headers(headers)
        self.sent = 0
        self.is_sending = False
        self.at = reading.place
        self._reading = reading
        self._form = form
        self._telling = telling
        self._shared = shared
        self._held = held
        self._over = over
        self._still_allowed = still_allowed
        self._ending: Ending | None = None
        self._work: asyncio.Task[Any] | None = None
        self._listening: asyncio.Task[None] | None = None
        self._beating: asyncio.Task[None] | None = None
        self._checking: asyncio.Task[None] | None = None

    def init_headers(self, headers: Mapping[str, str] | None = None) -> None:
        """Set the headers; a stream has no length."""
        own = [(name.encode("latin-1"), text.encode("latin-1")) for name, text in (headers or {}).items()]
        self.raw_headers = [*_shared_headers(f"{self.media_type}; charset={self.charset}"), *own]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Deliver, until all is said, the client goes or somebody ends it."""
        with self._held, self._shared.feeds.of(self._reading.state, self._telling) as feed:
            if scope["method"] == "HEAD":
                await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
                await send({"type": "http.response.body", "body": b""})
                return
            async with self._reading:
                await self._deliver(feed, receive, send)

    def end(self, ending: Ending) -> None:
        """End it now. The client finds a stream that breaks off, and may come back."""
        if self._ending is None and self._work is not None:
            self._ending = ending
            self._work.cancel()

    def freeze(self) -> None:
        """A send does not end. See `Beating`."""
        self.end(Ending.FROZEN)

    def stop(self) -> None:
        """The server stops. See `Beating`."""
        self.end(Ending.DRAINED)

    def beat(self) -> None:
        """Break the silence. See `Beating`."""
        if self._beating is None and self._ending is None:
            self._beating = asyncio.get_running_loop().create_task(self._beat())

    def recheck(self) -> None:
        """Look whether whoever reads may go on. See `Beating`."""
        if self._checking is None and self._ending is None:
            self._checking = asyncio.get_running_loop().create_task(self._check())

    async def _deliver(self, feed: Feed, receive: Receive, send: Send) -> None:
        self._send = send
        hearing = asyncio.get_running_loop().call_later(HEARS_AFTER_S, self._listen, receive)
        self._shared.pulse.add(self)
        try:
            self._ending = await self._told(feed)
            await settled(self._beating, self._checking)
            await self._close(self._ending)
        finally:
            self._shared.pulse.remove(self)
            hearing.cancel()
            await settled(self._listening, self._beating, self._checking)
            self._shared.ended(self._ending or Ending.LEFT)
            if self._over is not None:
                self._over(self.at)

    def _listen(self, receive: Receive) -> None:
        """Hear the client go, from now on."""
        self._listening = asyncio.get_running_loop().create_task(gone(receive))
        self._listening.add_done_callback(lambda _: self.end(Ending.LEFT))

    async def _told(self, feed: Feed) -> Ending:
        """Tell, and say why that is over."""
        self._work = work = asyncio.current_task()
        try:
            await self._tell(feed)
        except asyncio.CancelledError:
            # `end` cancels this very task, which then goes on. Whoever else cancels it wants it gone.
            if self._ending is None or work is None or work.uncancel() > 0:
                raise
            return self._ending
        except OSError:
            return Ending.LEFT  # The server says in this way that the client has gone.
        except Exception as failure:  # noqa: BLE001 (the border of a stream: however the log fails, the stream is over)
            code = failure.code if isinstance(failure, TreadleError) else "internal"
            _log.error("%s: a stream of run %s broke off", code, self._reading.state.run_id, exc_info=failure)
            return Ending.FAILED
        finally:
            self._work = None
        return Ending.READ

    async def _tell(self, feed: Feed) -> None:
        """Send everything, in order, from the reader's place to its end."""
        send = self._send
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        if self._form.early:
            await self._write(self._form.early)
        reading, at, opening = self._reading, self._reading.place, self._form.opening
        if reading.was_ahead:
            await reading.more(at)
        while True:
            block = await feed.after(reading, at)
            if block is None:
                if await reading.is_over(at, closed=False):
                    break
            else:
                self.at = at = block.last
                # As `_write` does it, and never beside a comment; in line, since this is done for every delta.
                if self._beating is not None:
                    await asyncio.wait((self._beating,))
                if block.data:
                    self.is_sending = True
                    await send({"type": "http.response.body", "body": opening + block.data, "more_body": True})
                    self.is_sending = False
                    self.sent += 1
                    opening = b""
                if block.is_final or (block.closes and await reading.is_over(at, closed=True)):
                    break
                if block.is_full:
                    # Others get their turn, also where neither the log nor the server ever waits.
                    await asyncio.sleep(0)
                    continue
            await reading.more(at)
        reading.at_end = True

    async def _write(self, body: bytes) -> None:
        self.is_sending = True
        await self._send({"type": "http.response.body", "body": body, "more_body": True})
        self.is_sending = False
        self.sent += 1

    async def _beat(self) -> None:
        try:
            if not self.is_sending:
                await self._write(self._form.heartbeat)
        finally:
            self._beating = None

    async def _check(self) -> None:
        try:
            if not await self._still_allowed():
                self.end(Ending.REVOKED)
        except Exception:  # noqa: BLE001 (whoever may not be asked about is not let go on, however that failed)
            _log.exception("whether a reader of run %s may go on cannot be found out", self._reading.state.run_id)
            self.end(Ending.REVOKED)
        finally:
            self._checking = None

    async def _close(self, ending: Ending) -> None:
        """End the body, where that says nothing untrue and the client would take it."""
        says_so = ending is Ending.FAILED and self._form.broken is not None
        if (says_so or ending in _CLOSED_WELL) and not self.is_sending:
            try:
                async with asyncio.timeout(CLOSING_S):
                    if (code := BROKEN.get(ending)) is not None and self._form.broken is not None:
                        await self._write(self._form.broken(code))
                    await self._send({"type": "http.response.body", "body": b"", "more_body": False})
            except (TimeoutError, OSError):
                _log.debug("a stream of run %s could not be closed", self._reading.state.run_id)


async def gone(receive: Receive) -> None:
    """Come back when the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def settled(*tasks: asyncio.Task[None] | None) -> None:
    """Cancel tasks and wait for them."""
    running = [task for task in tasks if task is not None]
    for task in running:
        task.cancel()
    if running:
        await asyncio.wait(running)
    for task in running:
        if not task.cancelled():
            task.exception()  # Looked at, or the loop would complain of it.
