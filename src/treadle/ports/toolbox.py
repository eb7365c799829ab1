"""The port to the tools of an agent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from treadle.values.calls import ToolRequest
from treadle.values.making import quickly_made
from treadle.values.mappings import Json, empty, frozen
from treadle.values.tools import ToolSpec


class StopFlag(Protocol):
    """Whether the run no longer wants the call. A blocking tool looks at it from its thread."""

    def is_set(self) -> bool:
        """True once the call is to stop."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptAsk:
    """What a running call wants to be told by a person.

    Shape: `payload` is in JSON terms; `schema` is a JSON schema of the answer, empty where anything will do.
    """

    name: str
    payload: Json = None
    schema: Mapping[str, Any] = field(default_factory=empty)

    def __post_init__(self) -> None:
        object.__setattr__(self, "payload", frozen(self.payload))
        object.__setattr__(self, "schema", frozen(self.schema))


class CallInterrupted(BaseException):
    """A running call has asked, and goes no further: it is called again when it is answered."""

    def __init__(self, ask: InterruptAsk) -> None:
        super().__init__(ask.name)
        self.ask = ask


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptAnswered:
    """What a call asked when it was called before, and what was said."""

    ask: InterruptAsk
    value: Json


@quickly_made
@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """What a running call may use.

    `progress` tells readers how far the call is, and waits while they are too far behind. `answered` holds what the
    call has asked so far, in order: it gets these answers where it asks again.
    """

    progress: Callable[[Json], Awaitable[None]]
    stop: StopFlag
    answered: tuple[InterruptAnswered, ...] = ()


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
            CallInterrupted: It asks a person something that `context` does not answer.
            Exception: Anything else; the model is told the class and a fixed sentence.
        Cancel:  The call stops; a blocking function is left to end by itself, its stop flag set, and the
                 cancellation is raised only when it has ended.
        """
        ...
