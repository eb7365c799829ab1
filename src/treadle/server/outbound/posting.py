"""One request to one address, by HTTP/1.1: the answer's status, and nothing else of it.

In: a target and an address that was checked for it. Out: a status. The connection is made to that address; TLS asks
for, and checks, the name of the target. No redirect is followed, no body of an answer is read, and the connection is
closed.

Source: ADR 0050 (webhooks go to checked addresses); the protocol itself is h11's.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Mapping
from typing import Final

import h11

from treadle.server.outbound.targets import Target

MOST_BYTES: Final = 64 * 1024
"""Of an answer, that are read for its status line and headers."""
_READ: Final = 4096


async def post(target: Target, address: str, *, headers: Mapping[str, str], body: bytes, tls: ssl.SSLContext) -> int:
    """Send a body there. How long it may take is the caller's business.

    Raises:
        OSError: There is no connection, its certificate is another's, or no answer of HTTP comes.
    """
    is_secure = target.scheme == "https"
    reader, writer = await asyncio.open_connection(
        address,
        target.port,
        ssl=tls if is_secure else None,
        server_hostname=target.host if is_secure else None,
    )
    try:
        return await _exchanged(reader, writer, _request(target, headers, body), body)
    except h11.ProtocolError as wrong:
        raise OSError("what answers there does not speak HTTP") from wrong
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def _request(target: Target, headers: Mapping[str, str], body: bytes) -> h11.Request:
    own = {"host": target.authority, "content-length": str(len(body)), "connection": "close", **headers}
    return h11.Request(method="POST", target=target.path, headers=list(own.items()))


async def _exchanged(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: h11.Request, body: bytes
) -> int:
    connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=MOST_BYTES)
    for said in (request, h11.Data(data=body), h11.EndOfMessage()):
        writer.write(connection.send(said) or b"")
    await writer.drain()
    while True:
        event = connection.next_event()
        if isinstance(event, h11.Response):
            return event.status_code
        if event is h11.NEED_DATA:
            connection.receive_data(await reader.read(_READ))
        elif not isinstance(event, h11.InformationalResponse):
            raise OSError("the connection was closed without an answer")
