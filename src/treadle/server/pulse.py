"""One timer for all streams of a process: it finds the silent, the frozen and those whose leave may be over.

In: streams. Out: calls to them. A stream counts what it has sent, and nothing else is done for it while it speaks; the
timer compares counts. It runs while there are streams.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final, Protocol

TICK_S: Final = 0.25
HEARTBEAT_S: Final = 3.0
"""Seconds of silence after which a stream says that it is there."""
FROZEN_S: Final = 30.0
"""Seconds that one send may take. Then whoever should read has stopped reading."""
ENDING_S: Final = 3.0
"""Seconds that streams have for their ends when all of them are ended."""
RECHECK_S: Final = 30.0
"""Seconds between two looks whether a stream is still allowed."""


DRAIN_S: Final = 30.0


class Beating(Protocol):
    """A stream as the pulse knows it."""

    sent: int
    """How many sends have come to their end."""
    is_sending: bool
    """Whether one is under way."""

    def beat(self) -> None:
        """Say that it is there: nothing was sent for a while."""
        ...

    def freeze(self) -> None:
        """End it: a send does not end."""
        ...

    def recheck(self) -> None:
        """Look whether it is still allowed."""
        ...

    def stop(self) -> None:
        """End it: the server stops."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """How long what takes with a server.

    Units: seconds. `drain_s` is what live runs have to end when it stops; the others are said at their defaults.
    """

    heartbeat_s: float = HEARTBEAT_S
    frozen_s: float = FROZEN_S
    recheck_s: float = RECHECK_S
    drain_s: float = DRAIN_S


class _Seen:
    """What the pulse saw of a stream: its count of sends, the ticks since that changed, and since the last look."""

    __slots__ = ("age", "quiet", "sent")

    def __init__(self, sent: int) -> None:
        self.sent = sent
        self.quiet = 0
        self.age = 0


class Pulse:
    """The timer. `add` a stream and `remove` it."""

    def __init__(self, rhythm: Rhythm) -> None:
        self._heartbeat = _ticks(rhythm.heartbeat_s)
        self._frozen = _ticks(rhythm.frozen_s)
        self._recheck = _ticks(rhythm.recheck_s)
        self._streams: dict[Beating, _Seen] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._empty: asyncio.Future[None] | None = None
        self._is_ending = False

    def __len__(self) -> int:
        return len(self._streams)

    def add(self, stream: Beating) -> None:
        """Look after a stream from now on."""
        self._streams[stream] = _Seen(stream.sent)
        if self._timer is None:
            self._wait()

    def remove(self, stream: Beating) -> None:
        """A stream is over."""
        self._streams.pop(stream, None)
        if not self._streams and self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._streams and self._empty is not None and not self._empty.done():
            self._empty.set_result(None)

    def begin(self) -> None:
        """Streams may stay from now on."""
        self._is_ending = False

    async def end_all(self) -> None:
        """End every stream, and wait until they are over. A stream that does not end in its time is left.

        One that begins later is ended with the next tick, until `begin`: it is told what is there and does not wait.
        """
        self._is_ending = True
        for stream in list(self._streams):
            stream.stop()
        if self._streams:
            self._empty = asyncio.get_running_loop().create_future()
            await asyncio.wait((self._empty,), timeout=ENDING_S)

    def _wait(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(TICK_S, self._tick)

    def _tick(self) -> None:
        for stream, seen in list(self._streams.items()):
            self._look(stream, seen)
        self._wait()

    def _look(self, stream: Beating, seen: _Seen) -> None:
        if self._is_ending:
            stream.stop()
            return
        seen.age += 1
        if stream.sent != seen.sent:
            seen.sent, seen.quiet = stream.sent, 0
        else:
            seen.quiet += 1
            if stream.is_sending and seen.quiet >= self._frozen:
                stream.freeze()
            elif not stream.is_sending and seen.quiet >= self._heartbeat:
                seen.quiet = 0
                stream.beat()
        if seen.age >= self._recheck:
            seen.age = 0
            stream.recheck()


def _ticks(seconds: float) -> int:
    return max(1, round(seconds / TICK_S))
