"""The door of the server: from a connection to somebody who may be asked about, and later whether that still holds.

In: connections, tickets. Out: who asks, with what proved it. Knows nothing of routes.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection

from treadle.errors import (
    AccessError,
    AccessUnavailableError,
    MisuseError,
    RunNotFoundError,
    TicketError,
    UnauthenticatedError,
)
from treadle.ports.clock import Clock
from treadle.server.access.anonymous import Anonymous
from treadle.server.access.authorizing import authorize
from treadle.server.access.principal import Action, Principal
from treadle.server.access.tickets import Tickets
from treadle.values.ids import RunId
from treadle.values.runs import RunState

Answer: TypeAlias = Principal | None
Access: TypeAlias = Callable[[HTTPConnection], Awaitable[Answer]] | Callable[[HTTPConnection], Answer]
"""An authenticator, or a function of the user's own: it says who asks, or None where it knows nobody."""

TICKET_PARAMETER = "ticket"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Somebody who was let in. Two entries are the same where their principals are."""

    principal: Principal
    proof: HTTPConnection = field(compare=False, repr=False)
    """The connection whose headers said who asks; of a stream that a ticket opened, the one that asked for it."""


class Entrance:
    """Lets connections in. One a server.

    Args:
        access: Says who asks. None: nobody is asked, and only this machine is served.
    """

    def __init__(self, access: Access | None, *, clock: Clock, tickets: Tickets[Entry] | None = None) -> None:
        self.access: Access = Anonymous() if access is None else access
        self._clock = clock
        self._tickets = Tickets[Entry](clock) if tickets is None else tickets
        self._waits = _is_async(self.access)

    async def enter(self, connection: HTTPConnection, *, run_id: RunId | None = None) -> Entry:
        """Say who asks.

        Args:
            run_id: The run whose events are asked for; for those alone a ticket in the address does.
        Raises:
            UnauthenticatedError: Nobody is known by what the connection carries.
            AccessUnavailableError: It cannot be found out now.
        """
        shown = connection.query_params.getlist(TICKET_PARAMETER) if run_id is not None else []
        if not shown or run_id is None:
            return Entry(principal=await self._principal(connection), proof=connection)
        if len(shown) > 1:
            raise TicketError(f"expected one ticket, came {len(shown)}")
        return await self.redeem(shown[0], run_id)

    async def redeem(self, ticket: str, run_id: RunId) -> Entry:
        """Say who asked for a ticket, for the events of its run alone. It is spent by this.

        Raises:
            TicketError: It opens nothing here.
            UnauthenticatedError: Whoever asked for it is not known any more.
            AccessUnavailableError: It cannot be found out now.
        """
        entry = self._tickets.redeem(ticket, run_id)
        return Entry(principal=await self._principal(entry.proof), proof=entry.proof)

    def ticket(self, entry: Entry, run_id: RunId) -> str:
        """A ticket for the events of a run, which whoever entered may read: ask `authorize` first.

        Raises:
            TooManyTicketsError: There are as many unspent ones as there may be.
        """
        return self._tickets.issue(entry, run_id)

    async def still_allowed(self, entry: Entry, action: Action, run: RunState | None) -> bool:
        """Whether somebody who was let in would be let in and allowed again. For streams that last.

        Where it cannot be found out now, what was found before holds, until the proof itself has ended.
        """
        try:
            principal = await self._principal(entry.proof)
        except AccessUnavailableError:
            principal = entry.principal
        except AccessError:
            return False
        if principal != entry.principal or self._is_over(principal):
            return False
        try:
            authorize(principal, action, run)
        except (AccessError, RunNotFoundError):
            return False
        return True

    async def _principal(self, connection: HTTPConnection) -> Principal:
        found = self.access(connection) if self._waits else await run_in_threadpool(self.access, connection)
        if not isinstance(found, Principal) and inspect.isawaitable(found):
            found = await found
        if found is None:
            raise UnauthenticatedError("the request says nothing by which anybody is known")
        if not isinstance(found, Principal):
            raise MisuseError(f"expected a Principal or None from `access`, came {type(found).__name__}")
        if self._is_over(found):
            raise UnauthenticatedError("the proof of who asks is over", challenge='Bearer error="invalid_token"')
        return found

    def _is_over(self, principal: Principal) -> bool:
        return principal.until_s is not None and principal.until_s <= self._clock.now_s()


def _is_async(access: Access) -> bool:
    return inspect.iscoroutinefunction(access) or inspect.iscoroutinefunction(type(access).__call__)
