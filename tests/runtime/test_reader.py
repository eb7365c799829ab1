"""Cursors over a log: every event once, in order, whenever they look."""

from __future__ import annotations

import asyncio
import gc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.agents import until
from tests.runtime.stores import virtually
from treadle.runtime.kind_runs import KindRuns
from treadle.runtime.reader import BATCH, BOUND, Reader
from treadle.values import events as ev
from treadle.values.facts import RoundOpened
from treadle.values.ids import RunId
from treadle.values.model import ARGUMENTS, TEXT, THINKING

RUN = RunId("r1")

# One thing that a writer does, and whether it lets others run after it.
steps = st.lists(
    st.tuples(st.sampled_from([TEXT, THINKING, ARGUMENTS, "event", "fact"]), st.integers(1, 3), st.booleans()),
    max_size=25,
)
# What a reader does before each event: read on, give up waiting at once, or let others run first.
moods = st.lists(st.sampled_from(["read", "timeout", "turn"]), min_size=1, max_size=10)


def log(*, bounded: bool = False, limit: int = 10_000) -> KindRuns:
    """A log in which nothing stands."""
    return KindRuns(lambda: 0.0, bounded=bounded, limit=limit)


class Play:
    """A writer, and the events that it has written."""

    def __init__(self, runs: KindRuns) -> None:
        self.runs = runs
        self.true: list[ev.KernelEvent] = []
        self.passage = 0

    def do(self, what: str, times: int) -> None:
        """Write an event or a fact, or some pieces in a new stretch."""
        if what == "fact":
            self.runs.keep(RoundOpened(round=1, attempt=times))
        elif what == "event":
            self.runs.add(ev.ToolAnnounced, RUN, {"call_id": "c", "name": "t"})
            self.true.append(self.runs.last)
        else:
            self.passage += 1
            key = "c" if what == ARGUMENTS else self.passage
            items = self.runs.begin(what, key)
            for number in range(times):
                index = self.runs.next
                items.append(f"{index}")
                made = {
                    TEXT: lambda index, text: ev.TextDelta(index=index, run_id=RUN, passage=self.passage, text=text),
                    THINKING: lambda index, text: ev.Thinking(index=index, run_id=RUN, passage=self.passage, text=text),
                    ARGUMENTS: lambda index, text: ev.ToolArguments(index=index, run_id=RUN, call_id="c", text=text),
                }[what]
                self.true.append(made(index, f"{index}"))
                assert number < times
            if self.runs.waiters:
                self.runs.wake()

    async def write(self, told: list[tuple[str, int, bool]]) -> None:
        """Do all that is told, and close."""
        for what, times, turn in told:
            self.do(what, times)
            if turn:
                await asyncio.sleep(0)
        self.runs.close()


async def read(reader: Reader[ev.KernelEvent], moods: list[str]) -> list[ev.KernelEvent]:
    """Read to the end, in these moods, over and over."""
    seen: list[ev.KernelEvent] = []
    at = 0
    while True:
        mood = moods[at % len(moods)]
        at += 1
        try:
            if mood == "turn":
                await asyncio.sleep(0)
            if mood == "timeout":
                async with asyncio.timeout(0):
                    seen.append(await anext(reader))
            else:
                seen.append(await anext(reader))
        except StopAsyncIteration:
            return seen
        except TimeoutError:
            await asyncio.sleep(0)


@given(steps, st.lists(moods, min_size=1, max_size=3), st.booleans())
def test_readers_see_each_event_once_in_order(told, readers, late):
    """Law 3: what is there, then what comes, at every wake pattern, for any number of readers."""

    async def main() -> None:
        play = Play(log())
        if late:
            await play.write(told)
        reading = [asyncio.create_task(read(Reader(play.runs, RUN, None), mood)) for mood in readers]
        if not late:
            await play.write(told)
        for task in reading:
            assert await task == play.true

    asyncio.run(main())


@given(steps, moods)
def test_a_reader_says_events_in_its_own_terms(told, mood):
    """Ours: one event may become several things, or none."""

    def said(event: ev.KernelEvent) -> list[tuple[str, int]]:
        return [(event.kind, number) for number in range(event.index % 3)]

    async def main() -> None:
        play = Play(log())
        reading = asyncio.create_task(read(Reader(play.runs, RUN, said), mood))
        await play.write(told)
        assert await reading == [one for event in play.true for one in said(event)]

    asyncio.run(main())


async def test_a_long_log_is_unfolded_in_parts():
    """Ours: who reads late does not hold all deltas as events at once."""
    play = Play(log())
    play.do(TEXT, 4 * BATCH + 1)
    play.runs.close()
    reader = Reader(play.runs, RunId("a long run"), None)
    first = await anext(reader)
    alive = [one for one in gc.get_objects() if type(one) is ev.TextDelta and one.run_id == "a long run"]
    assert len(alive) <= BATCH
    events = [first, *[event async for event in reader]]
    assert [event.index for event in events] == list(range(4 * BATCH + 1))


@pytest.mark.parametrize("what", [TEXT, ARGUMENTS, "event"])
async def test_a_reader_that_waits_lets_the_writer_go_on(what):
    """Law 10: never more than so many events ahead of the reader. Facts are no events."""
    runs = log(bounded=True, limit=BOUND)
    play = Play(runs)
    reader = Reader(runs, RUN, None)
    play.do("fact", 1)
    for _ in range(BOUND):
        play.do(what, 1)
    room = runs.room()
    assert room is not None
    for _ in range(BOUND):
        assert not room.done()
        await anext(reader)
    task = asyncio.create_task(anext(reader))
    await asyncio.sleep(0)
    assert room.done()
    assert runs.limit == 2 * BOUND
    runs.close()
    with pytest.raises(StopAsyncIteration):
        await task


async def test_a_second_loop_goes_on_where_the_first_stopped():
    """Ours: the place is the reader's, not the loop's."""
    play = Play(log())
    play.do(TEXT, 3)
    play.do("event", 1)
    play.runs.close()
    reader = Reader(play.runs, RUN, None)
    async for event in reader:
        first = event
        break
    assert [first, *[event async for event in reader]] == play.true
    assert [event async for event in reader] == []


async def test_what_breaks_in_the_saying_does_not_end_the_stream():
    """Ours: an error of a projection is told once, and the events after it are still there."""
    play = Play(log())
    play.do("event", 1)

    def said(event: ev.KernelEvent) -> list[str]:
        if event.index == 0:
            raise ValueError("cannot say it")
        return [event.kind]

    reader = Reader(play.runs, RUN, said)
    with pytest.raises(ValueError, match="cannot say it"):
        await anext(reader)
    play.do(TEXT, 1)
    play.runs.close()
    assert [told async for told in reader] == ["text_delta"]


@pytest.mark.parametrize("what", [TEXT, THINKING, ARGUMENTS, "event"])
@pytest.mark.parametrize("is_said", [False, True])
async def test_a_step_that_is_cancelled_before_it_begins_loses_nothing(what, is_said):
    """Ours: a task that is made of a step and cancelled at once raises where the event before was given out."""
    play = Play(log())
    play.do(what, 3)
    play.do("fact", 1)
    play.do("event", 1)
    play.do("event", 1)
    play.runs.close()
    reader: Reader[object] = Reader(play.runs, RUN, (lambda event: (event, event.index)) if is_said else None)
    got: list[object] = []
    while True:
        step = asyncio.create_task(anext(reader))
        step.cancel()
        await asyncio.wait([step])
        assert step.cancelled()
        try:
            got.append(await anext(reader))
        except StopAsyncIteration:
            break
    assert got == ([told for event in play.true for told in (event, event.index)] if is_said else play.true)


@pytest.mark.parametrize("what", [TEXT, ARGUMENTS, "event"])
@virtually
async def test_a_writer_is_let_go_on_by_a_reader_whose_steps_were_cancelled_before_they_began(what):
    """Ours: what the reader has given out is counted, however its steps ended."""
    play = Play(log(bounded=True, limit=BOUND))
    for _ in range(BOUND):
        play.do(what, 1)
    room = play.runs.room()
    assert room is not None
    reader: Reader[ev.KernelEvent] = Reader(play.runs, RUN, None)
    for event in play.true:
        assert await anext(reader) == event
        step = asyncio.create_task(anext(reader))
        step.cancel()
        await asyncio.wait([step])
    waits = asyncio.create_task(anext(reader))
    await until(room.done)
    play.do("event", 1)
    assert await waits == play.true[-1]
