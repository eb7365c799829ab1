"""The frames of a run's events, made once for all who read it in the same form.

In: stretches of the log. Out: blocks of bytes, each the frames of events that follow one another. A reader asks for the
block behind its place; it is the same for every reader who stands there. Where several read a run, blocks are kept for
the others, up to a bound; a log does not change, so a kept block never gets stale.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from json.encoder import encode_basestring_ascii
from typing import Final, NamedTuple, Protocol, Self

from treadle.projections.plain.project import payloads, spoken
from treadle.projections.plain.wire import Integers, speech_template
from treadle.runtime.run_reading import RunReading
from treadle.values.events import CLOSING_TYPES, FINAL_TYPES
from treadle.values.facts import FACT_TYPES
from treadle.values.ids import RunId
from treadle.values.records import Entry
from treadle.values.runs import RunState
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch

BLOCK_BYTES: Final = 64 * 1024
"""Characters after which a block ends, so that one send is bounded. One event alone may be larger."""
KEPT_BYTES: Final = 256 * 1024
"""Bytes of blocks that are kept of one run in one form."""
PAGE: Final = 512
"""Records that are asked of a log at once."""
_FACTS: Final = frozenset(FACT_TYPES)


class Framing(Protocol):
    """How events become frames."""

    def __call__(self, stretch: Stretch, run_id: RunId, /, *, after: int, integers: Integers) -> list[str]:
        """The frames of a stretch's events behind an index."""
        ...


class Block(NamedTuple):
    """Frames of events that follow one another. A tuple: one is made for every send.

    Shape: `last` is the index of its last event; `closes`: that event closes a segment; `is_final`: and the run.
        `is_full`: it was ended by a bound, so there may be more.
    """

    data: bytes
    last: int
    closes: bool
    is_final: bool
    is_full: bool


def sse_frames(stretch: Stretch, run_id: RunId, /, *, after: int, integers: Integers) -> list[str]:
    """Each event as an event of an event stream, its cursor as the id."""
    epoch = stretch.epoch
    if isinstance(stretch, SpeechStretch):
        made = speech_template(stretch.kind, run_id, stretch.key)
        begins, goes_on, ends = f"id: {epoch}:", f"\nevent: {made.kind}\ndata: {made.before}", made.between
        return [
            f"{begins}{index}{goes_on}{index}{ends}{encode_basestring_ascii(text)}}}\n\n"
            for index, text in spoken(stretch, after)
        ]
    told = payloads(stretch, run_id, after=after, integers=integers)
    return [f"id: {epoch}:{index}\nevent: {kind}\ndata: {data}\n\n" for index, kind, data in told]


def ndjson_frames(stretch: Stretch, run_id: RunId, /, *, after: int, integers: Integers) -> list[str]:
    """Each event as a line, with its cursor as the last field."""
    epoch = stretch.epoch
    told = payloads(stretch, run_id, after=after, integers=integers)
    return [f'{data[:-1]},"cursor":"{epoch}:{index}"}}\n' for index, _, data in told]


def _nobody() -> None:
    return None


class Feed(ABC):
    """The blocks of one run in one form. It is there for as long as readers are in its block."""

    __slots__ = ("_kept", "_unread", "kept_bytes", "readers")

    def __init__(self, *, unread: Callable[[], object] = _nobody) -> None:
        """`unread` is called when its last reader has gone."""
        self.readers = 0
        self._unread = unread
        self._kept: dict[int, Block] = {}
        self.kept_bytes = 0

    def __enter__(self) -> Self:
        self.readers += 1
        return self

    def __exit__(self, *_: object) -> None:
        self.readers -= 1
        if not self.readers:
            self._unread()

    @abstractmethod
    async def after(self, reading: RunReading, at: int) -> Block | None:
        """The block behind an event; None where nothing is there now."""

    def _keep(self, at: int, block: Block) -> None:
        if at not in self._kept:
            self._kept[at] = block
            self.kept_bytes += len(block.data)
        while self.kept_bytes > KEPT_BYTES:
            self.kept_bytes -= len(self._kept.pop(next(iter(self._kept))).data)


class Telling(Protocol):
    """A form in which a run is told. Readers whose tellings are equal share blocks."""

    def __hash__(self) -> int: ...

    def feed(self, unread: Callable[[], object]) -> Feed:
        """What makes the blocks of one run."""
        ...


class PlainTelling(NamedTuple):
    """Kernel events in their own words. Nothing has to be folded, so a reader begins where it stands."""

    framing: Framing
    integers: Integers

    def feed(self, unread: Callable[[], object]) -> Feed:
        """What makes the blocks of one run."""
        return PlainFeed(self.framing, self.integers, unread=unread)


class PlainFeed(Feed):
    """The blocks of one run in one plain form."""

    __slots__ = ("_framing", "_integers", "_page")

    def __init__(self, framing: Framing, integers: Integers, *, unread: Callable[[], object] = _nobody) -> None:
        super().__init__(unread=unread)
        self._framing = framing
        self._integers = integers
        self._page = PAGE

    async def after(self, reading: RunReading, at: int) -> Block | None:
        if self._kept and (kept := self._kept.get(at)) is not None:
            return kept
        stretches = await reading.after(at, limit=self._page)
        run_id = reading.state.run_id
        if len(stretches) == 1 and type(only := stretches[0]) is SpeechStretch and len(only.texts) < PAGE:
            # What a reader that keeps up finds: a piece or a few of one passage.
            data = "".join(self._framing(only, run_id, after=at, integers=self._integers)).encode()
            last = only.index + len(only.texts) - 1
            block = Block(data, last, closes=False, is_final=False, is_full=False) if data else None
        else:
            block = self._block(stretches, run_id, at)
        if block is not None and self.readers > 1:
            self._keep(at, block)
        return block

    def _block(self, stretches: Sequence[Stretch], run_id: RunId, at: int) -> Block | None:
        frames: list[str] = []
        size, records, last = 0, 0, at
        closing: Entry | None = None
        is_full = False
        for whole in stretches:
            stretch = _cut(whole, last)
            made = self._framing(stretch, run_id, after=last, integers=self._integers)
            records += stretch.records
            if made:
                frames += made
                size += sum(map(len, made))
                last = stretch.index + stretch.events - 1
                closing = _last_event(stretch)
            is_full = size >= BLOCK_BYTES or stretch is not whole
            if is_full:
                break
        # A page of which little fits into a block is not read whole again and again.
        self._page = max(1, 2 * records) if is_full else PAGE
        if not frames:
            return None
        return Block(
            data="".join(frames).encode(),
            last=last,
            closes=isinstance(closing, CLOSING_TYPES),
            is_final=isinstance(closing, FINAL_TYPES),
            is_full=is_full,
        )


def _cut(stretch: Stretch, after: int) -> Stretch:
    """A stretch, or so much of it behind an event as a block may hold."""
    if isinstance(stretch, EntryStretch) or stretch.index + stretch.events - 1 - after <= PAGE:
        return stretch
    skip = max(0, after + 1 - stretch.index)
    return replace(stretch, seq=stretch.seq + skip, index=stretch.index + skip, texts=stretch.texts[skip : skip + PAGE])


def _last_event(stretch: Stretch) -> Entry | None:
    """The last event of a stretch of entries. Speech closes nothing."""
    if isinstance(stretch, EntryStretch):
        for entry in reversed(stretch.entries):
            if type(entry) not in _FACTS:
                return entry
    return None


class Feeds:
    """The feeds of all runs that somebody reads now."""

    def __init__(self) -> None:
        self._feeds: dict[tuple[str, RunId, Telling], Feed] = {}

    def __len__(self) -> int:
        return len(self._feeds)

    def of(self, run: RunState, telling: Telling) -> Feed:
        """The feed of a run, told in this way."""
        key = (run.scope, run.run_id, telling)
        feed = self._feeds.get(key)
        if feed is None:
            feed = self._feeds[key] = telling.feed(lambda: self._feeds.pop(key, None))
        return feed
