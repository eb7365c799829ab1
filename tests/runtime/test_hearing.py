"""What people send to a run at work."""

from __future__ import annotations

import asyncio

import pytest

from tests.runtime.logs import RUN, SCOPE, Hand
from tests.runtime.stores import virtually
from treadle.kernel.inputs import CancelRequested, DeadlinePassed, Input
from treadle.runtime.hearing import CANCEL, Hearing
from treadle.values.limits import Limit


async def heard() -> tuple[Hand, Hearing, list[Input]]:
    """A run with an inbox, and what is posted of it."""
    hand = Hand()
    await hand.create()
    await hand.own()
    return hand, Hearing(hand.store, hand.lease), []


@virtually
async def test_a_stop_is_posted_once_and_taken_with_what_records_it() -> None:
    """Design §6: the message goes in the append that writes what came of it, not before."""
    hand, hearing, posted = await heard()
    await hearing.attach(posted.append)
    assert not hearing.has_heard
    await hand.store.send(SCOPE, RUN, key=CANCEL, kind=CANCEL, body=b"stop")
    await asyncio.gather(*[hearing.look() for _ in range(5)])
    assert posted == [CancelRequested(reason="stop")]
    assert (hearing.has_news, hearing.taken()) == (True, [])
    hearing.told(DeadlinePassed(limit=Limit.ROUNDS))
    assert hearing.taken() == []
    hearing.told(posted[0])
    assert not hearing.has_news
    assert hearing.taken() == [0]
    assert hearing.taken() == []


@virtually
async def test_what_came_before_the_run_was_there_is_heard_when_it_is() -> None:
    """Ours: a stop between the claim and the first step is not lost, nor is one without a reason."""
    hand, hearing, posted = await heard()
    await hand.store.send(SCOPE, RUN, key=CANCEL, kind=CANCEL)
    await hearing.look()
    assert posted == []
    await hearing.attach(posted.append)
    assert posted == [CancelRequested(reason=None)]
    assert hearing.has_heard


@virtually
async def test_two_stops_are_both_taken_by_the_first_that_is_told() -> None:
    """Ours: a person and a newer message stop the same run."""
    hand, hearing, posted = await heard()
    for key in (CANCEL, f"{CANCEL} by r2"):
        await hand.store.send(SCOPE, RUN, key=key, kind=CANCEL)
    await hearing.attach(posted.append)
    assert len(posted) == 2
    hearing.told(posted[0])
    assert hearing.taken() == [0, 1]


@virtually
async def test_what_nobody_knows_is_said_to_the_operator_and_put_away(caplog: pytest.LogCaptureFixture) -> None:
    """Ours: left in the inbox it would wake the run for ever."""
    hand, hearing, posted = await heard()
    await hand.store.send(SCOPE, RUN, key="k", kind="poem", body=b"\xff")
    await hearing.attach(posted.append)
    assert posted == []
    assert (hearing.has_news, hearing.has_heard) == (False, True)
    assert hearing.taken() == [0]
    assert "'poem'" in caplog.text
