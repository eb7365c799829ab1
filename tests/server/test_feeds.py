"""Blocks of frames, made once for all who read a run in the same form."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.logs import RUN, SCOPE, Hand
from tests.runtime.stores import virtually
from treadle.framing.sse import SseParser
from treadle.projections.plain.wire import Integers
from treadle.runtime.run_reading import RunReading
from treadle.server.feeds import (
    BLOCK_BYTES,
    KEPT_BYTES,
    PAGE,
    Block,
    Feed,
    Feeds,
    PlainFeed,
    PlainTelling,
    ndjson_frames,
    sse_frames,
)
from treadle.testing.virtual_time import run_virtually
from treadle.values import events as ev
from treadle.values.ids import CallId
from treadle.values.runs import RunState, RunStatus
from treadle.values.stretches import Stretch


class Reading:
    """A reader over a log written by hand, that counts what it asks."""

    state: RunState

    def __init__(self, hand: Hand) -> None:
        self._hand = hand
        self.asked: list[int] = []
        self.limits: list[int] = []

    async def begun(self) -> RunReading:
        """As the feed knows it."""
        self.state = await self._hand.store.state(SCOPE, RUN)
        return cast(RunReading, self)

    async def after(self, at: int, *, limit: int) -> Sequence[Stretch]:
        """What is stored."""
        self.asked.append(at)
        self.limits.append(limit)
        return await self._hand.store.read(SCOPE, RUN, at, limit=limit)


async def written(*texts: str, passages: int = 1) -> Hand:
    """A run that has said this, in so many passages, and is done."""
    hand = Hand()
    await hand.create()
    await hand.own()
    await hand.write(*hand.begun())
    for passage in range(1, passages + 1):
        await hand.write(hand.said(*texts, passage=passage))
    await hand.write(hand.done("".join(texts) * passages), status=RunStatus.DONE)
    return hand


async def drained(feed: Feed, reading: RunReading, at: int = -1) -> list[Block]:
    """Every block from a place."""
    blocks: list[Block] = []
    while (block := await feed.after(reading, at)) is not None:
        blocks.append(block)
        at = block.last
    return blocks


def ids(blocks: Sequence[Block]) -> list[int]:
    """The indexes of the events in blocks of an event stream."""
    found = SseParser().feed(b"".join(block.data for block in blocks))
    return [int(event.event_id.partition(":")[2]) for event in found]


@virtually
async def test_a_block_holds_all_that_is_there_and_says_how_it_ends() -> None:
    """Issue: several events a send."""
    reading = await Reading(await written("It ", "is")).begun()
    (block,) = await drained(PlainFeed(sse_frames, Integers.EXACT), reading)
    assert ids([block]) == [0, 1, 2, 3, 4]
    assert (block.last, block.closes, block.is_final, block.is_full) == (4, True, True, False)


@given(st.lists(st.integers(1, 300), min_size=1, max_size=5), st.integers(1, 3), st.integers(0, 20))
def test_blocks_from_any_place_are_dense_and_bounded(sizes: list[int], passages: int, place: int) -> None:
    """Promise 4, promise 12: no event missing or twice over the borders of blocks, and no block without bound."""

    async def main() -> None:
        reading = await Reading(await written(*("x" * (size * 40) for size in sizes), passages=passages)).begun()
        last = 2 + len(sizes) * passages
        blocks = await drained(PlainFeed(sse_frames, Integers.EXACT), reading, min(place, last) - 1)
        assert ids(blocks) == list(range(min(place, last), last + 1))
        # One stretch more, and the whole text in the closing event.
        assert all(len(block.data) < BLOCK_BYTES + (passages + 1) * 40 * sum(sizes) + 4000 for block in blocks)
        assert [block.is_final for block in blocks] == [False] * (len(blocks) - 1) + [True]

    run_virtually(main())


@virtually
async def test_a_passage_of_very_many_pieces_comes_in_several_blocks() -> None:
    """Ours: a row of a store at rest holds a whole passage."""
    reading = await Reading(await written(*("x" for _ in range(3 * PAGE)))).begun()
    blocks = await drained(PlainFeed(sse_frames, Integers.EXACT), reading)
    assert ids(blocks) == list(range(3 + 3 * PAGE))
    assert max(len(block.data) for block in blocks) < 2 * BLOCK_BYTES
    assert len(blocks) >= 3


@virtually
async def test_large_events_are_not_read_whole_again_for_each_block() -> None:
    """Ours: a page of which little fits is asked for smaller the next time."""
    hand = Hand()
    await hand.create()
    await hand.own()
    await hand.write(*hand.begun())
    for number in range(40):
        progress = hand.event(ev.ToolProgress, call_id=CallId("c"), sequence=number, payload="x" * BLOCK_BYTES)
        await hand.write(hand.entries(progress))
    reader = Reading(hand)
    blocks = await drained(PlainFeed(sse_frames, Integers.EXACT), await reader.begun())
    assert ids(blocks) == list(range(42))
    assert sum(limit for limit in reader.limits[1:-1]) < 400


@virtually
async def test_readers_of_one_run_share_its_frames() -> None:
    """Issue: shared frames per run and projection."""
    hand = await written("It ", "is")
    first, second = Reading(hand), Reading(hand)
    feeds = Feeds()
    state = (await first.begun()).state
    await second.begun()
    with (
        feeds.of(state, PlainTelling(sse_frames, Integers.EXACT)) as one,
        feeds.of(state, PlainTelling(sse_frames, Integers.EXACT)) as other,
    ):
        assert one is other
        made = await drained(one, cast(RunReading, first))
        again = await drained(other, cast(RunReading, second))
    assert [block.data for block in made] == [block.data for block in again]
    assert all(block is twin for block, twin in zip(made, again, strict=True))
    assert (first.asked, second.asked) == ([-1, 4], [4])
    assert len(feeds) == 0


@virtually
async def test_another_form_another_run_and_another_scope_share_nothing() -> None:
    """Ours: frames are one form's and one run's."""
    state = (await Reading(await written("x")).begun()).state
    feeds = Feeds()
    with (
        feeds.of(state, PlainTelling(sse_frames, Integers.EXACT)) as one,
        feeds.of(state, PlainTelling(sse_frames, Integers.TEXT)) as text,
        feeds.of(state, PlainTelling(ndjson_frames, Integers.EXACT)) as lines,
    ):
        assert len({id(one), id(text), id(lines)}) == len(feeds) == 3


@virtually
async def test_what_is_kept_for_others_is_bounded() -> None:
    """Promise 12: bounded memory."""
    reading = await Reading(await written(*("x" * 2000 for _ in range(600)))).begun()
    feed = PlainFeed(sse_frames, Integers.EXACT)
    feed.readers = 2
    blocks = await drained(feed, reading)
    assert sum(len(block.data) for block in blocks) > 2 * KEPT_BYTES
    assert feed.kept_bytes <= KEPT_BYTES


@virtually
async def test_a_lone_reader_keeps_nothing() -> None:
    """Ours: there is nobody to keep it for."""
    reading = await Reading(await written("x")).begun()
    feed = PlainFeed(sse_frames, Integers.EXACT)
    feed.readers = 1
    await drained(feed, reading)
    assert feed.kept_bytes == 0


@virtually
async def test_lines_carry_their_cursor() -> None:
    """Issue: NDJSON, resumable as an event stream is."""
    reading = await Reading(await written("It ", "is")).begun()
    blocks = await drained(PlainFeed(ndjson_frames, Integers.EXACT), reading)
    told = [json.loads(line) for block in blocks for line in block.data.splitlines()]
    assert [event["cursor"] for event in told] == ["1:0", "1:1", "1:2", "1:3", "1:4"]
    assert [event["index"] for event in told] == [0, 1, 2, 3, 4]
