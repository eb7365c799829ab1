"""What the server takes in."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.types import Message

from tests.server.access.connections import ALICE, BOB, posted, run_of, scope_of
from treadle.errors import (
    BadRequestError,
    BodyTooLargeError,
    BodyTooSlowError,
    RunTooLargeError,
    TooManyReadersError,
    TooManyRunsError,
)
from treadle.server.access.admission import RETRY_READING_S, Admission, Caps
from treadle.server.access.principal import Principal
from treadle.testing.fake_clock import FakeClock
from treadle.testing.virtual_time import run_virtually
from treadle.values.ids import RunId


def admission(**caps: int) -> Admission:
    """An admission with these caps."""
    return Admission(Caps(**caps), FakeClock())


@pytest.mark.requirement("ACCESS-caps", "D42")
@given(pieces=st.lists(st.binary(max_size=8), max_size=8), cap=st.integers(1, 30))
def test_a_body_is_read_whole_or_refused_by_its_size(pieces: list[bytes], cap: int) -> None:
    """Ours: however a body is cut, what counts is how long it is, and no more than the cap is kept."""
    body = b"".join(pieces)
    reading = admission(body_bytes=cap).body(posted(pieces))
    if len(body) <= cap:
        assert asyncio.run(reading) == body
    else:
        with pytest.raises(BodyTooLargeError):
            asyncio.run(reading)


@pytest.mark.requirement("D42")
@pytest.mark.parametrize("told", ["11", "9" * 20, "9" * 5000])
async def test_a_body_that_says_it_is_too_large_is_not_read_at_all(told: str) -> None:
    """D42: a body of 50 MB was read whole before it was refused."""

    async def receive() -> Message:
        raise AssertionError("the body was read")

    request = Request(scope_of([("Content-Length", told)], method="POST"), receive)
    with pytest.raises(BodyTooLargeError):
        await admission(body_bytes=10).body(request)


@pytest.mark.parametrize("told", ["-1", "ten", "1.5", "", "١"])
async def test_a_length_that_is_no_number_is_refused(told: str) -> None:
    """Ours: two readers of such a request could disagree about where it ends."""
    headers = [(b"content-length", told.encode())]
    with pytest.raises(BadRequestError):
        await admission().body(Request({**scope_of(method="POST"), "headers": headers}))


@pytest.mark.requirement("ACCESS-caps")
def test_a_body_that_does_not_arrive_is_refused_in_time() -> None:
    """Ours: a client that sends a byte a minute holds a connection, and no longer than it may."""

    async def receive() -> Message:
        return await asyncio.get_running_loop().create_future()

    with pytest.raises(BodyTooSlowError):
        run_virtually(admission().body(Request(scope_of(method="POST"), receive)))


@pytest.mark.requirement("ACCESS-caps")
def test_readers_are_bounded_for_each_and_for_all() -> None:
    """Design: readers per principal are capped, with 429 and Retry-After."""
    caps = admission(readers=2, all_readers=3)
    with ExitStack() as stack:
        for principal in (ALICE, ALICE, BOB):
            stack.enter_context(caps.reader(principal))
        assert caps.readers == 3
        for principal in (ALICE, BOB):
            with pytest.raises(TooManyReadersError) as told, caps.reader(principal):
                raise AssertionError("there was no room")
            assert told.value.retry_after_s == RETRY_READING_S
    assert caps.readers == 0


@pytest.mark.requirement("ACCESS-leak")
def test_a_place_that_is_kept_is_given_back_at_the_end_of_the_later_block() -> None:
    """Ours: a stream is let in by whoever starts it, and leaves when it is over."""
    caps = admission(readers=1)
    with caps.reader(ALICE) as place:
        kept = place.keep()
    assert caps.readers == 1
    with pytest.raises(TooManyReadersError), caps.reader(ALICE):
        raise AssertionError("there was no room")
    with kept:
        assert caps.readers == 1
    assert caps.readers == 0
    with kept:
        assert caps.readers == 1
    assert caps.readers == 0


@pytest.mark.requirement("ACCESS-leak")
@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from([ALICE, BOB]), st.sampled_from([None, OSError, KeyboardInterrupt]))
    )
)
def test_no_sequence_of_readers_leaks_a_place(uses: list[tuple[bool, Principal, type[BaseException] | None]]) -> None:
    """Ours: a place is given back on every way out; what is open is what is counted."""
    caps = admission(readers=2, all_readers=3)
    open_: list[tuple[ExitStack, Principal]] = []
    for enters, principal, fault in uses:
        if enters:
            stack = ExitStack()
            mine = sum(whose is principal for _, whose in open_)
            if mine < 2 and len(open_) < 3:
                stack.enter_context(caps.reader(principal))
                open_.append((stack, principal))
            else:
                with pytest.raises(TooManyReadersError):
                    stack.enter_context(caps.reader(principal))
        elif open_:
            stack, _ = open_.pop()
            error = None if fault is None else fault()
            assert not stack.__exit__(fault, error, None)
        assert caps.readers == len(open_)
    for stack, _ in open_:
        stack.close()
    assert caps._readers == {}  # noqa: SLF001 (what is kept for nobody is what leaks)


@pytest.mark.requirement("ACCESS-caps")
def test_a_log_that_is_as_large_as_it_may_be_takes_nothing_more() -> None:
    """Design: events and log per run are capped."""
    caps = admission(run_events=10, run_log_bytes=100)
    caps.may_grow(run_of(ALICE, next_index=9), log_bytes=99)
    with pytest.raises(RunTooLargeError):
        caps.may_grow(run_of(ALICE, next_index=10))
    with pytest.raises(RunTooLargeError):
        caps.may_grow(run_of(ALICE), log_bytes=100)


async def test_starts_are_counted_until_their_runs_have_ended() -> None:
    """Ours: the cap of live runs is one of the caps."""
    caps = admission(live_runs=1)

    async def all_live(runs: object) -> object:
        return runs

    async with caps.start(ALICE, all_live) as place:  # type: ignore[arg-type]  # all of them are
        place.keep(RunId("r_1"))
    assert caps.live_runs(ALICE) == 1
    with pytest.raises(TooManyRunsError):
        await caps.start(ALICE, all_live).__aenter__()  # type: ignore[arg-type]  # all of them are
    caps.ended(RunId("r_1"))
    assert caps.live_runs(ALICE) == 0


@pytest.mark.parametrize("cap", ["body_bytes", "body_s", "run_events", "live_runs", "readers", "all_readers"])
def test_a_cap_is_above_zero(cap: str) -> None:
    """Ours: a cap of nothing is a server that serves nothing, and a slip."""
    with pytest.raises(ValueError, match=cap):
        Caps(**{cap: 0})
