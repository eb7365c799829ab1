"""A server on a socket of its own, by uvicorn, until somebody asks for the end.

In: a server, where it listens, and what asks for the end. Out: nothing; whoever waits is told the address it has.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Coroutine, Generator
from typing import Any, Final

import uvicorn

from treadle.app.server import Server
from treadle.server.access.exposure import check_exposed
from treadle.server.web_socket_messages import MAX_MESSAGE_BYTES

DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8000
GRACE_S: Final = 5
"""Seconds that open connections have after the runs have drained and the streams were ended."""
UNACKNOWLEDGED_MS: Final = 60_000
"""After which the system itself drops a connection whose client takes nothing, where it can."""


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens there. Port 0 is any that is free.

    Raises:
        OSError: The port is taken, or there is no such host.
    """
    family, kind, number, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[
        0
    ]
    listener = socket.socket(family, kind, number)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            # Accepted sockets inherit it. A stream that was ended because its client reads nothing still has bytes in
            # the system, and would keep its socket until they are taken.
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS)
        listener.bind(address)
        listener.setblocking(False)  # noqa: FBT003 (the name says it)
    except OSError:
        listener.close()
        raise
    return listener


def url_of(listener: socket.socket) -> str:
    """The address of a socket, as a client on this machine says it."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = DEFAULT_HOST
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


async def serve(
    server: Server,
    listener: socket.socket,
    *,
    told: Callable[[str], None],
    asked: Callable[[], Coroutine[Any, Any, None]],
) -> None:
    """Serve on this socket until `asked` comes back; then drain, end the streams and close.

    Args:
        told: Is told the address, once it answers.
    Raises:
        UnguardedError: Nobody is asked who they are, and others than this machine could come.
        StoreOwnedError: Another process has the store.
    """
    check_exposed(listener.getsockname()[0], server.access)
    config = uvicorn.Config(
        server.asgi,
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
        ws="websockets-sansio",
        ws_max_size=MAX_MESSAGE_BYTES,
        # Each message is small and made once for all who read it; compressed, it would be made once for each.
        ws_per_message_deflate=False,
    )
    async with server:
        web = _Web(config)

        def ready() -> None:
            url = url_of(listener)
            server.serves_at(url)
            told(url)

        web.ready = ready
        serving = asyncio.create_task(web.serve(sockets=[listener]), name="treadle web")
        asking = asyncio.create_task(asked(), name="treadle end")
        try:
            await asyncio.wait((serving, asking), return_when=asyncio.FIRST_COMPLETED)
            await server.drain()
        finally:
            asking.cancel()
            web.should_exit = True
            await serving


class _Web(uvicorn.Server):
    """uvicorn, without hands on this process's signals: who is asked for the end decides elsewhere."""

    ready: Callable[[], None]

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave the signals alone."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Say when it answers."""
        await super().startup(sockets=sockets)
        if self.started:
            self.ready()
