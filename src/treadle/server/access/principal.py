"""Who asks, and what they may do.

In: nothing. Out: values. Knows nothing of how a name is proved.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from starlette.requests import HTTPConnection


class Action(StrEnum):
    """What a route does, as far as access is concerned."""

    START = "start"
    READ = "read"
    CANCEL = "cancel"
    DELETE = "delete"
    LIST = "list"
    AGENTS = "agents"
    METRICS = "metrics"
    ANSWER = "answer"


ABOUT_A_RUN: Final = frozenset({Action.READ, Action.CANCEL, Action.DELETE, Action.ANSWER})
"""Actions that are done to one run, which has to be the principal's own."""
USER_ACTIONS: Final = tuple(action for action in Action if action is not Action.METRICS)
"""What a principal may do where nothing is said. Metrics count the runs of all scopes, so they are given by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Somebody who asks, known by name.

    Shape:  `scope` says whose runs are theirs; nothing is ever seen across scopes. Two are the same where name and
            scope are: by these is counted what each may have.
    Units:  `until_s` is UTC seconds: when the proof of the name ends. None: it does not end by itself.
    """

    name: str
    scope: str
    may: Collection[Action] = field(default=USER_ACTIONS, compare=False)
    until_s: float | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for part in ("name", "scope"):
            if not isinstance(value := getattr(self, part), str) or not value:
                raise ValueError(f"the {part} of a principal is text that is not empty, came {type(value).__name__}")
        object.__setattr__(self, "may", frozenset(Action(action) for action in self.may))


class Authenticator(Protocol):
    """Finds out who asks."""

    async def __call__(self, connection: HTTPConnection, /) -> Principal:
        """Say who asks.

        Shape:  reads the headers, never the body; asked again while a stream is open, so it gives the same answer
                for the same connection as long as that answer holds.
        Raises:
            UnauthenticatedError: Nobody is known by what the connection carries.
            AccessUnavailableError: It cannot be found out now.
        """
        ...
