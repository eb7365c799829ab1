"""Blocks of a fold: the same bytes for every reader, wherever it stands and whoever else reads."""

from __future__ import annotations

import random
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.logs import RUN
from tests.runtime.stores import virtually
from tests.server.test_feeds import Reading, written
from treadle.runtime.run_reading import RunReading
from treadle.server.feeds import BLOCK_BYTES, PAGE, Feeds
from treadle.server.folded_feed import FIRST, Fold, FoldedFeed, FoldedTelling, sse_framed
from treadle.testing.virtual_time import run_virtually
from treadle.values.events import CLOSING_TYPES
from treadle.values.exposure import TEXT_ONLY, UI, Exposure
from treadle.values.ids import CallId, RunId
from treadle.values.model import ARGUMENTS, THINKING
from treadle.values.stretches import EntryStretch, SpeechStretch, Stretch, events_of


class Counted:
    """A projection whose every payload depends on all that came before it."""

    def __init__(self, run_id: RunId, options: int) -> None:
        self._run_id = run_id
        self._options = options
        self._told = 0
        self.is_over = False

    def payloads(self, stretch: Stretch, /) -> list[str]:
        """One for each event: the options, how many there were, its index."""
        said = []
        for event in events_of(stretch, self._run_id):
            assert not self.is_over
            said.append(f"{self._options}:{self._told}:{event.index}")
            self._told += 1
            self.is_over = isinstance(event, CLOSING_TYPES)
        return said


def telling(options: int = 0, exposure: Exposure = UI) -> FoldedTelling:
    """As a wire has it."""
    return FoldedTelling(begin=Counted, options=options, exposure=exposure)


def whole(events: int, options: int = 0) -> bytes:
    """What every reader is to be sent."""
    return sse_framed([f"{options}:{index}:{index}" for index in range(events)]).encode()


async def read_on(feed: FoldedFeed, reading: RunReading, at: int = FIRST) -> tuple[bytes, int, bool]:
    """All blocks from a place, until nothing is there."""
    data, is_final = b"", False
    while not is_final and (block := await feed.after(reading, at)) is not None:
        data, at, is_final = data + block.data, block.last, block.is_final
    return data, at, is_final


def test_nothing_is_framed_to_nothing() -> None:
    """Ours: an empty block is no event."""
    assert sse_framed([]) == ""
    assert sse_framed(["a", "b"]) == "data: a\n\ndata: b\n\n"


@given(
    sizes=st.lists(st.integers(1, 3), min_size=1, max_size=8),
    readers=st.integers(1, 4),
    seed=st.integers(0, 999),
)
@pytest.mark.requirement("SERVE-fold")
def test_every_reader_is_sent_the_same_bytes(sizes: list[int], readers: int, seed: int) -> None:
    """Law 6: the same log gives the same bytes, however readers take turns and whatever of it is still kept."""

    async def main() -> None:
        texts = ["x" * (size * BLOCK_BYTES // 8) for size in sizes]
        reading = await Reading(await written(*texts)).begun()
        feeds, draw = Feeds(), random.Random(seed)
        feed = cast(FoldedFeed, feeds.of(reading.state, telling()))
        places, got, over = [FIRST] * readers, [b""] * readers, set[int]()
        for _ in range(readers):
            feed.__enter__()
        while len(over) < readers:
            one = draw.choice([number for number in range(readers) if number not in over])
            block = await feed.after(reading, places[one])
            assert block is not None
            got[one] += block.data
            places[one] = block.last
            if block.is_final:
                over.add(one)
        assert set(got) == {whole(3 + len(sizes))}
        for _ in range(readers):
            feed.__exit__()
        assert len(feeds) == 0

    run_virtually(main())


@virtually
async def test_a_reader_for_whom_no_fold_stands_is_led_there() -> None:
    """Ours: what was kept may be gone, and a passage at rest is one row."""
    pieces = 2 * PAGE + 7
    reading = await Reading(await written(*("x" for _ in range(pieces)))).begun()
    feed = FoldedFeed(telling(), unread=int)
    with feed:
        for at in (PAGE + 3, 5, 0, pieces):
            data, _, is_final = await read_on(feed, reading, at)
            assert whole(at + 1) + data == whole(pieces + 3)
            assert is_final


@virtually
async def test_a_passage_of_very_many_pieces_comes_in_several_blocks() -> None:
    """Promise 12: no block without bound."""
    reading = await Reading(await written(*("x" for _ in range(20 * PAGE)))).begun()
    with FoldedFeed(telling(), unread=int) as feed:
        at, data, sizes = FIRST, b"", list[int]()
        while (block := await feed.after(reading, at)) is not None and not block.is_final:
            at, data = block.last, data + block.data
            sizes.append(len(block.data))
        assert block is not None
        assert data + block.data == whole(20 * PAGE + 3)
        assert max(sizes) < 2 * BLOCK_BYTES
        assert len(sizes) > 3


@virtually
async def test_readers_with_other_options_share_nothing() -> None:
    """Ours: a reader's own goes around what is shared."""
    reading = await Reading(await written("x")).begun()
    feeds = Feeds()
    with feeds.of(reading.state, telling(1)) as one, feeds.of(reading.state, telling(2)) as other:
        assert one is not other
        assert (await read_on(cast(FoldedFeed, other), reading))[0] == whole(4, 2)
        assert feeds.of(reading.state, telling(1)) is one


def speech(kind: str, index: int, *texts: str) -> SpeechStretch:
    """Of a passage, or of a call."""
    key = CallId("c") if kind == ARGUMENTS else 1
    return SpeechStretch(seq=index, index=index, kind=kind, key=key, texts=texts, at_s=0.0)


def test_hidden_events_are_passed_though_nothing_is_said_of_them() -> None:
    """Ours: a fold knows how far the log is, also where it may not tell."""
    fold = Fold(Counted(RUN, 0), TEXT_ONLY)
    assert fold.payloads(speech(THINKING, 0, "h", "m")) == []
    assert fold.at == 1
    assert fold.payloads(speech("text", 2, "ok")) == ["0:0:2"]
    assert fold.payloads(speech("text", 1, "?", "ok")) == []
    assert fold.payloads(EntryStretch(seq=9, index=3, entries=(), at_s=0.0)) == []
    assert fold.at == 2
