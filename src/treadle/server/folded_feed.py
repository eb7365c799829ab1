"""The frames of a run in a protocol's words: a fold from its first event, shared by all who read it alike.

In: stretches of the log. Out: blocks of bytes. A fold stands behind the event that it was given last; whoever asks for
what lies there goes on with it, and what it says is kept for the others who stand there. A reader for whom no fold
stands where it is has one begun and led there: the same log gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from treadle.runtime.run_reading import RunReading
from treadle.server.feeds import BLOCK_BYTES, PAGE, Block, Feed
from treadle.values.exposure import Exposure, exposed_stretches
from treadle.values.ids import RunId
from treadle.values.stretches import EntryStretch, Stretch, events_of


class Projection(Protocol):
    """A run in a protocol's words, as far as it was given."""

    @property
    def is_over(self) -> bool:
        """Whether its response has ended: nothing of it comes any more."""
        ...

    def payloads(self, stretch: Stretch, /) -> list[str]:
        """What the next stretch of the log says, frame by frame, unframed."""
        ...


def sse_framed(payloads: Sequence[str]) -> str:
    """Each payload as an event of an event stream, without a name and without an id."""
    return "data: " + "\n\ndata: ".join(payloads) + "\n\n" if payloads else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedTelling:
    """A run in a protocol's words.

    Shape: `begin` makes the projection of a run from `options`, which compare equal for readers that are told the same.
    """

    begin: Callable[[RunId, Any], Projection]
    options: Hashable
    exposure: Exposure
    framed: Callable[[Sequence[str]], str] = sse_framed

    def feed(self, unread: Callable[[], object]) -> FoldedFeed:
        """What makes the blocks of one run."""
        return FoldedFeed(self, unread=unread)

    def fold(self, run_id: RunId) -> Fold:
        """The run before its first event."""
        return Fold(self.begin(run_id, self.options), self.exposure)


FIRST: Final = -1
"""Where a reader stands before the first event."""


class Fold:
    """A projection behind its exposure, and the event that it was given last.

    Shape: `at` is that event's index.
    """

    __slots__ = ("_exposure", "_projection", "at")

    def __init__(self, projection: Projection, exposure: Exposure) -> None:
        self._projection = projection
        self._exposure = exposure
        self.at = FIRST

    @property
    def is_over(self) -> bool:
        """Whether nothing of the response comes any more."""
        return self._projection.is_over

    def payloads(self, stretch: Stretch) -> list[str]:
        """What the part of a stretch says that was not given yet, up to the end of the response."""
        behind = _behind(stretch, self.at)
        if behind is None:
            return []
        self.at = behind.index + behind.events - 1
        said: list[str] = []
        for shown in exposed_stretches(behind, self._exposure):
            if self._projection.is_over:
                break
            said += self._projection.payloads(shown)
        return said


class FoldedFeed(Feed):
    """The blocks of one run in a protocol's words."""

    __slots__ = ("_folds", "_telling")

    def __init__(self, telling: FoldedTelling, *, unread: Callable[[], object]) -> None:
        super().__init__(unread=unread)
        self._telling = telling
        self._folds: dict[int, Fold] = {}

    async def after(self, reading: RunReading, at: int) -> Block | None:
        """The block behind an event; empty where its events say nothing, None where nothing is there now."""
        while (kept := self._kept.get(at)) is None:
            stretches = await reading.after(at, limit=PAGE)
            if at in self._kept:
                continue  # Somebody else who stood here was quicker.
            fold = self._folds.pop(at, None) or (self._telling.fold(reading.state.run_id) if at == FIRST else None)
            if fold is None:
                await self._lead(reading, at)
                continue
            block = self._block(fold, stretches)
            self._folds[fold.at] = fold
            while len(self._folds) > max(1, self.readers):
                del self._folds[min(self._folds)]
            if block is not None and self.readers > 1:
                self._keep(at, block)
            return block
        return kept

    def _block(self, fold: Fold, stretches: Sequence[Stretch]) -> Block | None:
        before, frames, size = fold.at, list[str](), 0
        is_full = False
        for stretch in stretches:
            while not (fold.is_over or is_full) and stretch.index + stretch.events - 1 > fold.at:
                made = self._telling.framed(fold.payloads(stretch))
                frames.append(made)
                size += len(made)
                is_full = size >= BLOCK_BYTES
            if fold.is_over or is_full:
                break
        if fold.at == before and not fold.is_over:
            return None
        return Block(data="".join(frames).encode(), last=fold.at, closes=False, is_final=fold.is_over, is_full=is_full)

    async def _lead(self, reading: RunReading, at: int) -> None:
        """Have a fold stand where a reader does, for whom none is there any more."""
        fold = self._telling.fold(reading.state.run_id)
        while fold.at < at:
            for stretch in await reading.after(fold.at, limit=PAGE):
                while fold.at < min(at, stretch.index + stretch.events - 1):
                    fold.payloads(until(stretch, at))
        self._folds[at] = fold


def _behind(stretch: Stretch, at: int) -> Stretch | None:
    """The part of a stretch behind an event, of speech no more than a block may hold; None where there is none."""
    last = stretch.index + stretch.events - 1
    if last <= at:
        return None
    if isinstance(stretch, EntryStretch):
        if stretch.index > at:
            return stretch
        told = tuple(events_of(stretch, RunId(""), after=at))
        return replace(stretch, index=at + 1, entries=told)
    skip = max(0, at + 1 - stretch.index)
    if not skip and len(stretch.texts) <= PAGE:
        return stretch
    return replace(stretch, seq=stretch.seq + skip, index=stretch.index + skip, texts=stretch.texts[skip : skip + PAGE])


def until(stretch: Stretch, at: int) -> Stretch:
    """The part of a stretch up to an event."""
    if stretch.index + stretch.events - 1 <= at:
        return stretch
    if isinstance(stretch, EntryStretch):
        told = tuple(event for event in events_of(stretch, RunId("")) if event.index <= at)
        return replace(stretch, entries=told)
    return replace(stretch, texts=stretch.texts[: at + 1 - stretch.index])
