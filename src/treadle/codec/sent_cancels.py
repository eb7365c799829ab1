"""The wish that a run stops, on its way to the owner of the run: the body of a message, and back.

In: who asks for it, when, and why. Out: bytes. Any body asks for the stop: one that is of no such form is the reason in
words, as whoever sends by other means writes it.

Source: docs/records.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from treadle.codec.entry_forms import CANCEL_KEPT
from treadle.codec.forms import TEXT, maybe, read_json, stored_bytes, value_of
from treadle.errors import RecordFormatError
from treadle.values.facts import CancelKept


@dataclass(frozen=True, slots=True, kw_only=True)
class SentCancel:
    """A wish that a run stops. `asked` says who, where that is known."""

    reason: str | None = None
    asked: CancelKept | None = None


_FORM: Final = value_of(SentCancel, reason=maybe(TEXT), asked=maybe(CANCEL_KEPT))


def dump_cancel(sent: SentCancel) -> bytes:
    """The body of a message."""
    return stored_bytes(_FORM.dump(sent))


def load_cancel(body: bytes) -> SentCancel:
    """What a body says; whatever it is, it asks for the stop."""
    try:
        loaded: SentCancel = _FORM.load(read_json(body))
    except RecordFormatError:
        return SentCancel(reason=body.decode(errors="replace") or None)
    return loaded
