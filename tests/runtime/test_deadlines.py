"""The one timer of a run."""

from __future__ import annotations

import asyncio

import pytest

from treadle.kernel.inputs import DeadlinePassed, Input, ModelBroke
from treadle.runtime.deadlines import Deadlines
from treadle.runtime.kind_runs import KindRuns
from treadle.testing.virtual_time import run_virtually
from treadle.values.limits import Limit, Limits
from treadle.values.model import TEXT


class LoopClock:
    """The clock of the running loop."""

    def now_s(self) -> float:
        return 0.0

    def monotonic_s(self) -> float:
        return asyncio.get_running_loop().time()


class Timed:
    """Deadlines of one run, and when what was posted."""

    def __init__(self, *, wall_clock_s: float | None = None, stall_s: float | None = None, lived_s: float = 0) -> None:
        self.posted: list[tuple[float, Input]] = []
        self.runs = KindRuns(lambda: 0.0, bounded=False, limit=100)
        limits = Limits(wall_clock_s=wall_clock_s, stall_s=stall_s)
        self.deadlines = Deadlines(limits=limits, clock=LoopClock(), post=self.post, runs=self.runs)
        self.deadlines.start(lived_s=lived_s)

    def post(self, given: Input) -> None:
        """Note what is posted."""
        self.posted.append((asyncio.get_running_loop().time(), given))


def test_the_wall_clock_is_told_once_in_time():
    """D34: a limit on the whole run, whatever it does."""

    async def main() -> None:
        timed = Timed(wall_clock_s=30)
        await asyncio.sleep(100)
        assert timed.posted == [(30, DeadlinePassed(limit=Limit.WALL_CLOCK))]

    run_virtually(main())


def test_the_wall_clock_goes_on_where_earlier_owners_left_it():
    """Ours: a run that was at work for longer than it may is told so at once."""

    async def main() -> None:
        for lived_s, told_s in ((10, 20), (30, 0), (99, 0)):
            began_s = asyncio.get_running_loop().time()
            timed = Timed(wall_clock_s=30, lived_s=lived_s)
            await asyncio.sleep(100)
            assert timed.posted == [(began_s + told_s, DeadlinePassed(limit=Limit.WALL_CLOCK))]

    run_virtually(main())


def test_silence_of_the_model_is_seen_at_most_a_quarter_late():
    """Design: no provider byte for so many seconds."""

    async def main() -> None:
        timed = Timed(stall_s=8)
        timed.deadlines.listen()
        await asyncio.sleep(11)
        ((at, told),) = timed.posted
        assert 8 <= at <= 10
        assert told == ModelBroke(code="stalled", retryable=True)

    run_virtually(main())


@pytest.mark.parametrize("sign", ["piece", "empty read"])
def test_a_model_that_says_anything_is_alive(sign):
    """Design: a read shows in the log, or is counted where it means nothing."""

    async def main() -> None:
        timed = Timed(stall_s=8)
        timed.deadlines.listen()
        items = timed.runs.begin(TEXT, 1)
        for _ in range(10):
            await asyncio.sleep(6)
            if sign == "piece":
                items.append("x")
            else:
                timed.deadlines.reads += 1
        assert timed.posted == []

    run_virtually(main())


def test_silence_while_nobody_listens_is_none():
    """Ours: while tools run, or before a retry, the model has nothing to say."""

    async def main() -> None:
        timed = Timed(stall_s=8)
        await asyncio.sleep(100)
        timed.deadlines.listen()
        await asyncio.sleep(6)
        timed.deadlines.listening = False
        await asyncio.sleep(100)
        assert timed.posted == []

    run_virtually(main())


def test_a_model_that_stays_silent_is_told_of_again():
    """Ours: the next attempt is measured as the first was."""

    async def main() -> None:
        timed = Timed(stall_s=8)
        timed.deadlines.listen()
        await asyncio.sleep(30)
        assert len(timed.posted) == 3

    run_virtually(main())


def test_a_run_without_limits_has_no_timer():
    """Ours: None switches a limit off, and stopping what was never started is nothing."""

    async def main() -> None:
        timed = Timed()
        await asyncio.sleep(10_000)
        timed.deadlines.stop()
        assert timed.posted == []

    run_virtually(main())


def test_nothing_is_told_after_the_end():
    """Ours: a run that is over has no deadline."""

    async def main() -> None:
        timed = Timed(wall_clock_s=30, stall_s=8)
        timed.deadlines.listen()
        await asyncio.sleep(1)
        timed.deadlines.stop()
        timed.deadlines.stop()
        await asyncio.sleep(100)
        assert timed.posted == []

    run_virtually(main())
