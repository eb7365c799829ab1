"""What a scripted model does, step by step, as values.

A script is a sequence of turns. A turn has one attempt or more: the first is played when the turn is asked for, the
next when it is asked for again (after it broke), the last one from then on.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from treadle.values.model import TEXT, THINKING, StopReason
from treadle.values.usage import UsageDelta


class FaultKind(StrEnum):
    """How a turn breaks."""

    EOF = "eof"
    """The stream ends with neither a finish nor an end marker."""
    BUSY = "busy"
    REFUSED = "refused"
    GARBLED = "garbled"
    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"
    RAISE = "raise"
    """An error that is no `ModelError`: a bug of the adapter."""
    HANG = "hang"
    """Nothing comes any more, until the stream is closed or its task cancelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Text or thinking, in these pieces. None of them is empty."""

    kind: str = TEXT
    pieces: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.kind not in (TEXT, THINKING):
            raise ValueError(f"kind must be {TEXT!r} or {THINKING!r}, not {self.kind!r}")
        if not self.pieces or not all(self.pieces):
            raise ValueError(f"a step needs pieces, none of them empty, came {self.pieces!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """Text that comes in no piece, only with the end of the turn."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A call. `arguments` is argument text as a model writes it, sound or not, in `cut` pieces of about one length."""

    name: str
    arguments: str = ""
    provider_id: str = ""
    cut: int = 1

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("a call needs a name")
        if self.cut < 1:
            raise ValueError(f"cut must be 1 or more, not {self.cut!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Continued:
    """More argument text of a call that was begun: the one with this number, counted from 0."""

    slot: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """The count so far, as a provider tells it."""

    usage: UsageDelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The provider's label for the end of the turn. More may follow it, as on a real wire."""

    reason: StopReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What the adapter asks to have back with this turn, in JSON terms."""

    payload: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclear:
    """The calls of the turn cannot be told apart, for this reason."""

    damage: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Quiet:
    """Bytes came and meant nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Nothing more comes until the gate of this name is opened."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """The turn breaks here. Units: `retry_after_s` is what the provider asks us to wait."""

    kind: FaultKind
    words: str = ""
    status: int | None = None
    retry_after_s: float | None = None


Utterance = Said | Whole | Called | Continued | Used | Finished | Carried | Unclear
"""What belongs to the turn."""
Step = Utterance | Quiet | Gate | Fault
Attempt = tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedTurn:
    """One turn of a script. Legal: an attempt at least, nothing behind a fault, no text for a call not yet begun."""

    attempts: tuple[Attempt, ...]

    def __post_init__(self) -> None:
        if not self.attempts:
            raise ValueError("a turn needs an attempt")
        for attempt in self.attempts:
            _check(attempt)


def turn(*steps: Step, again: tuple[Attempt, ...] = ()) -> ScriptedTurn:
    """A turn of these steps; `again` holds the attempts that follow when it is asked anew."""
    return ScriptedTurn(attempts=(steps, *again))


def _check(attempt: Attempt) -> None:
    calls = 0
    for at, step in enumerate(attempt):
        calls += isinstance(step, Called)
        if isinstance(step, Continued) and not 0 <= step.slot < calls:
            raise ValueError(f"expected the number of a call that is begun, of {calls}, came {step.slot!r}")
        if isinstance(step, Fault) and at + 1 < len(attempt):
            raise ValueError(f"expected nothing behind {step.kind.value!r}, came {type(attempt[at + 1]).__name__!r}")
