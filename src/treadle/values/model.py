"""What a model says: pieces while it speaks, and the whole turn when it has spoken."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from treadle.values.calls import ToolRequest
from treadle.values.making import maker, quickly_made
from treadle.values.usage import NO_USAGE, UsageDelta

TEXT: Final = "text"
THINKING: Final = "thinking"
ARGUMENTS: Final = "arguments"

Piece = tuple[str, str]
"""A delta on its short road: (`TEXT` | `THINKING` | `ARGUMENTS`, text). Arguments belong to the call last named."""


class StopReason(StrEnum):
    """Why a provider says that the model stopped. A label, not a proof: the kernel decides from content."""

    STOP = "stop"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    CONTENT_FILTER = "content_filter"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDelta:
    """One increment of model speech as a value: what a `Piece` says, for those who want a name for it."""

    kind: str
    text: str


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class CallNamed:
    """The model speaks of a call: a new one, or again one it has begun.

    Shape: `slot` counts the calls of the turn from 0 in the order they were opened; argument pieces that follow
    belong to it until another `CallNamed`.
    """

    slot: int
    name: str
    provider_id: str = ""


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTurn:
    """One whole answer of a model.

    Shape: `tool_requests` in the order of their slots, without call ids: those are the kernel's to give.
    """

    text: str = ""
    tool_requests: tuple[ToolRequest, ...] = ()
    usage: UsageDelta = NO_USAGE
    stop_reason: StopReason | None = None
    payload: Any = None
    """The adapter's own object. Carried, never read, handed back when the turn is told again."""
    damage: str | None = None
    """Why the calls of this turn cannot be told apart; none of them runs."""
    thinking: str = ""

    def calling(self, requests: tuple[ToolRequest, ...]) -> ModelTurn:
        """The turn with its calls as the kernel knows them."""
        # Written out for its price, as in `ToolRequest.named`.
        return _turn(
            text=self.text,
            tool_requests=requests,
            usage=self.usage,
            stop_reason=self.stop_reason,
            payload=self.payload,
            damage=self.damage,
            thinking=self.thinking,
        )


_turn = maker(ModelTurn)


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageTold:
    """The provider's count for this turn so far. Cumulative: a later one replaces it."""

    usage: UsageDelta


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """The last thing an adapter yields for a turn that ended in good order."""

    turn: ModelTurn


ModelItem = Piece | CallNamed | UsageTold | TurnEnded
"""What an adapter yields, in lists: one list a provider read."""
