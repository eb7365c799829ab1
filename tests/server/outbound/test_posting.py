"""One request to one address."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest

from tests.server.outbound.receivers import certified, receiving, rules
from treadle.server.outbound.posting import post
from treadle.server.outbound.targets import target_of

PLAIN = ssl.create_default_context()


async def test_a_body_is_posted_to_the_address_and_its_status_comes_back() -> None:
    """Ours: the name is in the header, the connection goes to the address that was checked."""
    async with receiving(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 202 Accepted\r\n\r\n") as receiver:
        target = target_of(f"http://hooks.example:{receiver.port}/a?b=1", rules())
        assert await post(target, "127.0.0.1", headers={"x-a": "1"}, body=b"{}", tls=PLAIN) == 202
    (came,) = receiver.received
    assert (came.request.method, came.request.target, came.body) == (b"POST", b"/a?b=1", b"{}")
    assert came.headers["host"] == f"hooks.example:{receiver.port}"
    assert (came.headers["content-length"], came.headers["x-a"]) == ("2", "1")


@pytest.mark.requirement("OUT-pinned")
async def test_a_certificate_is_held_against_the_name_and_not_the_address(tmp_path: Path) -> None:
    """Ours: the address is pinned, and TLS still asks for the name and checks it."""
    server, client = certified("hooks.example", tmp_path)
    async with receiving(204, tls=server) as receiver:
        target = target_of(f"https://hooks.example:{receiver.port}/", rules())
        assert await post(target, "127.0.0.1", headers={}, body=b"", tls=client) == 204
        other = target_of(f"https://other.example:{receiver.port}/", rules())
        with pytest.raises(ssl.SSLCertVerificationError):
            await post(other, "127.0.0.1", headers={}, body=b"", tls=client)
        with pytest.raises(ssl.SSLCertVerificationError):
            await post(target, "127.0.0.1", headers={}, body=b"", tls=PLAIN)
    assert len(receiver.received) == 1


@pytest.mark.requirement("OUT-pinned")
async def test_no_redirect_is_followed() -> None:
    """Ours: a public host may not send us on to an inner one."""
    async with receiving(b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\n\r\n") as receiver:
        target = target_of(f"http://hooks.example:{receiver.port}", rules())
        assert await post(target, "127.0.0.1", headers={}, body=b"", tls=PLAIN) == 302


@pytest.mark.parametrize("answer", [b"", b"SSH-2.0-OpenSSH_9.6\r\n", b"HTTP/1.1 200 OK\r\nx: " + b"y" * 70_000])
async def test_what_does_not_answer_in_http_is_no_answer(answer: bytes) -> None:
    """Ours: another protocol, no answer at all, or headers without an end."""
    async with receiving(answer) as receiver:
        target = target_of(f"http://hooks.example:{receiver.port}", rules())
        with pytest.raises(OSError, match=r"HTTP|without an answer"):
            await post(target, "127.0.0.1", headers={}, body=b"", tls=PLAIN)
