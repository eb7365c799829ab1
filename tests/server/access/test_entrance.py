"""The door of the server."""

from __future__ import annotations

import functools
import threading
from collections.abc import Awaitable, Callable

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from tests.server.access.connections import ALICE, BOB, RUN, connection, run_of
from treadle.errors import AccessUnavailableError, MisuseError, TicketError, UnauthenticatedError
from treadle.server.access.anonymous import Anonymous
from treadle.server.access.api_keys import ApiKeys
from treadle.server.access.entrance import Access, Entrance, Entry
from treadle.server.access.principal import Action, Principal
from treadle.testing.fake_clock import FakeClock
from treadle.values.ids import RunId

KEY, OTHER = "key-of-alice-0123456789", "key-of-bob-9876543210"
SHOWS_KEY = connection(("X-API-Key", KEY))


def entrance(access: Access | None, clock: FakeClock | None = None) -> Entrance:
    """An entrance with this access."""
    return Entrance(access, clock=clock or FakeClock())


async def waiting(_: HTTPConnection) -> Principal:
    """A user's own function that waits."""
    return ALICE


class Waiting:
    """A user's own object that waits."""

    async def __call__(self, _: HTTPConnection) -> Principal:
        """Say who asks."""
        return ALICE


def awaitable(connection_: HTTPConnection) -> Awaitable[Principal]:
    """A user's own function that gives something to wait for."""
    return waiting(connection_)


@pytest.mark.requirement("ACCESS-hook")
@pytest.mark.parametrize(
    "access", [waiting, Waiting(), awaitable, functools.partial(waiting), lambda _: ALICE, ApiKeys({KEY: ALICE})]
)
async def test_any_callable_that_says_who_asks_is_an_access(access: Access) -> None:
    """Design: a hook for the user's own, whether it waits or not."""
    entry = await entrance(access).enter(SHOWS_KEY)
    assert entry == Entry(principal=ALICE, proof=SHOWS_KEY)
    assert entry.proof is SHOWS_KEY


async def test_a_function_that_does_not_wait_does_not_hold_the_loop() -> None:
    """Ours: a look-up in a database of the user's own must not stop every stream meanwhile."""
    threads = []

    def access(_: HTTPConnection) -> Principal:
        threads.append(threading.current_thread())
        return ALICE

    await entrance(access).enter(SHOWS_KEY)
    assert threads != [threading.current_thread()]


@pytest.mark.requirement("ACCESS-hook")
@pytest.mark.parametrize(
    ("answer", "refused"), [(None, UnauthenticatedError), ("alice", MisuseError), (True, MisuseError)]
)
async def test_an_answer_that_is_nobody_lets_nobody_in(answer: object, refused: type[Exception]) -> None:
    """Ours: what is no principal, however true it looks, opens nothing."""
    with pytest.raises(refused):
        await entrance(lambda _: answer).enter(SHOWS_KEY)  # type: ignore[arg-type,return-value]  # what is refused


async def test_what_a_users_own_function_raises_goes_out_as_it_is() -> None:
    """Ours: what a client is told of it is decided in one place, and not here."""

    def access(_: HTTPConnection) -> Principal:
        raise HTTPException(403)

    with pytest.raises(HTTPException):
        await entrance(access).enter(SHOWS_KEY)


async def test_without_an_access_this_machine_is_served() -> None:
    """Ours: the start takes no key, and serves nobody else."""
    door = entrance(None)
    assert isinstance(door.access, Anonymous)
    assert (await door.enter(connection())).principal.name == "anonymous"
    with pytest.raises(UnauthenticatedError):
        await door.enter(connection(client=("192.0.2.1", 1)))


@pytest.mark.requirement("ACCESS-ticket")
async def test_a_ticket_stands_for_the_one_it_was_issued_to_on_one_run() -> None:
    """Design: an EventSource sends no headers; what it shows in its address is good once."""
    door = entrance(ApiKeys({KEY: ALICE}))
    ticket = door.ticket(await door.enter(SHOWS_KEY), RUN)
    shown = connection(query=f"ticket={ticket}")
    with pytest.raises(UnauthenticatedError):
        await door.enter(shown)
    entry = await door.enter(shown, run_id=RUN)
    assert (entry.principal, entry.proof) == (ALICE, SHOWS_KEY)
    with pytest.raises(TicketError):
        await door.enter(shown, run_id=RUN)


async def test_a_ticket_of_a_key_that_was_revoked_opens_nothing() -> None:
    """Ours: a ticket is worth what the proof behind it is worth."""
    keys = ApiKeys({KEY: ALICE, OTHER: BOB})
    door = entrance(keys)
    ticket = door.ticket(await door.enter(SHOWS_KEY), RUN)
    keys.revoke(KEY)
    with pytest.raises(UnauthenticatedError):
        await door.enter(connection(query=f"ticket={ticket}"), run_id=RUN)


@pytest.mark.parametrize("query", ["ticket=", "ticket=a&ticket=b", "ticket=%00%ff"])
async def test_a_ticket_that_is_none_is_refused_even_beside_a_key(query: str) -> None:
    """Ours: two credentials in one request are one too many."""
    with pytest.raises(TicketError):
        await entrance(ApiKeys({KEY: ALICE})).enter(connection(("X-API-Key", KEY), query=query), run_id=RUN)


@pytest.mark.requirement("ACCESS-recheck")
async def test_a_long_stream_ends_when_its_key_is_revoked_or_its_run_is_gone() -> None:
    """Design: authorisation is checked again on long streams."""
    keys = ApiKeys({KEY: ALICE, OTHER: BOB})
    door = entrance(keys)
    entry = await door.enter(SHOWS_KEY)
    assert await door.still_allowed(entry, Action.READ, run_of(ALICE))
    assert not await door.still_allowed(entry, Action.READ, None)
    assert not await door.still_allowed(entry, Action.READ, run_of(BOB, run_id=RunId("r_2")))
    assert not await door.still_allowed(entry, Action.METRICS, None)
    keys.add(KEY, Principal(name="carol", scope=ALICE.scope))
    assert not await door.still_allowed(entry, Action.READ, run_of(ALICE))
    keys.revoke(KEY)
    assert not await door.still_allowed(entry, Action.READ, run_of(ALICE))


@pytest.mark.requirement("ACCESS-recheck")
async def test_a_stream_that_a_ticket_opened_is_checked_by_what_was_shown_for_the_ticket() -> None:
    """Ours: a spent ticket cannot be asked again, and the key behind it can."""
    keys = ApiKeys({KEY: ALICE, OTHER: BOB})
    door = entrance(keys)
    ticket = door.ticket(await door.enter(SHOWS_KEY), RUN)
    entry = await door.enter(connection(query=f"ticket={ticket}"), run_id=RUN)
    assert await door.still_allowed(entry, Action.READ, run_of(ALICE))
    keys.revoke(KEY)
    assert not await door.still_allowed(entry, Action.READ, run_of(ALICE))


@pytest.mark.requirement("ACCESS-recheck")
async def test_a_proof_ends_when_it_says_so() -> None:
    """Ours: a token that is over opens nothing, and keeps nothing open."""
    clock = FakeClock(now_s=100.0)
    door = entrance(_until(160.0), clock)
    entry = await door.enter(SHOWS_KEY)
    clock.advance(59.0)
    assert await door.still_allowed(entry, Action.READ, run_of(ALICE))
    clock.advance(1.0)
    assert not await door.still_allowed(entry, Action.READ, run_of(ALICE))
    with pytest.raises(UnauthenticatedError):
        await door.enter(SHOWS_KEY)


@pytest.mark.requirement("ACCESS-recheck")
async def test_a_stream_outlives_an_outage_of_what_vouches_for_it_but_not_its_own_proof() -> None:
    """Ours: an outage elsewhere ends no answer in the middle, and lengthens no token."""
    clock = FakeClock(now_s=100.0)
    is_down = False

    async def access(connection_: HTTPConnection) -> Principal:
        if is_down:
            raise AccessUnavailableError("down")
        return _until(160.0)(connection_)

    door = entrance(access, clock)
    entry = await door.enter(SHOWS_KEY)
    is_down = True
    assert await door.still_allowed(entry, Action.READ, run_of(ALICE))
    clock.advance(60.0)
    assert not await door.still_allowed(entry, Action.READ, run_of(ALICE))


def test_an_entry_is_printed_without_what_proved_it() -> None:
    """Ours: a connection holds headers, and headers hold keys."""
    assert KEY not in repr(Entry(principal=ALICE, proof=SHOWS_KEY))


def _until(until_s: float) -> Callable[[HTTPConnection], Principal]:
    return lambda _: Principal(name="alice", scope="acme", until_s=until_s)
