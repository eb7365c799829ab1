"""The card of each agent, open to everybody, at the well-known places below it.

In: what the server was told of itself. Out: a card. The address in it is the one that was configured. Without one, a
client that has reached this machine by a name of this machine itself is told that; nobody else is told anything, since
an address that was made up from a header would send other clients to whoever wrote the header.

Source: the A2A specification, "Agent Discovery".
"""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from treadle.codec.foreign import json_bytes
from treadle.errors import AgentNotFoundError, BadRequestError
from treadle.projections.a2a.card import CardFacts, Scheme, card
from treadle.server.access.api_keys import ApiKeys
from treadle.server.access.bearer_jwt import BearerJwt
from treadle.server.access.entrance import Access
from treadle.server.access.hosts import host_of
from treadle.server.access.loopback import is_loopback
from treadle.server.parts import ServerParts
from treadle.server.routes import OpenRoute
from treadle.server.wires.a2a.mounted import Mounted
from treadle.server.wires.streaming import AGENT

PLACES: Final = ("/.well-known/agent-card.json", "/.well-known/agent.json")
"""Where clients look: the place of today, and the one before it."""
_KEPT_S: Final = 300


def card_routes(mounted: Mounted) -> tuple[OpenRoute, ...]:
    """The places of an agent's card."""

    async def read_card(parts: ServerParts, request: Request) -> Response:
        name = request.path_params[AGENT]
        if name not in parts.agents:
            raise AgentNotFoundError(f"no agent is called {name[:256]!r}")
        said = card(
            name,
            url=f"{_address(parts, request)}{mounted.path}/{name}",
            facts=mounted.settings.cards.get(name, CardFacts()),
            notifies=mounted.pushes.are_on,
            scheme=_scheme(parts.entrance.access),
        )
        kept = {"cache-control": f"public, max-age={_KEPT_S}", "vary": "Host"}
        return Response(json_bytes(said), media_type="application/json", headers=kept)

    return tuple(OpenRoute(method="GET", path=f"{mounted.agent_path}{place}", endpoint=read_card) for place in PLACES)


def _address(parts: ServerParts, request: Request) -> str:
    """Where the application is reached.

    Raises:
        BadRequestError: Nobody said so, and the request names no machine that could be trusted to say it.
    """
    if parts.public_url is not None:
        return parts.public_url
    named = request.headers.getlist("host")
    host = host_of(named[0]) if len(named) == 1 else None
    if host is None or not is_loopback(host):
        raise BadRequestError(
            "a card says where its agent is reached, and this server was not told: give `Server` a "
            "`Sites(public_url=...)`"
        )
    return f"{request.url.scheme}://{named[0].strip()}{request.scope.get('root_path', '')}"


def _scheme(access: Access) -> Scheme | None:
    """How clients say who they are, where this library knows what asks them."""
    if isinstance(access, ApiKeys):
        return Scheme.API_KEY
    return Scheme.BEARER if isinstance(access, BearerJwt) else None
