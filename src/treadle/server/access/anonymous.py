"""Everybody is one principal: for one's own machine.

In: a connection from this machine. Out: always the same principal.
"""

from __future__ import annotations

from starlette.requests import HTTPConnection

from treadle.errors import UnauthenticatedError
from treadle.server.access.loopback import is_foreign_address
from treadle.server.access.principal import Action, Principal


class Anonymous:
    """The authenticator of a server that asks nobody who they are. It serves the machine that it runs on."""

    def __init__(self, *, scope: str = "default") -> None:
        self._principal = Principal(name="anonymous", scope=scope, may=frozenset(Action))

    async def __call__(self, connection: HTTPConnection, /) -> Principal:
        """The one principal there is.

        Raises:
            UnauthenticatedError: The connection comes from another machine.
        """
        client = connection.client
        if client is not None and is_foreign_address(client.host):
            raise UnauthenticatedError(
                f"this server asks nobody who they are and so serves its own machine alone, not {client.host!r}; "
                "give `Server` an `access`"
            )
        return self._principal

    def __repr__(self) -> str:
        return f"Anonymous(scope={self._principal.scope!r})"
