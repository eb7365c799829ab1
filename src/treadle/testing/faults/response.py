"""One HTTP/1.1 response, written as a scenario wants it: whole, chunk by chunk, cut, reset or held.

Knows nothing of scenarios. One write is one chunk of the body, so a reader sees the cuts where they were made.

Source: RFC 9112.
"""

import asyncio
import socket
import struct
from collections.abc import Sequence
from http import HTTPStatus

from treadle.testing.faults.ledger import Exchange

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class CallerLeftError(Exception):
    """The caller closed its end before the response was over."""


class Response:
    """The response to one request; what is sent is written into the exchange."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, exchange: Exchange) -> None:
        # Drained means handed to the kernel, so that bytes before a reset are not lost with it.
        writer.transport.set_write_buffer_limits(high=0)
        self._reader = reader
        self._writer = writer
        self._exchange = exchange
        self.head_sent = False
        self.reusable = False
        """Whether the connection can carry another request."""

    async def send_whole(
        self,
        status: int,
        body: bytes,
        *,
        content_type: str = "application/json",
        headers: Sequence[tuple[str, str]] = (),
    ) -> None:
        """Send a response of known length."""
        await self.send_head(status, content_type=content_type, headers=headers, length=len(body))
        await self.send_bytes(body)
        self.reusable = True

    async def send_head(
        self, status: int, *, content_type: str, headers: Sequence[tuple[str, str]] = (), length: int | None = None
    ) -> None:
        """Send status line and headers; a length of None means a body in chunks."""
        framing = ("transfer-encoding", "chunked") if length is None else ("content-length", str(length))
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
        lines += [f"{name}: {value}" for name, value in (("content-type", content_type), framing, *headers)]
        self.head_sent = True
        self._exchange.begin(status)
        await self._write("\r\n".join([*lines, "", ""]).encode())

    async def send_chunk(self, piece: bytes) -> None:
        """Send one chunk of the body, of a byte or more: one of none would end it."""
        await self._write(b"%x\r\n%b\r\n" % (len(piece), piece))
        self._exchange.count_bytes(len(piece))

    async def send_bytes(self, data: bytes) -> None:
        """Send bytes of a body whose length was stated."""
        await self._write(data)
        self._exchange.count_bytes(len(data))

    async def end_body(self) -> None:
        """End a body that was sent in chunks."""
        await self._write(b"0\r\n\r\n")
        self.reusable = True

    def reset(self) -> None:
        """Tear the connection down: the caller gets RST, not an end."""
        connected: socket.socket = self._writer.get_extra_info("socket")
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        self._writer.transport.abort()

    async def hold(self, released: asyncio.Event) -> None:
        """Send nothing until released.

        Raises:
            CallerLeftError: The caller left first.
        """
        leaving = asyncio.create_task(self._wait_for_end())
        going_on = asyncio.create_task(released.wait())
        try:
            await asyncio.wait((leaving, going_on), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (leaving, going_on):
                task.cancel()
            await asyncio.gather(leaving, going_on, return_exceptions=True)
        if not released.is_set():
            raise CallerLeftError

    async def _wait_for_end(self) -> None:
        try:
            while await self._reader.read(1):
                pass  # A request sent ahead of the response's end is more than this server answers.
        except ConnectionError:
            return

    async def _write(self, data: bytes) -> None:
        if self._reader.at_eof() or self._writer.transport.is_closing():
            raise CallerLeftError
        try:
            self._writer.write(data)
            await self._writer.drain()
        except ConnectionError as error:
            raise CallerLeftError from error
