"""A reader of a stored run."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.logs import RUN, SCOPE, Hand
from tests.runtime.stores import LoopClock, virtually
from tests.values.event_samples import APPROVAL
from treadle.errors import CursorError, RunNotFoundError
from treadle.runtime.watching import PATIENCE_S, SLICE, Unit, place_of, watched
from treadle.testing.virtual_time import run_virtually
from treadle.values import events as ev
from treadle.values.facts import RoundOpened
from treadle.values.outcome import InvocationOutcome
from treadle.values.pauses import Resolution, Settlement
from treadle.values.runs import RunStatus

LEAVE = Resolution(interrupt_id=APPROVAL.interrupt_id, settlement=Settlement.ANSWERED)


async def read(hand: Hand, after: str | None = None, unit: Unit = Unit.RUN) -> list[tuple[str, str]]:
    """Cursor and kind of all that a reader is told."""
    records = watched(hand.store, SCOPE, RUN, after=after, to_end_of=unit)
    return [(record.cursor, record.event.kind) async for record in records]


async def two_owners() -> Hand:
    """Epoch 1 wrote events 0 to 3, epoch 3 the rest."""
    hand = Hand()
    await hand.create()
    await hand.own()
    await hand.write(*hand.begun(), hand.said("a", "b"))
    await hand.own()
    await hand.own()
    await hand.write(hand.said("c", passage=2), hand.entries(RoundOpened(round=2, attempt=1)), hand.done("abc"))
    return hand


@virtually
async def test_a_cursor_names_the_owner_that_wrote_its_event() -> None:
    """Design §6: `epoch:index`."""
    hand = await two_owners()
    await hand.write(status=RunStatus.DONE)
    told = await read(hand)
    assert [cursor for cursor, _ in told] == ["1:0", "1:1", "1:2", "1:3", "3:4", "3:5"]
    for at, (cursor, _) in enumerate(told):
        assert await read(hand, cursor) == told[at + 1 :]


@pytest.mark.parametrize(
    ("cursor", "reset_to"),
    [
        ("1:4", "1:3"),
        ("2:4", "1:3"),
        ("0:2", None),
        ("2:2", None),
        ("1:9", "1:3"),
        ("3:9", "3:5"),
        ("9:9", "3:5"),
        ("nonsense", None),
        (":", None),
        ("1:2:3", None),
    ],
)
@virtually
async def test_a_cursor_that_this_log_does_not_know_is_told_where_both_agree(cursor: str, reset_to: str | None) -> None:
    """Design §6: a log that lost a suffix and went on otherwise never diverges silently."""
    hand = await two_owners()
    with pytest.raises(CursorError) as refused:
        await read(hand, cursor)
    assert refused.value.reset_to == reset_to


@virtually
async def test_a_run_that_nothing_was_written_of_knows_no_cursor() -> None:
    """Ours: and a run that is not there is not found."""
    hand = Hand()
    await hand.create()
    state = await hand.store.state(SCOPE, RUN)
    assert await place_of(hand.store, state, None) == -1
    with pytest.raises(CursorError) as refused:
        await place_of(hand.store, state, "1:0")
    assert refused.value.reset_to is None
    with pytest.raises(RunNotFoundError):
        await anext(watched(hand.store, "another scope", RUN, after=None))


@virtually
async def test_a_reader_looks_again_although_nobody_wakes_it() -> None:
    """ADR 0014: wake-ups are hints; a reader that never has one misses nothing."""
    hand = Hand(LoopClock())
    await hand.create()
    await hand.own()

    class Deaf:
        read, state = hand.store.read, hand.store.state

        @staticmethod
        async def wait(*_: object, timeout_s: float) -> None:
            await asyncio.sleep(timeout_s)

    records = watched(Deaf, SCOPE, RUN, after=None)  # type: ignore[arg-type]  # what a reader uses of it
    reading = asyncio.create_task(_kinds(records))
    await asyncio.sleep(1)
    await hand.write(*hand.begun(), hand.said("a"))
    await asyncio.sleep(PATIENCE_S)
    await hand.write(hand.done("a"), status=RunStatus.DONE)
    assert await reading == ["run_started", "round_started", "text_delta", "done"]


async def _kinds(records: object) -> list[str]:
    return [record.event.kind async for record in records]  # type: ignore[attr-defined]  # a generator of records


@virtually
async def test_a_log_longer_than_a_slice_is_read_whole() -> None:
    """Ours: in slices, each event once."""
    hand = Hand()
    await hand.create()
    await hand.own()
    count = 3 * SLICE + 7
    await hand.write(*hand.begun(), hand.said(*"x" * count), hand.done("x" * count), status=RunStatus.DONE)
    told = await read(hand)
    assert [cursor for cursor, _ in told] == [f"1:{at}" for at in range(count + 3)]


@virtually
async def test_a_segment_that_was_resumed_already_is_read_on() -> None:
    """Ours: a late reader of a segment goes on to the segment at hand."""
    hand = Hand()
    await hand.create()
    await hand.own()
    asked = hand.begun()
    pause = hand.entries(hand.event(ev.Interrupt, outcome=InvocationOutcome(text=""), pending=(APPROVAL,)))
    await hand.write(*asked, pause, status=RunStatus.WAITING)
    to_pause = await read(hand, unit=Unit.SEGMENT)
    assert to_pause[-1] == ("1:2", "interrupt")
    assert await read(hand, "1:2", unit=Unit.SEGMENT) == []
    await hand.store.send(SCOPE, RUN, key="k", kind="answer")
    await hand.own()
    await hand.write(hand.entries(hand.event(ev.Resumed, resolutions=(LEAVE,))))
    await hand.write(hand.done(), status=RunStatus.DONE)
    told = await read(hand, unit=Unit.SEGMENT)
    assert [kind for _, kind in told[-3:]] == ["interrupt", "resumed", "done"]
    assert await read(hand) == told


@given(cuts=st.lists(st.integers(1, 4), min_size=1, max_size=12), leaves=st.lists(st.integers(1, 5), max_size=12))
def test_however_a_log_is_appended_and_a_reader_leaves_it_is_told_all_of_it_once(
    cuts: list[int], leaves: list[int]
) -> None:
    """Promise 4: no gap and no repeat at the border of what is there and what comes."""

    async def main() -> None:
        hand = Hand(LoopClock())
        await hand.create()
        await hand.own()

        async def reading() -> list[int]:
            had: list[int] = []
            cursor: str | None = None
            for most in [*leaves, 10_000]:
                records = watched(hand.store, SCOPE, RUN, after=cursor)
                left = most
                async for record in records:
                    had.append(record.event.index)
                    cursor, left = record.cursor, left - 1
                    if not left:
                        break
                await records.aclose()
                if cursor is not None and isinstance(record.event, ev.Done):
                    break
                await asyncio.sleep(0)
            return had

        tasks = [asyncio.create_task(reading()) for _ in range(2)]
        await hand.write(*hand.begun())
        for cut in cuts:
            await hand.write(hand.said(*"x" * cut))
            for _ in range(cut % 3):
                await asyncio.sleep(0)
        await hand.write(hand.done("x" * sum(cuts)), status=RunStatus.DONE)
        for had in await asyncio.gather(*tasks):
            assert had == list(range(3 + sum(cuts)))

    run_virtually(main())
