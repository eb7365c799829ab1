"""Whose pages may call this server from a browser.

In: requests. Out: the same requests, or a refusal. Two things are here: CORS, which lets named origins read what is
answered and is Starlette's own, and the check that no other page changes anything by a request that a browser sends
without asking (a form, a simple `fetch`, a WebSocket).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from treadle.errors import OriginRefusedError
from treadle.server.access.failures import refusal
from treadle.server.access.hosts import host_of
from treadle.server.access.said_headers import values_of

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_SITES: Final = frozenset({"same-origin", "none"})
_METHODS: Final = ("GET", "POST", "DELETE")
_MCP_HEADERS: Final = ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id")
_HEADERS: Final = ("Authorization", "Content-Type", "Last-Event-ID", "X-API-Key", *_MCP_HEADERS)
_SHOWN_HEADERS: Final = ("Location", "Mcp-Session-Id", "Retry-After", "WWW-Authenticate")
_PORTS: Final = {"http": 80, "https": 443}


class SameOrigin:
    """Refuses what pages of other origins send to change something, or to open a socket.

    Shape:  `origins` are those that may, as `https://name[:port]`; `*` is all. A request without the headers of a
            browser is no page's, and passes.
    """

    def __init__(self, app: ASGIApp, origins: Collection[str] = ()) -> None:
        self._app = app
        self._origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let the application answer."""
        if scope["type"] not in ("http", "websocket") or self.allows(scope):
            await self._app(scope, receive, send)
            return
        came = values_of(scope, b"origin")[:1] or [""]
        error = OriginRefusedError(f"expected an origin of `Sites.origins` or this server's own, came {came[0][:80]!r}")
        await refusal(error).send(scope, receive, send)

    def allows(self, scope: Scope) -> bool:
        """Whether the request is safe, or no foreign page's."""
        if scope["type"] != "websocket" and scope["method"] in SAFE_METHODS:
            return True
        origins = values_of(scope, b"origin")
        if "*" in self._origins or (len(origins) == 1 and origins[0] in self._origins):
            return True
        if sites := values_of(scope, b"sec-fetch-site"):
            return sites[0] in _OWN_SITES
        return not origins or (len(origins) == 1 and _is_own(origins[0], values_of(scope, b"host")))


def with_cors(app: ASGIApp, origins: Collection[str]) -> ASGIApp:
    """The application, with answers that pages of these origins may read; without any, the application itself."""
    if not origins:
        return app
    return CORSMiddleware(
        app,
        allow_origins=tuple(origins),
        allow_methods=_METHODS,
        allow_headers=_HEADERS,
        expose_headers=_SHOWN_HEADERS,
        allow_credentials=False,
    )


def _is_own(origin: str, hosts: list[str]) -> bool:
    """Whether a page came from where the request goes: same host and port. A proxy may have taken the TLS off."""
    try:
        split = urlsplit(origin)
        port = split.port or _PORTS.get(split.scheme)
    except ValueError:
        return False
    if len(hosts) != 1 or split.hostname is None or split.scheme not in _PORTS:
        return False
    named = hosts[0].strip(" \t").lower()
    if host_of(named) != host_of(split.netloc.lower()):
        return False
    told = named.rpartition(":")[2] if not named.endswith("]") and ":" in named else ""
    return told == str(port) or (not told and port in _PORTS.values())
