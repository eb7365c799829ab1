"""The one timer of all streams."""

from __future__ import annotations

import asyncio

from tests.runtime.stores import pass_time, virtually
from treadle.server.pulse import ENDING_S, TICK_S, Pulse, Rhythm


class Stream:
    """A stream that writes down what it is told."""

    def __init__(self, pulse: Pulse | None = None) -> None:
        self.sent = 0
        self.is_sending = False
        self.told: list[str] = []
        self._pulse = pulse

    def beat(self) -> None:
        """Write it down."""
        self.told.append("beat")

    def freeze(self) -> None:
        """Write it down."""
        self.told.append("freeze")

    def recheck(self) -> None:
        """Write it down."""
        self.told.append("recheck")

    def stop(self) -> None:
        """Write it down, and be over."""
        self.told.append("stop")
        if self._pulse is not None:
            self._pulse.remove(self)


def pulse(**more: float) -> Pulse:
    """A pulse that looks for one thing."""
    far = {"heartbeat_s": 1e6, "frozen_s": 1e6, "recheck_s": 1e6}
    return Pulse(Rhythm(**{**far, **more}))


@virtually
async def test_a_silent_stream_beats_as_often_as_it_is_silent_for_so_long() -> None:
    """Issue: each 3 s of silence."""
    timer, stream = pulse(heartbeat_s=3), Stream()
    timer.add(stream)
    await pass_time(3.1)
    assert stream.told == ["beat"]
    await pass_time(6)
    assert stream.told == ["beat"] * 3
    timer.remove(stream)


@virtually
async def test_a_stream_that_speaks_does_not_beat() -> None:
    """Ours: what it sends is sign enough."""
    timer, stream = pulse(heartbeat_s=1), Stream()
    timer.add(stream)
    for _ in range(20):
        await pass_time(0.9)
        stream.sent += 1
    assert stream.told == []
    timer.remove(stream)


@virtually
async def test_a_send_that_does_not_end_is_a_frozen_stream_and_never_a_silent_one() -> None:
    """Promise 12: found within its time, and not beaten meanwhile."""
    timer, stream = pulse(heartbeat_s=1, frozen_s=5), Stream()
    timer.add(stream)
    stream.is_sending = True
    await pass_time(4.9)
    assert stream.told == []
    await pass_time(0.2)
    assert stream.told == ["freeze"]
    timer.remove(stream)


@virtually
async def test_each_stream_is_looked_at_again_after_its_time_also_while_it_speaks() -> None:
    """Issue: re-check of authorisation on long streams."""
    timer, first, second = pulse(recheck_s=10), Stream(), Stream()
    timer.add(first)
    await pass_time(5)
    timer.add(second)
    for _ in range(60):
        first.sent += 1
        await pass_time(0.25)
    assert (first.told, second.told) == (["recheck"] * 2, ["recheck"])
    timer.remove(first)
    timer.remove(second)


@virtually
async def test_there_is_one_timer_for_all_of_them_and_none_without_them() -> None:
    """Issue: one timer a process."""
    loop = asyncio.get_running_loop()
    timer, streams = pulse(heartbeat_s=1), [Stream() for _ in range(1000)]
    due: list[float] = []
    for stream in streams:
        timer.add(stream)
    assert len(timer) == 1000
    due = [handle.when() for handle in loop._scheduled]  # type: ignore[attr-defined]  # noqa: SLF001 (counted)
    assert due == [loop.time() + TICK_S]
    await pass_time(1.1)
    assert all(stream.told == ["beat"] for stream in streams)
    for stream in streams:
        timer.remove(stream)
        timer.remove(stream)
    assert not [handle for handle in loop._scheduled if not handle.cancelled()]  # type: ignore[attr-defined]  # noqa: SLF001 (counted)


@virtually
async def test_all_streams_are_ended_and_waited_for_and_one_that_does_not_end_is_left() -> None:
    """Design §9: drain on shutdown, and the shutdown comes to its end."""
    loop = asyncio.get_running_loop()
    timer = pulse()
    await timer.end_all()
    ends, stays = Stream(timer), Stream()
    timer.add(ends)
    await timer.end_all()
    assert (ends.told, loop.time()) == (["stop"], 0)
    timer.add(stays)
    await timer.end_all()
    assert (set(stays.told), loop.time()) == ({"stop"}, ENDING_S)
    timer.remove(stays)


@virtually
async def test_a_stream_that_begins_when_all_were_ended_is_ended_too_until_streams_may_stay_again() -> None:
    """Ours: a client that comes back at once does not hold a server that is about to go."""
    timer = pulse(heartbeat_s=1)
    await timer.end_all()
    late = Stream(timer)
    timer.add(late)
    await pass_time(2 * TICK_S)
    assert late.told == ["stop"]
    timer.begin()
    again = Stream(timer)
    timer.add(again)
    await pass_time(1.1)
    assert again.told == ["beat"]
    timer.remove(again)
