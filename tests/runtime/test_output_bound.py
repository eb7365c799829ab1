"""How far a run's output may go before it has to stop."""

from __future__ import annotations

import pytest

from treadle.kernel.inputs import DeadlinePassed, Input
from treadle.runtime.kind_runs import KindRuns
from treadle.runtime.output_bound import CHECKPOINT, OutputBound
from treadle.values.limits import Limit
from treadle.values.model import TEXT

TOO_MUCH = DeadlinePassed(limit=Limit.OUTPUT_BYTES)


class Output:
    """The output of one run, and what was posted of it."""

    def __init__(self, *, limit_bytes: int | None, bounded: bool = False) -> None:
        self.posted: list[Input] = []
        self.runs = KindRuns(lambda: 0.0, bounded=bounded, limit=CHECKPOINT)
        self.bound = OutputBound(runs=self.runs, limit_bytes=limit_bytes, post=self.posted.append)

    def say(self, count: int, piece: str = "x") -> None:
        """Write so many pieces."""
        self.runs.begin(TEXT, 1).extend([piece] * count)


@pytest.mark.parametrize(("piece", "size"), [("x", 1), ("\u00e9", 2), ("\u65e5", 3)])
async def test_an_output_above_its_limit_is_told(piece, size):
    """D34: UTF-8 bytes, and one byte more than the limit is too much."""
    output = Output(limit_bytes=size * CHECKPOINT)
    output.say(CHECKPOINT, piece)
    await output.bound.room()
    assert output.posted == []
    output.say(CHECKPOINT, piece)
    await output.bound.room()
    assert output.posted == [TOO_MUCH]


async def test_an_output_without_a_limit_may_grow():
    """D34: None switches the limit off."""
    output = Output(limit_bytes=None)
    output.say(10 * CHECKPOINT)
    await output.bound.room()
    assert output.posted == []


async def test_the_size_is_looked_at_every_so_many_pieces():
    """Ours: a reader that stops the run often does not make it count often."""
    output = Output(limit_bytes=10)
    await output.bound.room()
    output.say(CHECKPOINT - 1)
    await output.bound.room()
    assert output.posted == []
    output.say(1)
    await output.bound.room()
    assert output.posted == [TOO_MUCH]


async def test_where_no_reader_bounds_a_run_it_stops_for_others_every_so_many_pieces():
    """Ours: a model that never waits does not keep the loop from timers and cancels."""
    output = Output(limit_bytes=None)
    output.say(CHECKPOINT)
    stop = output.bound.checkpoint()
    assert stop is not None
    await stop
    assert output.runs.left == CHECKPOINT


async def test_where_a_reader_bounds_a_run_it_waits_for_the_reader():
    """Law 10: and it goes on at once where there is room."""
    output = Output(limit_bytes=None, bounded=True)
    assert output.bound.checkpoint() is None
    await output.bound.room()
    output.say(CHECKPOINT)
    room = output.bound.checkpoint()
    assert room is not None
    output.runs.let(CHECKPOINT + 1)
    await room
