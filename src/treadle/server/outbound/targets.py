"""An address that a client gave, to the addresses of machines that may be called for it.

In: a URL, and who knows what names stand for. Out: where to connect to, or a refusal. *Every* address of a name is held
against the rules: one that is not public refuses the name. Whoever connects takes these very addresses and asks no name
server again, so that a name which stands for something else a moment later gains nothing.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias
from urllib.parse import SplitResult, urlsplit

from treadle.errors import OutboundRefusedError
from treadle.server.outbound.addresses import may_be_called
from treadle.server.outbound.rules import OutboundRules

Resolve: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""The addresses that a name stands for now. It raises `OSError` where it stands for none."""

LONGEST_URL: Final = 2048
_PORTS: Final = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a client wants to be called.

    Shape: `path` has the query in it. `authority` is what the `Host` header says.
    """

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """The host, and the port where it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def target_of(url: str, rules: OutboundRules) -> Target:
    """What a URL names.

    Raises:
        OutboundRefusedError: It is none that may be called.
    """
    if len(url) > LONGEST_URL or not (url.isascii() and url.isprintable()) or " " in url or "\\" in url:
        raise OutboundRefusedError(f"a url has at most {LONGEST_URL} characters, all of them visible ASCII")
    named, port = _split(url)
    if named.scheme not in _PORTS or (named.scheme == "http" and not rules.allow_http):
        expected = "http or https" if rules.allow_http else "https"
        raise OutboundRefusedError(f"expected a url of {expected}, came {named.scheme[:20]!r}")
    if not named.hostname or named.username is not None or named.password is not None:
        raise OutboundRefusedError("a url names a host, and nobody's name or password")
    path = f"{named.path or '/'}{f'?{named.query}' if named.query else ''}"
    return Target(scheme=named.scheme, host=named.hostname, port=port or _PORTS[named.scheme], path=path)


async def addresses_of(target: Target, rules: OutboundRules, resolve: Resolve) -> tuple[str, ...]:
    """The addresses of a target, each of which may be called.

    Raises:
        OutboundRefusedError: One of them may not.
        OSError: It has none now.
    """
    found = tuple(dict.fromkeys(await resolve(target.host, target.port)))
    if not found:
        raise OSError(f"{target.host!r} stands for no address")
    if not all(may_be_called(one, rules.allowed) for one in found):
        raise OutboundRefusedError("the url leads to an address that may not be called from here")
    return found


async def system_resolve(host: str, port: int) -> Sequence[str]:
    """What this machine's name servers say."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as wrong:
        raise OSError(f"{host[:80]!r} is no name of a host") from wrong
    return [str(address[0]) for *_, address in found]


def _split(url: str) -> tuple[SplitResult, int | None]:
    try:
        named = urlsplit(url)
        port = named.port
    except ValueError as wrong:
        raise OutboundRefusedError("the url cannot be read") from wrong
    return named, port
