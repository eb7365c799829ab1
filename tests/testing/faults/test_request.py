"""Bytes to requests."""

from __future__ import annotations

import asyncio

import pytest

from treadle.testing.faults.request import BadRequestLineError, HttpRequest, read_request


def _reader(*pieces: bytes) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    for piece in pieces:
        reader.feed_data(piece)
    reader.feed_eof()
    return reader


async def test_requests_are_read_one_after_the_other() -> None:
    """RFC 9112: a body of stated length, then the next request."""
    reader = _reader(
        b"POST /a HTTP/1.1\r\nContent-Length: 2\r\n\r\nab", b"GET /b HTTP/1.1\r\nConnection: Close\r\n\r\n"
    )
    first = HttpRequest(method="POST", path="/a", headers={"content-length": "2"}, body=b"ab")
    second = HttpRequest(method="GET", path="/b", headers={"connection": "Close"}, body=b"")
    assert [await read_request(reader), await read_request(reader), await read_request(reader)] == [first, second, None]
    assert (first.keeps_open, second.keeps_open) == (True, False)


@pytest.mark.parametrize(
    "bytes_sent",
    [
        b"GET /\r\n\r\n",
        b"GET / HTTP/1.1\r\ncontent-length: x\r\n\r\n",
        b"GET / HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n",
        b"x" * 200_000 + b"\r\n\r\n",
    ],
)
async def test_bytes_that_are_no_request_are_refused(bytes_sent: bytes) -> None:
    """What this server does not read it says so (ours)."""
    with pytest.raises(BadRequestLineError):
        await read_request(_reader(bytes_sent))


@pytest.mark.parametrize("bytes_sent", [b"", b"GET / HT", b"POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\n{"])
async def test_a_client_that_leaves_within_its_request_asked_for_nothing(bytes_sent: bytes) -> None:
    """Half a request is none (ours)."""
    assert await read_request(_reader(bytes_sent)) is None
