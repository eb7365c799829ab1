"""A model's call of a tool, and what came of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from treadle.values.ids import NO_CALL, CallId
from treadle.values.making import maker, quickly_made
from treadle.values.mappings import FrozenDict, empty, frozen


class ToolStatus(StrEnum):
    """How a call ended. Closed: every reader may rely on these seven."""

    OK = "ok"
    FAILED = "failed"
    """The tool raised, or its arguments were damaged and it never ran."""
    DENIED = "denied"
    """A person said no."""
    REFUSED = "refused"
    """Policy said no: a limit, an unknown tool."""
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"
    """It was started and nobody knows whether it took effect."""


# A member of an enum is looked up by the enum's class, which is slow where every call does it.
_OK: Final = ToolStatus.OK


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest:
    """One call. The kernel assigns `call_id`; an adapter leaves it empty.

    Shape: `arguments` is a mapping, deeply read-only.
    """

    call_id: CallId = NO_CALL
    name: str
    arguments: Mapping[str, Any] = field(default_factory=empty)
    provider_id: str = ""
    """The provider's own id for the call; used only towards that provider."""
    raw_arguments: str | None = None
    """The argument text as it came, kept where it could not be read as an object."""
    damage: str | None = None
    """Why the call must not run, in words for the model; None for a whole call."""

    def __post_init__(self) -> None:
        if type(self.arguments) is FrozenDict:
            return
        if type(self.arguments) is not dict and not isinstance(self.arguments, Mapping):
            raise TypeError(f"arguments must be a mapping, not {type(self.arguments).__name__!r}")
        object.__setattr__(self, "arguments", frozen(self.arguments))

    def named(self, call_id: CallId, *, damage: str | None) -> ToolRequest:
        """The request with the id that the kernel gave it, and what else is wrong with it."""
        # Written out: the general way to change a value costs four times as much, and every call comes through here.
        return _request(
            call_id=call_id,
            name=self.name,
            arguments=self.arguments,
            provider_id=self.provider_id,
            raw_arguments=self.raw_arguments,
            damage=damage,
        )


_request = maker(ToolRequest)


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """What came of a call.

    Shape: `content` is the tool's result in JSON terms (mappings read-only, sequences tuples); `error` is the
    text the model is told where the status is not `ok`.
    Units: `duration_ms` is milliseconds from dispatch to result; 0.0 where it never ran.
    """

    call_id: CallId
    status: ToolStatus = ToolStatus.OK
    content: Any = None
    error: str | None = None
    duration_ms: float = 0.0

    def __post_init__(self) -> None:
        if type(self.content) is not str:
            object.__setattr__(self, "content", frozen(self.content))
        if type(self.status) is not ToolStatus:
            object.__setattr__(self, "status", ToolStatus(self.status))
        if not 0 <= self.duration_ms < math.inf:
            raise ValueError(f"duration_ms must be a finite number of 0 or more, not {self.duration_ms!r}")
        if (self.status is _OK) == bool(self.error):
            rule = "has no error" if self.status is _OK else "needs an error text"
            raise ValueError(f"a call that ended {self.status.value!r} {rule}, came {self.error!r}")

    @property
    def is_error(self) -> bool:
        """Whether the model is told of an error: any status but `ok`."""
        return self.status is not _OK
