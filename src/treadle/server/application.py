"""The ASGI application of a server: its routes, what stands before them, and what becomes of an exception.

In: the parts of a server. Out: an application. It starts and stops nothing. Starlette's router finds the path; what is
refused is answered here and never raised: an application that this one is mounted in would answer in its own words.

Source: docs/server.md.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as StarletteRoute
from starlette.routing import Router, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from treadle.errors import StoppingError
from treadle.server.access.failures import refusal
from treadle.server.access.hosts import AllowedHosts
from treadle.server.access.origins import SameOrigin, with_cors
from treadle.server.answers import answer
from treadle.server.delivery import Delivery
from treadle.server.metrics import Metrics
from treadle.server.openapi import document
from treadle.server.owner import Owner, OwnerDoor
from treadle.server.parts import ServerParts
from treadle.server.routes import Row, answering
from treadle.server.web_socket import PATH as SOCKET_PATH
from treadle.server.web_socket import SocketDoor

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]
LATER: Final = "treadle.later"


def application(
    parts: ServerParts,
    *,
    routes: Sequence[Row],
    owner: Owner,
    hosts: Collection[str] | None,
    origins: Collection[str],
) -> ASGIApp:
    """The application of these parts.

    Args:
        routes: What stands behind the door: ours, and those of the wires that it speaks.
        owner: Who may come in by the door of commands.
        hosts: The names that it answers for; None: those of this machine.
        origins: Whose pages may call it.
    """
    paths = {**_guarded(parts, routes), **_open(parts)}
    found = [StarletteRoute(path, Path(by_method, parts.metrics)) for path, by_method in paths.items()]
    sockets = WebSocketRoute(SOCKET_PATH, SocketDoor(parts))
    router = Router([*found, sockets], redirect_slashes=False, default=Path({}, parts.metrics))
    guarded = AllowedHosts(with_cors(SameOrigin(router, origins), origins), hosts)
    return OffTheStack(OwnerDoor(guarded, owner))


class OffTheStack:
    """Sends a stream when all that led to it has returned, so that one that is open holds none of it.

    Shape:  what an inner application leaves in the scope under `LATER` is called after it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer, then send its stream, if it is one."""
        left: list[Callable[[], Awaitable[None]]] = []
        scope[LATER] = left
        await self._app(scope, receive, send)
        if left:
            await left.pop()()


class Path:
    """What stands at one path: an endpoint a method; where there is no method, nothing stands there.

    An application of its own and not a function, so that a stream is sent through nothing of the framework's.
    """

    def __init__(self, by_method: Mapping[str, Endpoint], metrics: Metrics) -> None:
        self._by_method = by_method
        self._metrics = metrics
        self._allowed = sorted({*by_method, "HEAD"} if "GET" in by_method else by_method)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, whatever comes of it."""
        try:
            endpoint = self._endpoint(scope)
            response = await endpoint(Request(scope, receive, send))
        except Exception as error:  # noqa: BLE001 (the border of a request: each exception has its refusal)
            said = refusal(error)
            self._metrics.refusals.labels(said.code).inc()
            await said.send(scope, receive, send)
            return
        if isinstance(response, Delivery) and LATER in scope:
            scope[LATER].append(partial(response, scope, receive, send))
        else:
            await response(scope, receive, send)

    def _endpoint(self, scope: Scope) -> Endpoint:
        if scope["type"] != "http" or not self._by_method:
            raise HTTPException(status_code=404)
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        if method not in self._by_method:
            raise HTTPException(status_code=405, headers={"Allow": ", ".join(self._allowed)})
        return self._by_method[method]


def _guarded(parts: ServerParts, routes: Sequence[Row]) -> dict[str, dict[str, Endpoint]]:
    by_path: dict[str, dict[str, Endpoint]] = {}
    for route in routes:
        by_path.setdefault(route.path, {})[route.method] = answering(route, parts)
    return by_path


def _open(parts: ServerParts) -> dict[str, dict[str, Endpoint]]:
    """What says nothing that depends on anybody."""

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

    return {"/healthz": {"GET": healthz}, "/readyz": {"GET": readyz}, "/openapi.json": {"GET": openapi}}
