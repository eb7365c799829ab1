"""The ASGI application of a server: its routes, what stands before them, and what becomes of an exception.

In: the parts of a server. Out: an application. It starts and stops nothing.

Source: docs/server.md.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import TypeAlias

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.routing import Route as StarletteRoute
from starlette.types import ASGIApp

from treadle.errors import StoppingError
from treadle.server.access.failures import refusal
from treadle.server.access.hosts import AllowedHosts
from treadle.server.access.origins import SameOrigin, with_cors
from treadle.server.answers import answer
from treadle.server.openapi import document
from treadle.server.parts import ServerParts
from treadle.server.routes import ROUTES, answering

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]
Told: TypeAlias = Callable[[Request, Exception], Response]


def application(
    parts: ServerParts,
    *,
    allowed_hosts: Collection[str] | None,
    allow_origins: Collection[str],
) -> ASGIApp:
    """The application of these parts.

    Args:
        allowed_hosts: The names that it answers for; None: those of this machine.
        allow_origins: Whose pages may call it.
    """
    told = _told(parts)
    app = Starlette(
        routes=_routes(parts),
        # What an endpoint raises is caught where it is called: Starlette would raise it again to the server's own log.
        exception_handlers={HTTPException: told},
    )
    app.router.redirect_slashes = False
    guarded: ASGIApp = SameOrigin(app, allow_origins)
    return AllowedHosts(with_cors(guarded, allow_origins), allowed_hosts)


def _routes(parts: ServerParts) -> Sequence[BaseRoute]:
    """One Starlette route a path, so that a method that a path has not is told with those that it has."""
    by_path: dict[str, dict[str, Endpoint]] = {}
    for route in ROUTES:
        by_path.setdefault(route.path, {})[route.method] = answering(route, parts)
    found: list[BaseRoute] = [
        StarletteRoute(path, _by_method(endpoints, _told(parts)), methods=[*endpoints])
        for path, endpoints in by_path.items()
    ]
    return [*found, *_open_routes(parts)]


def _by_method(endpoints: Mapping[str, Endpoint], told: Told) -> Endpoint:
    async def answered(request: Request) -> Response:
        try:
            return await endpoints["GET" if request.method == "HEAD" else request.method](request)
        except Exception as error:  # noqa: BLE001 (the border of a request: each exception has its refusal)
            return told(request, error)

    return answered


def _open_routes(parts: ServerParts) -> Sequence[BaseRoute]:
    async def healthz(_: Request) -> Response:
        return answer({"status": "ok"})

    async def readyz(_: Request) -> Response:
        try:
            parts.check_open()
        except StoppingError:
            return answer({"status": "stopping"}, status=503)
        return answer({"status": "ok"})

    async def openapi(request: Request) -> Response:
        return answer(document(root_path=request.scope.get("root_path", ""), agents=parts.agents))

    return [
        StarletteRoute("/healthz", healthz),
        StarletteRoute("/readyz", readyz),
        StarletteRoute("/openapi.json", openapi),
    ]


def _told(parts: ServerParts) -> Told:
    def told(_: Request, error: Exception) -> Response:
        said = refusal(error)
        parts.metrics.refusals.labels(said.code).inc()
        return said.response()

    return told
