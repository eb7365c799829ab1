"""A run's log in memory, as runs of one kind.

Text, thinking and argument pieces stand as plain strings in lists, one list for each stretch of one kind, so a
piece costs one append and makes no object. Events with structure, and facts, have stretches of their own. There is
one writer; readers are cursors, woken only when they wait.

Source: ADR 0010 (one log shape for live runs).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

from treadle.values.model import ARGUMENTS, TEXT, THINKING
from treadle.values.records import Entry

EVENT: Final = "event"
FACT: Final = "fact"
SPEECH: Final = frozenset({TEXT, THINKING, ARGUMENTS})


class KindRun:
    """A stretch of entries of one kind.

    Shape: `items` are strings for speech, else events or facts. `key` is the passage of text and thinking, the call
    of argument pieces. `first` is the index of the first item, or, for facts, of the next event.
    Units: `at_s` is UTC seconds, when the stretch was begun.
    """

    __slots__ = ("at_s", "first", "items", "key", "kind")

    def __init__(self, kind: str, key: Any, first: int, at_s: float) -> None:
        self.kind = kind
        self.key = key
        self.first = first
        self.items: list[Any] = []
        self.at_s = at_s


class KindRuns:
    """The log of one live run.

    `next` is the index of the next event. `limit` is how far the writer may go before it has to stop and look:
    at a reader that bounds it, or, without one, at its own size.
    """

    __slots__ = ("_room", "bounded", "closed", "kind", "limit", "next", "now_s", "runs", "texts", "waiters")

    def __init__(self, now_s: Callable[[], float], *, bounded: bool, limit: int) -> None:
        self.runs: list[KindRun] = []
        self.next = 0
        self.kind: str | None = None
        self.texts: list[Any] = []
        self.limit = limit
        self.bounded = bounded
        self.closed = False
        self.now_s = now_s
        self.waiters: list[asyncio.Future[None]] = []
        self._room: asyncio.Future[None] | None = None

    def begin(self, kind: str, key: Any) -> None:
        """Begin a stretch of speech; the pieces go to `texts`."""
        run = KindRun(kind, key, self.next, self.now_s())
        self.runs.append(run)
        self.kind, self.texts = kind, run.items

    def add(self, kind: str, entry: Entry) -> None:
        """Append an event (kind `EVENT`), which takes the next index, or a fact."""
        if self.kind != kind:
            self.begin(kind, None)
        self.texts.append(entry)
        if kind is EVENT:
            self.next += 1
            self.wake()

    def close(self) -> None:
        """Nothing follows. Every reader is told."""
        self.closed = True
        self.wake()

    def wake(self) -> None:
        """Wake the readers that wait."""
        waiters, self.waiters = self.waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def more(self) -> None:
        """Wait for the next entry, or for the end."""
        waiter = asyncio.get_running_loop().create_future()
        self.waiters.append(waiter)
        await waiter

    async def room(self) -> None:
        """Wait until a reader lets the writer go on."""
        if self.next >= self.limit:
            self._room = asyncio.get_running_loop().create_future()
            try:
                await self._room
            finally:
                self._room = None

    def let(self, limit: int) -> None:
        """Let the writer go on up to this index."""
        self.limit = limit
        if self._room is not None and not self._room.done():
            self._room.set_result(None)

    def unbind(self) -> None:
        """No reader bounds the writer any more."""
        self.bounded = False
        self.let(self.next)

    def place(self) -> tuple[int, int]:
        """Where the log ends now."""
        return (len(self.runs) - 1, len(self.texts)) if self.runs else (0, 0)

    def size_since(self, place: tuple[int, int]) -> int:
        """UTF-8 bytes of speech after a place."""
        at, skip = place
        size = 0
        for run in self.runs[at:]:
            if run.kind in SPEECH:
                size += sum(len(text) if text.isascii() else len(text.encode()) for text in run.items[skip:])
            skip = 0
        return size
