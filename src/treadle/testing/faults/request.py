"""Bytes of an HTTP/1.1 connection to requests.

Reads just what a client of a model provider sends: a head and a body of stated length. Anything else is refused.

Source: RFC 9112.
"""

import asyncio
from dataclasses import dataclass

MAX_BODY_BYTES = 64 * 1024 * 1024


class BadRequestLineError(ValueError):
    """The bytes are no request this server reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One request, whole."""

    method: str
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def keeps_open(self) -> bool:
        """Whether the client means to send another request on this connection."""
        return self.headers.get("connection", "").lower() != "close"


async def read_request(reader: asyncio.StreamReader) -> HttpRequest | None:
    """Read the next request; None when the client is done with the connection.

    Raises:
        BadRequestLineError: No request, or one without a stated length.
    """
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    except asyncio.LimitOverrunError as error:
        raise BadRequestLineError("head of a request is too long") from error
    request_line, *lines = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    words = request_line.split(" ")
    length = headers.get("content-length", "0")
    if len(words) != 3 or "transfer-encoding" in headers or not length.isdecimal() or int(length) > MAX_BODY_BYTES:
        raise BadRequestLineError(f"request with a stated length expected, not {request_line!r}")
    try:
        body = await reader.readexactly(int(length))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    return HttpRequest(method=words[0], path=words[1], headers=headers, body=body)
