"""A stored run at a glance."""

from __future__ import annotations

import pytest

from tests.runtime.logs import Hand
from tests.runtime.stores import virtually
from tests.values.event_samples import APPROVAL
from treadle.runtime.run_view import RunView, view_of
from treadle.runtime.thread_history import stored_run
from treadle.values import events as ev
from treadle.values.facts import RoundCut, RoundOpened, TurnKept
from treadle.values.model import ModelTurn
from treadle.values.outcome import InvocationOutcome
from treadle.values.runs import RunStatus
from treadle.values.usage import UsageDelta

SPENT = UsageDelta(input_tokens=10, output_tokens=5)


async def view(hand: Hand) -> RunView:
    """The view of what was written."""
    state, stretches = await stored_run(hand.store, hand.lease.scope, hand.lease.run_id)
    return view_of(state, stretches)


async def begun() -> Hand:
    """A run at work."""
    hand = Hand()
    await hand.create()
    await hand.own()
    await hand.write(*hand.begun())
    return hand


@virtually
async def test_a_run_under_way_says_what_it_has_shown_and_spent_by_now() -> None:
    """Promise 10: what attempts told is added up, and how many told nothing."""
    hand = await begun()
    await hand.write(
        hand.said("It ", "was"),
        hand.entries(RoundCut(round=1, attempt=1, code="worker_lost")),
        hand.entries(hand.event(ev.Retracted, round=1, attempt=1, reason="worker_lost")),
        hand.entries(RoundOpened(round=1, attempt=2)),
        hand.entries(TurnKept(round=1, attempt=2, turn=ModelTurn(text="", usage=SPENT))),
        hand.said("It ", "is", passage=2),
    )
    seen = await view(hand)
    assert (seen.state, seen.text, seen.answer, seen.outcome) == (RunStatus.OWNED, "It is", "It is", None)
    assert seen.usage == SPENT + UsageDelta(unmeasured_rounds=1)
    assert (seen.pending, seen.error_code, seen.events, seen.cursor) == ((), None, 7, "1:6")


@virtually
async def test_a_run_that_was_never_begun_has_said_nothing() -> None:
    """Ours: ready, and no more."""
    hand = Hand()
    await hand.create()
    seen = await view(hand)
    assert (seen.state, seen.text, seen.usage, seen.events) == (RunStatus.READY, "", UsageDelta(), 0)
    assert seen.segments == 0


@pytest.mark.parametrize(
    ("kind", "fields", "status"),
    [
        (ev.Done, {}, RunStatus.DONE),
        (ev.Error, {"code": "stalled"}, RunStatus.ERROR),
        (ev.Cancelled, {}, RunStatus.CANCELLED),
        (ev.Interrupt, {"pending": (APPROVAL,)}, RunStatus.WAITING),
    ],
)
@virtually
async def test_a_closed_segment_is_told_by_its_closing_event(
    kind: type, fields: dict[str, object], status: RunStatus
) -> None:
    """Promise 1: what the log says last is what the run has come to."""
    hand = await begun()
    outcome = InvocationOutcome(text="See. It is", answer_at=5, usage=SPENT)
    closing = hand.said("See. ", "It is"), hand.entries(hand.event(kind, outcome=outcome, **fields))
    await hand.write(*closing, status=status)
    seen = await view(hand)
    assert (seen.state, seen.outcome, seen.answer, seen.usage) == (status, outcome, "It is", SPENT)
    assert seen.error_code == fields.get("code")
    assert seen.pending == fields.get("pending", ())


@virtually
async def test_a_view_says_how_many_segments_have_closed() -> None:
    """Ours: what a wire whose unit is a segment counts by."""
    hand = await begun()
    outcome = InvocationOutcome(text="")
    assert (await view(hand)).segments == 0
    await hand.write(hand.entries(hand.event(ev.Interrupt, pending=(APPROVAL,), outcome=outcome)))
    assert (await view(hand)).segments == 1
    await hand.write(hand.entries(hand.event(ev.Resumed, resolutions=())))
    assert (await view(hand)).segments == 1
    await hand.write(hand.entries(hand.event(ev.Cancelled, outcome=outcome)), status=RunStatus.CANCELLED)
    assert (await view(hand)).segments == 2
