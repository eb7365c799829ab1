"""The names that a server answers for.

In: requests. Out: the same requests, or a refusal where `Host` names somebody else. A page whose name is made to point
at this machine (DNS rebinding) still says its own name there, and so gets nothing. An ASGI middleware of its own, since
Starlette's refuses in plain text and without a code.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from treadle.errors import HostRefusedError
from treadle.server.access.failures import refusal
from treadle.server.access.loopback import is_loopback
from treadle.server.access.said_headers import values_of

ANY_HOST: Final = "*"


class AllowedHosts:
    """Lets requests through that name one of these hosts, on any port.

    Shape:  a host is a name, an address (IPv6 with or without brackets), `*.name` for every name below, or `*`. None:
            the names of this machine alone.
    Raises:
        ValueError: A `*` stands elsewhere.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] | None = None) -> None:
        self._app = app
        self._loopback = hosts is None
        self._hosts = frozenset(_bare(host) for host in hosts or ())
        for host in self._hosts:
            if "*" in host.removeprefix("*.") and host != ANY_HOST:
                raise ValueError(f"expected a host, '*.name' or '*', came {host!r}")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let the application answer."""
        if scope["type"] not in ("http", "websocket") or self.allows(scope):
            await self._app(scope, receive, send)
            return
        named = values_of(scope, b"host")[:1] or [""]
        error = HostRefusedError(f"expected a host of `Sites.hosts`, came {named[0][:80]!r}")
        await refusal(error).send(scope, receive, send)

    def allows(self, scope: Scope) -> bool:
        """Whether the request names a host of the list."""
        if ANY_HOST in self._hosts:
            return True
        named = values_of(scope, b"host")
        host = host_of(named[0]) if len(named) == 1 else None
        if host is None:
            return False
        if self._loopback:
            return is_loopback(host)
        return host in self._hosts or any(f"*.{above}" in self._hosts for above in _above(host))


@lru_cache(maxsize=256)
def host_of(header: str) -> str | None:
    """The host that a `Host` header names, in small letters and without brackets; None where it names none."""
    text = header.strip(" \t").lower()
    if text.startswith("["):
        name, bracket, port = text[1:].partition("]")
        fits = bool(bracket) and (not port or (port[0] == ":" and _is_port(port[1:])))
        return name if fits and name and ":" in name else None
    name, colon, port = text.partition(":")
    if not name or (colon and not _is_port(port)) or not set(name) <= _NAME_SIGNS:
        return None
    return name.removesuffix(".") or None


_NAME_SIGNS: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-._")


def _is_port(text: str) -> bool:
    return len(text) <= 5 and (not text or (text.isascii() and text.isdecimal()))


def _bare(host: str) -> str:
    return host.strip().lower().removeprefix("[").removesuffix("]").removesuffix(".")


def _above(host: str) -> list[str]:
    parts = host.split(".")
    return [".".join(parts[number:]) for number in range(1, len(parts))]
