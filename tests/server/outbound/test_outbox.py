"""Parcels: sent until they are taken, guarded each time."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.server.outbound.receivers import SECRET, Names, certified, receiving, rules
from treadle.errors import OutboundRefusedError
from treadle.server.outbound.outbox import Outbox, Parcel
from treadle.server.outbound.signing import signed
from treadle.testing.fake_clock import FakeClock


class Desk:
    """An outbox whose waits a test sees, and which waits for none of them."""

    def __init__(self, names: Names, **more: Any) -> None:  # noqa: ANN401 (fields of the rules)
        self.waits: list[float] = []
        self.clock = FakeClock()
        tls = more.pop("tls", None)
        given = {} if tls is None else {"tls": lambda: tls}
        self.outbox = Outbox(rules(**more), clock=self.clock, resolve=names, wait=self._wait, **given)

    async def _wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.clock.advance(seconds)
        await asyncio.sleep(0)


def parcel(port: int, *, host: str = "hooks.example", scheme: str = "http") -> Parcel:
    """Something to be sent there."""
    return Parcel(url=f"{scheme}://{host}:{port}/x", message_id="r1.4", body=b'{"a":1}', headers={"x-token": "t"})


@pytest.mark.requirement("OUT-signed", "OUT-again")
async def test_a_parcel_is_sent_again_with_one_id_and_signed_anew_until_it_is_taken() -> None:
    """Standard Webhooks: at least once, by one id; the time and the signature are those of the attempt."""
    async with receiving(500, 429, 200) as receiver:
        desk = Desk(Names({"hooks.example": [["127.0.0.1"]]}))
        assert await desk.outbox.deliver(parcel(receiver.port))
    assert desk.waits == [2.0, 8.0]
    ids = {came.headers["webhook-id"] for came in receiver.received}
    times = [int(came.headers["webhook-timestamp"]) for came in receiver.received]
    assert (ids, times[1] - times[0], times[2] - times[1]) == ({"r1.4"}, 2, 8)
    for came, at_s in zip(receiver.received, times, strict=True):
        expected = signed(came.body, message_id="r1.4", at_s=at_s, secret=SECRET)
        assert {name: came.headers[name] for name in expected} == expected
        assert (came.headers["x-token"], came.headers["content-type"]) == ("t", "application/json")


@pytest.mark.requirement("OUT-again")
@pytest.mark.parametrize("status", [400, 401, 404, 410, 302])
async def test_what_will_not_change_is_given_up_at_once(status: int) -> None:
    """Ours: a receiver that says no, or sends us elsewhere, is not asked again."""
    async with receiving(status) as receiver:
        desk = Desk(Names({"hooks.example": [["127.0.0.1"]]}))
        assert not await desk.outbox.deliver(parcel(receiver.port))
    assert (len(receiver.received), desk.waits) == (1, [])


@pytest.mark.requirement("OUT-again")
async def test_a_receiver_that_stays_away_is_given_up_after_so_many_attempts() -> None:
    """Ours: every loop has its bound."""
    names = Names({"hooks.example": [["127.0.0.1"]]})
    desk = Desk(names, attempts=3)
    assert not await desk.outbox.deliver(parcel(1))
    assert (len(names.asked), desk.waits) == (3, [2.0, 8.0])
    unknown = Desk(Names({}), attempts=2)
    assert not await unknown.outbox.deliver(parcel(1))
    assert unknown.waits == [2.0]


@pytest.mark.requirement("OUT-rebinding")
async def test_a_name_that_stands_for_something_else_a_moment_later_gains_nothing() -> None:
    """DNS rebinding: what was checked is what is called; and each attempt is checked anew."""
    async with receiving(200) as inner:
        names = Names({"hooks.example": [["8.8.8.8"], ["10.0.0.1"]]})
        desk = Desk(names, networks=())
        await desk.outbox.check(f"http://hooks.example:{inner.port}")
        assert not await desk.outbox.deliver(parcel(inner.port))
        assert (names.asked, desk.waits) == (["hooks.example", "hooks.example"], [])
    assert inner.received == []


@pytest.mark.requirement("OUT-pinned")
async def test_the_checked_address_is_called_under_the_name_of_its_target(tmp_path: Path) -> None:
    """Ours: one look-up an attempt, and TLS checks the name."""
    server, client = certified("hooks.example", tmp_path)
    async with receiving(200, tls=server) as receiver:
        names = Names({"hooks.example": [["127.0.0.1"], ["10.0.0.1"]], "other.example": [["127.0.0.1"]]})
        desk = Desk(names, tls=client, attempts=1)
        assert await desk.outbox.deliver(parcel(receiver.port, scheme="https"))
        assert names.asked == ["hooks.example"]
        assert not await desk.outbox.deliver(parcel(receiver.port, scheme="https", host="other.example"))
    assert len(receiver.received) == 1


async def test_the_next_address_is_taken_where_one_takes_no_connection() -> None:
    """Ours: a host of several machines is there while one of them is."""
    async with receiving(200) as receiver:
        desk = Desk(Names({"hooks.example": [["127.0.0.9", "127.0.0.1"]]}), attempts=1)
        assert await desk.outbox.deliver(parcel(receiver.port))


@pytest.mark.requirement("OUT-guard")
@pytest.mark.parametrize(
    ("url", "table"),
    [
        ("https://hooks.example", {"hooks.example": [["127.0.0.1"]]}),
        ("http://hooks.example", {"hooks.example": [["8.8.8.8"]]}),
        ("https://hooks.example", {}),
    ],
)
async def test_an_address_that_could_not_be_called_is_refused_when_it_is_given(url: str, table: dict[str, Any]) -> None:
    """Ours: whoever registers it hears of it, and not of where it leads."""
    desk = Desk(Names(table), networks=(), allow_http=False)
    with pytest.raises(OutboundRefusedError) as refused:
        await desk.outbox.check(url)
    assert "127" not in str(refused.value)


async def test_an_attempt_has_its_time() -> None:
    """Ours: a receiver that never answers holds nothing."""
    taken = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()
        taken.set()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    async with server:
        desk = Desk(Names({"hooks.example": [["127.0.0.1"]]}), attempts=1, timeout_s=0.05)
        assert not await desk.outbox.deliver(parcel(server.sockets[0].getsockname()[1]))
        await taken.wait()


async def test_a_certificate_that_this_machine_does_not_trust_is_not_taken(tmp_path: Path) -> None:
    """Ours: nothing is trusted because nobody said otherwise."""
    server, _ = certified("hooks.example", tmp_path)
    async with receiving(200, tls=server) as receiver:
        desk = Desk(Names({"hooks.example": [["127.0.0.1"]]}), attempts=1)
        assert not await desk.outbox.deliver(parcel(receiver.port, scheme="https"))
    assert receiver.received == []
