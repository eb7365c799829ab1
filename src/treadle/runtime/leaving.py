"""What leaving does: whether a run goes on when its last reader has gone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from treadle.errors import PlanError

_CONTINUE_FOR: Final = re.compile(r"continue (\d+(?:\.\d+)?) ?s", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class OnDisconnect:
    """Shape: `cancel_after_s` is None for a run that goes on, else the seconds without any reader after which it is
    cancelled.
    """

    cancel_after_s: float | None = None


GOES_ON: Final = OnDisconnect()


def on_disconnect_of(text: str) -> OnDisconnect:
    """The rule that this text says: `continue`, `cancel`, or `continue N s`.

    Raises:
        PlanError: It says none of them.
    """
    if text == "continue":
        return GOES_ON
    if text == "cancel":
        return OnDisconnect(cancel_after_s=0.0)
    if found := _CONTINUE_FOR.fullmatch(text):
        return OnDisconnect(cancel_after_s=float(found[1]))
    raise PlanError((f"on_disconnect is 'continue', 'cancel' or 'continue N s', not {text!r}",))
