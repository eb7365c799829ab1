"""Checks of `read`: everything after a place, once, in order, wherever one begins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from treadle.errors import RunNotFoundError
from treadle.testing.conformance.stores.bench import SCOPE, Bench
from treadle.testing.conformance.stores.check import check
from treadle.testing.conformance.stores.harness import Compacts
from treadle.testing.conformance.stores.logs import AT_S, Script, Told, events_in, records_of, with_epoch
from treadle.values.ids import RunId
from treadle.values.runs import Lease, RunStatus
from treadle.values.stretches import Stretch, events_of


async def _filled(bench: Bench) -> tuple[Lease, Script, list[Told]]:
    """A log with everything in it: speech in several rows, events, facts alone and facts among events."""
    lease, script = await bench.own()
    batches: list[list[Stretch]] = [
        [script.facts(1), script.started()],
        [script.speech("a", "b", "c")],
        [script.speech("d"), script.speech("e", "f")],
        [script.facts(2, 3), script.facts(4), script.mixed("s", "t")],
        [script.speech("g", "h", key=2), script.facts(5)],
        [script.stage("u", "v", "w")],
    ]
    for batch in batches:
        await bench.append(lease, *batch)
    return lease, script, with_epoch([stretch for batch in batches for stretch in batch], lease.epoch)


@check()
async def a_reader_begins_after_any_event(bench: Bench) -> None:
    """In the middle of a row too: every later event once, in order, whatever lies before it in its row."""
    _, script, whole = await _filled(bench)
    for after in range(-1, script.index):
        page = await bench.read(after)
        told = records_of(page)
        assert told == [record for record in whole if record.seq >= (told[0].seq if told else script.seq)]
        expected = [record for record in whole if record.index is not None and record.index > after]
        assert events_in(page, after=after) == expected
        for stretch in page[:1]:
            assert records_of([stretch])[-1].seq > _seq_of(whole, after), "a first row that lies before the place"


@check()
async def events_can_be_made_of_what_is_read(bench: Bench) -> None:
    """A typed reader gets kernel events with dense indexes, from any index on."""
    _, script, _ = await _filled(bench)
    for after in range(-1, script.index):
        events = [
            event for stretch in await bench.read(after) for event in events_of(stretch, RunId("r1"), after=after)
        ]
        assert [event.index for event in events] == list(range(after + 1, script.index))


@check()
async def facts_are_read_in_their_places(bench: Bench) -> None:
    """Those between two events come after the first of them; those before everything come from the beginning."""
    lease, script = await bench.own()
    batch: list[Stretch] = [script.facts(1), script.speech("a"), script.facts(2), script.speech("b"), script.facts(3)]
    for stretch in batch:
        await bench.append(lease, stretch)
    whole = with_epoch(batch, lease.epoch)
    assert records_of(await bench.read(-1)) == whole
    assert [record for record in records_of(await bench.read(0)) if record.seq > 1] == whole[2:]
    assert [record for record in records_of(await bench.read(1)) if record.seq > 3] == whole[4:]


@check()
async def the_last_append_keeps_its_time(bench: Bench) -> None:
    """Rows of a passage may be joined, but for the last one while it goes on: it says when the run was last at work."""
    lease, script = await bench.own()
    for number in range(4):
        await bench.append(lease, replace(script.speech("a"), at_s=AT_S + number))
    if isinstance(bench.harness, Compacts):
        await bench.harness.compact(SCOPE, RunId("r1"))
    assert (await bench.read())[-1].at_s == AT_S + 3


@check()
async def after_the_end_there_is_nothing(bench: Bench) -> None:
    """An empty log, the last event, and an index that nobody has written."""
    lease, script = await bench.own()
    assert list(await bench.read(-1)) == []
    await bench.append(lease, script.speech("a", "b"), script.stage("s"))
    for after in (2, 3, 1000):
        assert list(await bench.read(after)) == []


@check()
async def pages_join_to_the_whole(bench: Bench) -> None:
    """Of any size: who goes on after the last event of each page gets every record, and no page is empty too early."""
    lease, script, whole = await _filled(bench)
    long = [script.speech(str(number), key=3) for number in range(100)]
    for stretch in long:
        await bench.append(lease, stretch)
    whole += with_epoch(long, lease.epoch)
    for limit in (1, 2, 3, 5, 7, 50, 1000):
        assert await bench.log(limit=limit) == whole


@check()
async def a_page_is_about_as_long_as_it_may_be(bench: Bench) -> None:
    """A thousand appends are not read at once by someone who asked for ten."""
    lease, script = await bench.own()
    for number in range(100):
        await bench.append(lease, *(script.speech(str(number), key=key) for key in range(number, number + 10)))
    assert len(records_of(await bench.read(-1, limit=10))) < 100
    assert len(records_of(await bench.read(500, limit=10))) < 100


@check()
async def a_page_gets_past_facts(bench: Bench) -> None:
    """A reader knows events alone: where one is left, a page holds one, however many facts stand before it."""
    lease, script = await bench.own()
    await bench.append(lease, script.speech("a"))
    for number in range(20):
        await bench.append(lease, script.facts(number, number))
    await bench.append(lease, script.speech("b"))
    assert events_in(await bench.read(0, limit=1), after=0) == [Told(41, 1, 1, ("text", 1, "b"))]


@check()
async def a_log_can_be_read_after_the_end_of_its_run(bench: Bench) -> None:
    """From anywhere, as often as one likes: reading takes nothing away."""
    lease, script, whole = await _filled(bench)
    end = script.done("x")
    await bench.append(lease, end, status=RunStatus.DONE)
    whole += with_epoch([end], lease.epoch)
    for _ in range(2):
        assert await bench.log() == whole
    assert await bench.indexes(script.index - 2) == [script.index - 1]


@check()
async def a_run_that_is_not_there_cannot_be_read(bench: Bench) -> None:
    """Neither its log nor where it stands."""
    with pytest.raises(RunNotFoundError):
        await bench.store.read(SCOPE, RunId("r9"), -1, limit=10)
    with pytest.raises(RunNotFoundError):
        await bench.store.state(SCOPE, RunId("r9"))


def _seq_of(whole: list[Told], index: int) -> int:
    return next((record.seq for record in whole if record.index == index), -1)
