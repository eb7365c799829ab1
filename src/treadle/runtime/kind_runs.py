"""A run's log in memory, as runs of one kind.

Text, thinking and argument pieces stand as plain strings in lists, one list for each stretch of one kind, so a
piece costs one append and makes no object. Entries with structure (events and facts) have stretches of their own.
There is one writer; readers are cursors, woken only when they wait.

Source: ADR 0010 (one log shape for live runs).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from treadle.values.events import SEALS, KernelEvent
from treadle.values.facts import Fact
from treadle.values.ids import RunId
from treadle.values.model import ARGUMENTS, TEXT, THINKING

ENTRIES: Final = "entries"
SPEECH: Final = frozenset({TEXT, THINKING, ARGUMENTS})
LOOK: Final = 64
"""Pieces after which a writer whose bytes are bounded looks at them, at the latest."""
UNKNOWN_BYTES: Final = 1 << 30
"""The size of a piece while there was none: the first one is looked at."""


@dataclass(slots=True, kw_only=True, eq=False)
class KindRun:
    """A stretch of one kind.

    Shape: `items` are strings for speech, else events and facts. `key` is the passage of text and thinking, the call
    of argument pieces. `first` is the index of the first event of the stretch.
    Units: `at_s` is UTC seconds, when the stretch was begun.
    """

    kind: str
    key: Any
    first: int
    items: list[Any]
    at_s: float


_new = object.__new__


class KindRuns:
    """The log of one live run.

    `limit` is how far the writer may go before it has to stop and look: at a reader or a store that bounds it, or,
    without one, at its own size.
    """

    __slots__ = (
        "_apart",
        "_aside",
        "_base",
        "_bound_bytes",
        "_end",
        "_entries",
        "_heard",
        "_new_future",
        "_others",
        "_piece_bytes",
        "_room",
        "_since",
        "_size_bytes",
        "_texts",
        "bounded",
        "closed",
        "is_awaited",
        "is_waited",
        "limit",
        "now_s",
        "runs",
        "waiters",
    )

    def __init__(self, now_s: Callable[[], float], *, bounded: bool, limit: int, first: int = 0) -> None:
        """Begin a log, or go on with one whose next event has the index `first`."""
        self.runs: list[KindRun] = []
        """The stretches, of which there is always one."""
        self.limit = limit
        self.bounded = bounded
        self.closed = False
        self.now_s = now_s
        self.waiters: list[asyncio.Future[None]] = []
        self.is_waited = False
        """Whether there are waiters: who asks for each piece asks here, where it costs half."""
        self.is_awaited = False
        """A reader that has all there is looks again with the next turn of the event loop."""
        self._new_future: Callable[[], asyncio.Future[None]] | None = None
        self._heard = 0
        """How many pieces of the last stretch are in the size of all speech, and in what `unheard` gives or gave."""
        self._aside: list[str] | None = None
        """What `unheard` is to give of them; None where nobody asks."""
        self._size_bytes = 0
        self._piece_bytes = UNKNOWN_BYTES
        """The size of a piece, as those that were looked at last had it."""
        self._end = limit
        self._bound_bytes: int | None = None
        self._since = (0, 0)
        """Where the writer has to stop, be it that it looks before: at an index, or at so many bytes from a place."""
        self._apart: int | None = None
        """How many pieces of the last stretch stay apart; those after them are to become one. None: all stay apart."""
        self._base = first
        self._texts: list[Any] = []
        """The pieces of the last stretch, if it is of speech: they count towards `next` by being there."""
        self._entries: list[Any] | None = self.begin(ENTRIES, None)
        """The items of the last stretch, if it is of entries."""
        self._room: asyncio.Future[None] | None = None
        self._others: list[asyncio.Future[None]] = []
        """What others wait for at the same time: of several calls that tell how far they are, each waits for room."""

    @property
    def next(self) -> int:
        """The index of the next event."""
        count, apart = len(self._texts), self._apart
        return self._base + (count if apart is None or count <= apart else apart + 1)

    @property
    def left(self) -> int:
        """How many pieces the writer may go on for. Pieces that are to become one count each."""
        return self.limit - self._base - len(self._texts)

    @property
    def is_full(self) -> bool:
        """Whether the writer has to wait, or any that writes beside it."""
        return (self._room is not None and not self._room.done()) or not all(one.done() for one in self._others)

    @property
    def last(self) -> Any:  # noqa: ANN401 (a piece, an event or a fact)
        """The last item; None in an empty log."""
        items = self.runs[-1].items
        return items[-1] if items else None

    def begin(self, kind: str, key: Any, *, is_asked: bool = False) -> list[Any]:  # noqa: ANN401 (by kind: a number, an id)
        """Begin a stretch and give the list that its items are appended to, until another stretch is begun.

        `is_asked`: somebody asks by `unheard` what was said in it, before another one is begun.
        """
        if texts := self._texts:
            if self._apart is not None:
                self._join()
            count = len(texts)
            if count > self._heard:
                self._measure()
            self._base += count
            self._heard = 0
        base = self._base
        items: list[Any] = []
        # Written out for its price: every round begins four of them.
        made = _new(KindRun)
        made.kind = kind
        made.key = key
        made.first = base
        made.items = items
        made.at_s = self.now_s()
        self.runs.append(made)
        if kind is ENTRIES:
            self._entries, self._texts = items, []
        else:
            self._entries, self._texts = None, items
            self._aside = [] if is_asked else None
        return items

    def coalesce(self) -> None:
        """From now on further pieces of a stretch grow into one, until `settle`."""
        self._apart = len(self._texts)

    def settle(self) -> None:
        """What came since `coalesce` becomes one piece a stretch; what comes now stays apart again."""
        self._join()
        self._apart = None

    def _join(self) -> None:
        apart = self._apart
        texts = self._texts
        if apart is not None and len(texts) > apart + 1:
            self._measure()
            if self._bound_bytes is not None:
                self.limit -= len(texts) - apart - 1  # The next look is as many pieces away as it was.
            texts[apart:] = ["".join(texts[apart:])]
            self._heard = len(texts)
        self._apart = None if apart is None else 0

    def add(self, event: type[KernelEvent], run_id: RunId, fields: Mapping[str, Any]) -> None:
        """Make an event of these fields with the next index, and append it."""
        entries = self._entries
        if entries is None:
            entries = self.begin(ENTRIES, None)
        entries.append(SEALS[event](self._base, run_id, fields))
        self._base += 1
        if self.is_waited:
            self.wake()

    def keep(self, fact: Fact) -> None:
        """Append a fact."""
        entries = self._entries
        (self.begin(ENTRIES, None) if entries is None else entries).append(fact)

    def close(self) -> None:
        """Nothing follows. Every reader is told."""
        self.closed = True
        self.wake()

    def wake(self) -> None:
        """Wake the readers that wait."""
        self.is_waited = False
        while self.waiters:
            waiter = self.waiters.pop()
            if not waiter.done():
                waiter.set_result(None)

    def more(self) -> asyncio.Future[None]:
        """What is done with the next entry, or with the end."""
        waiter = self._new_future() if self._new_future is not None else self._first_future()
        waiters = self.waiters
        # Of one who waits again and again for a bounded time, one future is kept and not all that were given up.
        while waiters and waiters[-1].done():
            waiters.pop()
        waiters.append(waiter)
        self.is_waited = True
        return waiter

    def room(self) -> asyncio.Future[None] | None:
        """What is done when the writer is let go on; None: it may."""
        if self.limit > self._base + len(self._texts) or (self._bound_bytes is not None and self._looks_again()):
            return None
        if self._room is not None and not self._room.done():
            self._others.append(self._room)
        self._room = room = self._new_future() if self._new_future is not None else self._first_future()
        if self.is_waited:
            self.wake()
        return room

    def _first_future(self) -> asyncio.Future[None]:
        # Kept, because to look for the running loop costs as much as what it makes.
        self._new_future = asyncio.get_running_loop().create_future
        return self._new_future()

    def let(self, limit: int, *, size_bytes: int | None = None) -> asyncio.Future[None] | None:
        """Let the writer go on up to this index, and, where it is given, for so many more bytes of speech.

        Gives what the writer waited for, where it did.
        """
        self.limit = self._end = limit
        self._bound_bytes = size_bytes
        if size_bytes is not None:
            self._since = self.place()
            self._look_in(size_bytes)
        while self._others:
            if not (other := self._others.pop()).done():
                other.set_result(None)
        room, self._room = self._room, None
        if room is None or room.done():
            return None
        room.set_result(None)
        return room

    def _looks_again(self) -> bool:
        """Where bytes are bounded and there is room: put the next look off."""
        if self._bound_bytes is None or self._end <= self._base + len(self._texts):
            return False
        pieces, size_bytes = self._speech_from(*self._since)
        if size_bytes >= self._bound_bytes:
            return False
        if pieces:
            self._piece_bytes = max(1, size_bytes // pieces)
        self._look_in(self._bound_bytes - size_bytes)
        return True

    def _look_in(self, size_bytes: int) -> None:
        """Look at the bytes again when about so many were written: the sooner, the larger the pieces are."""
        step = max(1, min(LOOK, size_bytes // self._piece_bytes))
        self.limit = min(self._end, self._base + len(self._texts) + step)

    def _speech_from(self, at: int, skip: int) -> tuple[int, int]:
        """How many pieces of speech there are from a place on, and their UTF-8 bytes."""
        pieces = size_bytes = 0
        for run in self.runs[at:]:
            if run.kind is not ENTRIES:
                texts = run.items[skip:] if skip else run.items
                size_bytes += _size_bytes("".join(texts))
                pieces += len(texts)
            skip = 0
        return pieces, size_bytes

    def unbind(self) -> None:
        """No reader bounds the writer any more."""
        self.bounded = False
        self.let(self.next)

    def place(self) -> tuple[int, int]:
        """Where the log ends now."""
        return len(self.runs) - 1, len(self.runs[-1].items)

    def unheard(self) -> str:
        """What was said since this was asked last, as one text, in the last stretch: one that is asked about."""
        self._measure()
        if not (apart := self._aside):
            return ""
        self._aside = []
        return "".join(apart)

    def hear(self, piece: str) -> None:
        """The last piece was just appended, and needs not be given by `unheard`, which gave all before it."""
        self._heard += 1
        self._size_bytes += _size_bytes(piece)

    def measured(self) -> int:
        """UTF-8 bytes of all speech by now; each piece is looked at once."""
        self._measure()
        return self._size_bytes

    def _measure(self) -> None:
        texts, heard = self._texts, self._heard
        if len(texts) > heard:
            said = "".join(texts[heard:] if heard else texts)
            self._size_bytes += _size_bytes(said)
            if self._aside is not None:
                self._aside.append(said)
            self._heard = len(texts)


def _size_bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
