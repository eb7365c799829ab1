"""What was sent to a run and what it has not taken yet, read by somebody who works on no run.

In: the messages of an inbox. Out: answers with who gave them, and the wish that the run stops.

Source: docs/pauses.md, ADR 0040 (a cancel bars later answers).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from treadle.codec.sent_answers import SentAnswer, load_answer
from treadle.codec.sent_cancels import SentCancel, load_cancel
from treadle.errors import RecordFormatError
from treadle.runtime.hearing import ANSWER, CANCEL, EXPIRY
from treadle.values.ids import InterruptId
from treadle.values.pauses import Settlement
from treadle.values.runs import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Unheard:
    """What lies in an inbox.

    Shape: `settled` says how it settles what its keys name, None where that cannot be read; `answers` are those that
    people gave. `cancel` is the first wish that the run stops, None where there is none.
    """

    settled: Mapping[InterruptId, Settlement | None]
    answers: Mapping[InterruptId, SentAnswer]
    cancel: SentCancel | None


NOTHING_UNHEARD: Final = Unheard(settled=MappingProxyType({}), answers=MappingProxyType({}), cancel=None)


def unheard_of(messages: Sequence[Message]) -> Unheard:
    """What these messages say."""
    settled: dict[InterruptId, Settlement | None] = {}
    answers: dict[InterruptId, SentAnswer] = {}
    cancels: list[SentCancel] = []
    for message in messages:
        named = InterruptId(message.key)
        if message.kind == CANCEL:
            cancels.append(load_cancel(message.body))
        elif message.kind == EXPIRY:
            settled[named] = Settlement.EXPIRED
        elif (sent := _answer(message)) is not None:
            settled[named] = sent.resolution.settlement
            answers[named] = sent
        else:
            # Its key is used all the same: no answer can come under it.
            settled[named] = None
    return Unheard(settled=settled, answers=answers, cancel=cancels[0] if cancels else None)


def _answer(message: Message) -> SentAnswer | None:
    if message.kind != ANSWER:
        return None
    try:
        sent = load_answer(message.body)
    except RecordFormatError:
        return None
    return sent if sent.resolution.interrupt_id == message.key else None
