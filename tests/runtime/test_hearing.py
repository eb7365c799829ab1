"""What people send to a run at work."""

from __future__ import annotations

import asyncio

import pytest

from tests.runtime.logs import RUN, SCOPE, Hand
from tests.runtime.stores import virtually
from treadle.codec.sent_answers import SentAnswer, dump_answer
from treadle.kernel.inputs import Answered, CancelRequested, DeadlinePassed, Input, PauseExpired
from treadle.runtime.hearing import ANSWER, CANCEL, EXPIRY, Hearing
from treadle.values.facts import DecisionKept
from treadle.values.ids import InterruptId
from treadle.values.limits import Limit
from treadle.values.pauses import Decision, Resolution, Settlement


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
    assert posted == [CancelRequested(reason="stop")]  # a body of no form is the reason
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


PAUSE = InterruptId(f"{RUN}.i1")


def answer_of(named: InterruptId) -> bytes:
    """The body of an answer to this pause."""
    resolution = Resolution(interrupt_id=named, settlement=Settlement.ANSWERED, value={"a": 1})
    decided = DecisionKept(interrupt_id=named, decision=Decision.EDIT, by="ann", at_s=1.0)
    return dump_answer(SentAnswer(resolution=resolution, decided=decided))


@virtually
async def test_each_answer_is_an_input_of_its_own_and_is_taken_with_what_records_it() -> None:
    """Design §7: the owner writes the answer as a fact and takes the message in one append."""
    hand, hearing, posted = await heard()
    other = InterruptId(f"{RUN}.i2")
    for named in (PAUSE, other):
        await hand.store.send(SCOPE, RUN, key=named, kind=ANSWER, body=answer_of(named))
    await hearing.attach(posted.append)
    assert [given.resolutions[0].interrupt_id for given in posted if isinstance(given, Answered)] == [PAUSE, other]
    assert [given.decided[0].by for given in posted if isinstance(given, Answered)] == ["ann", "ann"]
    hearing.told(posted[1])
    assert (hearing.taken(), hearing.has_news) == ([1], True)
    hearing.told(posted[0])
    assert (hearing.taken(), hearing.has_news) == ([0], False)


@virtually
async def test_the_end_of_a_pause_has_its_key_and_says_when_another_is_over() -> None:
    """Design §7: whoever is first under the pause's id counts, a person or the clock."""
    hand, hearing, posted = await heard()
    assert await hand.store.send(SCOPE, RUN, key=PAUSE, kind=EXPIRY)
    assert not await hand.store.send(SCOPE, RUN, key=PAUSE, kind=ANSWER, body=answer_of(PAUSE))
    await hearing.attach(posted.append, next_expires_at=lambda: 7.0)
    assert posted == [PauseExpired(interrupt_id=PAUSE, next_expires_at=7.0)]


@virtually
async def test_an_answer_that_cannot_be_read_is_put_away(caplog: pytest.LogCaptureFixture) -> None:
    """Ours: whoever writes into an inbox by other means harms no run."""
    hand, hearing, posted = await heard()
    await hand.store.send(SCOPE, RUN, key=PAUSE, kind=ANSWER, body=b"yes")
    await hearing.attach(posted.append)
    assert (posted, hearing.taken()) == ([], [0])
    assert "'answer'" in caplog.text
