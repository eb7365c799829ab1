"""What lies in an inbox, to whoever looks on."""

from __future__ import annotations

from treadle.codec.sent_answers import SentAnswer, dump_answer
from treadle.codec.sent_cancels import SentCancel, dump_cancel
from treadle.runtime.hearing import ANSWER, CANCEL, EXPIRY
from treadle.runtime.unheard import NOTHING_UNHEARD, unheard_of
from treadle.values.facts import CancelKept, DecisionKept
from treadle.values.ids import InterruptId
from treadle.values.pauses import Decision, Resolution, Settlement
from treadle.values.runs import Message

NAMED = InterruptId("r1.i1")
SENT = SentAnswer(
    resolution=Resolution(interrupt_id=NAMED, settlement=Settlement.DECLINED, reason="no"),
    decided=DecisionKept(interrupt_id=NAMED, decision=Decision.DENY, by="ann", at_s=1.0),
)


def message(key: str, kind: str, body: bytes = b"") -> Message:
    """A message, whatever its number."""
    return Message(number=1, key=key, kind=kind, body=body)


def test_an_answer_and_an_expiry_settle_their_pauses() -> None:
    """Ours: an answer is told with who gave it, and an expiry as nobody's."""
    found = unheard_of([message(NAMED, ANSWER, dump_answer(SENT)), message("r1.i2", EXPIRY)])
    assert found.settled == {NAMED: Settlement.DECLINED, "r1.i2": Settlement.EXPIRED}
    assert found.answers == {NAMED: SENT}
    assert found.cancel is None


def test_of_several_wishes_to_stop_the_first_counts() -> None:
    """Ours: who asked later changed nothing."""
    first = SentCancel(asked=CancelKept(by="ann", at_s=1.0))
    found = unheard_of([message(CANCEL, CANCEL, dump_cancel(first)), message("cancel by r2", CANCEL)])
    assert found.cancel == first
    assert found.settled == {}


def test_what_cannot_be_read_has_used_its_key_all_the_same() -> None:
    """Ours: no answer can come under that key any more, so its pause is not offered to anybody."""
    other = message("r1.i2", ANSWER, dump_answer(SENT))
    found = unheard_of([message(NAMED, ANSWER, b"\xff"), other, message("r1.i3", "message")])
    assert found.settled == {NAMED: None, "r1.i2": None, "r1.i3": None}
    assert found.answers == {}


def test_an_empty_inbox_says_nothing() -> None:
    """Ours: the value for whoever has looked at no inbox."""
    assert unheard_of([]) == NOTHING_UNHEARD
