"""An answer on its way from whoever took it in to the owner of the run: the body of a message, and back.

In: how a pause is settled, and who decided it. Out: bytes. The token is not among them: it has done its work.

Source: docs/records.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from treadle.codec.entry_forms import DECISION_KEPT, RESOLUTION
from treadle.codec.forms import read_json, stored_bytes, value_of
from treadle.values.facts import DecisionKept
from treadle.values.pauses import Resolution


@dataclass(frozen=True, slots=True, kw_only=True)
class SentAnswer:
    """How somebody settled a pause. Both parts are about the same one."""

    resolution: Resolution
    decided: DecisionKept

    def __post_init__(self) -> None:
        if self.resolution.interrupt_id != self.decided.interrupt_id:
            raise ValueError("an answer and its decision are about one pause")


_FORM: Final = value_of(SentAnswer, resolution=RESOLUTION, decided=DECISION_KEPT)


def dump_answer(sent: SentAnswer) -> bytes:
    """The body of a message."""
    return stored_bytes(_FORM.dump(sent))


def load_answer(body: bytes) -> SentAnswer:
    """The answer of a message.

    Raises:
        RecordFormatError: It holds none.
    """
    loaded: SentAnswer = _FORM.load(read_json(body))
    return loaded
