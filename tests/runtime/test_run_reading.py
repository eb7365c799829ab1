"""One reader of one stored run. What `watch` gives is held in test_watching.py and tests/behaviour."""

from __future__ import annotations

from tests.runtime.agents import model_of, scripted
from tests.runtime.stores import GATED, pass_time, paying, virtually
from treadle.app.runner import Runner
from treadle.runtime.leaving import GOES_ON, OnDisconnect
from treadle.runtime.run_reading import RunReading, rule_of
from treadle.values.runs import RunStatus
from treadle.values.stretches import events_of


async def read(reading: RunReading) -> list[str]:
    """The kinds of all events, read by stretches, as whoever delivers does."""
    at, told = reading.place, list[str]()
    while True:
        for stretch in await reading.after(at, limit=3):
            events = events_of(stretch, reading.state.run_id, after=at)
            told += [event.kind for event in events]
            at = events[-1].index if events else at
        if await reading.is_over(at, closed=told[-1:] in (["interrupt"], ["done"])):
            reading.at_end = True
            return told
        await reading.more(at)


@virtually
async def test_a_reader_by_stretches_sees_what_a_reader_by_records_sees() -> None:
    """Design law 3: one read path."""
    agent = scripted(GATED)
    async with Runner([agent]) as runner:
        run = await runner.start("a", "hi")
        model_of(agent).open_gate("go")
        async with await runner.reading(run.run_id) as reading:
            by_stretches = await read(reading)
        async with await runner.reading(run.run_id) as reading:
            by_records = [record.event.kind async for record in reading.records()]
        assert by_stretches == by_records
        assert reading.at_end
        async with await runner.reading(run.run_id, after="1:2") as rest:
            assert (rest.place, await read(rest)) == (2, by_records[3:])


@virtually
async def test_a_reader_to_the_end_of_a_segment_is_over_at_a_pause() -> None:
    """Design §8: run or segment, as asked."""
    async with Runner([paying()], drain_s=0) as runner:
        run = await runner.start("a", "hi")
        async with await runner.reading(run.run_id, to_end_of="segment") as reading:
            assert (await read(reading))[-1] == "interrupt"
        state = await runner.state(run.run_id)
        assert state.status is RunStatus.WAITING
        at = state.next_index - 1
        for unit, is_over in (("segment", True), ("run", False)):
            reading = await runner.reading(run.run_id, to_end_of=unit)
            assert await reading.is_over(at, closed=True) is is_over
            assert await reading.is_over(at, closed=False) is is_over
            assert not await reading.is_over(at - 1, closed=False)


@virtually
async def test_it_counts_as_a_reader_inside_its_block_alone() -> None:
    """Ours: a cursor that is checked and not followed is nobody's reading."""
    async with Runner([scripted(GATED)], drain_s=0) as runner:
        run = await runner.start("a", "hi", on_disconnect="cancel")
        reading = await runner.reading(run.run_id)
        await pass_time(5)
        assert (await runner.state(run.run_id)).status is RunStatus.OWNED
        async with reading:
            await pass_time(5)
            assert (await runner.state(run.run_id)).status is RunStatus.OWNED
        await pass_time(1)
        assert (await runner.state(run.run_id)).status is RunStatus.CANCELLED


@virtually
async def test_the_rule_is_the_one_that_the_run_was_started_with() -> None:
    """Design §8: `on_disconnect` of a run."""
    async with Runner([scripted("text: ok")]) as runner:
        for text, rule in (("continue", GOES_ON), ("continue 3 s", OnDisconnect(cancel_after_s=3.0))):
            run = await runner.start("a", "hi", on_disconnect=text)
            assert rule_of(await runner.state(run.run_id)) == rule
