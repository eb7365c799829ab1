"""The port to the tools of an agent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from treadle.values.calls import ToolRequest
from treadle.values.making import quickly_made
from treadle.values.mappings import Json
from treadle.values.tools import ToolSpec


class StopFlag(Protocol):
    """Whether the run no longer wants the call. A blocking tool looks at it from its thread."""

    def is_set(self) -> bool:
        """True once the call is to stop."""
        ...


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """What a running call may use.

    `progress` tells readers how far the call is, and waits while they are too far behind.
    """

    progress: Callable[[Json], Awaitable[None]]
    stop: StopFlag


class Toolbox(Protocol):
    """Tools that a model may call."""

    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools, in the order in which the model is told of them."""
        ...

    def checked(self, request: ToolRequest, /) -> ToolRequest:
        """The request as it may run, or with `damage` saying, in words for the model, why it must not.

        An unknown tool and arguments of a wrong type are damage. A request that is damaged stays as it is.
        """
        ...

    def needs_approval(self, request: ToolRequest, /) -> bool:
        """Whether a person must allow this checked request before it runs. Where that cannot be told, they must."""
        ...

    async def call(self, request: ToolRequest, context: CallContext, /) -> Json:
        """Run a checked request and give its result in JSON terms.

        Raises:
            ToolError: The tool tells the model, in these words, why it could not.
            Exception: Anything else; the model is told the class and a fixed sentence.
        Cancel:  The call stops; a blocking function is left to end by itself, its stop flag set, and the
                 cancellation is raised only when it has ended.
        """
        ...
