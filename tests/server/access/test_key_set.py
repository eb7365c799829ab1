"""Public keys from an address."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.server.access.tokens import AUDIENCE, ISSUER, public_jwk, rsa_key, shown, signed
from treadle.errors import AccessUnavailableError, UnauthenticatedError
from treadle.server.access.bearer_jwt import BearerJwt
from treadle.server.access.key_set import AGAIN_S, FAILED_AGAIN_S, KeySet
from treadle.testing.fake_clock import FakeClock


class Issuer:
    """A server that hands out keys on this machine, and counts how often it is asked."""

    def __init__(self) -> None:
        self.keys: list[dict[str, Any]] = []
        self.asked = 0
        self.status = 200
        self.body: bytes | None = None
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.asked += 1
                body = json.dumps({"keys": issuer.keys}).encode() if issuer.body is None else issuer.body
                self.send_response(issuer.status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def url(self) -> str:
        """Where the keys are."""
        return f"http://127.0.0.1:{self._server.server_port}/keys"

    def close(self) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    """An issuer with one key."""
    made = Issuer()
    made.keys = [public_jwk(rsa_key(), "k1")]
    yield made
    made.close()


@pytest.mark.requirement("ACCESS-jwks")
async def test_the_key_of_a_token_is_found_by_its_id_and_kept(issuer: Issuer) -> None:
    """Ours: a key set is asked for once, not once a request."""
    access = BearerJwt(jwks=issuer.url, algorithms=["RS256"], audience=AUDIENCE, issuer=ISSUER)
    token = signed(rsa_key(), "RS256", key_id="k1")
    found = await asyncio.gather(*[access(shown(token)) for _ in range(20)])
    assert {one.name for one in found} == {"alice"}
    assert issuer.asked == 1


@pytest.mark.requirement("ACCESS-jwks")
@pytest.mark.parametrize("token", [signed(rsa_key(), "RS256"), signed(rsa_key("other"), "RS256", key_id="k1")])
async def test_a_token_without_a_key_id_or_of_another_key_is_refused(issuer: Issuer, token: str) -> None:
    """Ours: a key is named, and it is the one that signed."""
    access = BearerJwt(jwks=issuer.url, algorithms=["RS256"], audience=AUDIENCE, issuer=ISSUER)
    with pytest.raises(UnauthenticatedError):
        await access(shown(token))


@pytest.mark.requirement("ACCESS-jwks")
async def test_ids_that_nobody_knows_do_not_have_the_set_fetched_again_and_again(issuer: Issuer) -> None:
    """Ours: an id comes from a stranger. A key that is new is found within half a minute."""
    clock = FakeClock()
    keys = KeySet(issuer.url, monotonic_s=clock.monotonic_s)
    for number in range(5):
        with pytest.raises(UnauthenticatedError):
            await keys.key(f"unknown{number}")
    assert issuer.asked == 1
    issuer.keys.append(public_jwk(rsa_key("second"), "k2"))
    clock.advance(AGAIN_S)
    assert (await keys.key("k2")).key_id == "k2"
    assert issuer.asked == 2


@pytest.mark.requirement("ACCESS-jwks")
@pytest.mark.parametrize(
    ("status", "body"),
    [(500, b""), (302, b""), (200, b"<html>"), (200, b"[]"), (200, b"{}"), (200, b'{"keys":[]}'), (200, b"\xff")],
)
async def test_an_issuer_that_fails_is_an_outage_and_soon_asked_again(issuer: Issuer, status: int, body: bytes) -> None:
    """Ours: who asks cannot be found out is not the same as nobody; and a wall of requests does not hit the issuer."""
    clock = FakeClock()
    keys = KeySet(issuer.url, monotonic_s=clock.monotonic_s)
    issuer.status, issuer.body = status, body
    for _ in range(3):
        with pytest.raises(AccessUnavailableError):
            await keys.key("k1")
    assert issuer.asked == 1
    issuer.status, issuer.body = 200, None
    clock.advance(FAILED_AGAIN_S)
    assert (await keys.key("k1")).key_id == "k1"


@pytest.mark.requirement("ACCESS-jwks")
@pytest.mark.parametrize("changed", [{"use": "enc"}, {"kty": "oct", "k": "c2VjcmV0" * 8, "alg": "HS256"}])
async def test_a_key_for_something_else_checks_no_token(issuer: Issuer, changed: dict[str, str]) -> None:
    """Ours: a secret in a public set, and a key for encryption, sign nothing."""
    issuer.keys = [public_jwk(rsa_key("second"), "other"), {**public_jwk(rsa_key(), "k1"), **changed}]
    with pytest.raises(UnauthenticatedError):
        await KeySet(issuer.url).key("k1")


@pytest.mark.parametrize("url", ["http://issuer.example/keys", "file:///etc/passwd", "ftp://x/y", "", "issuer.example"])
def test_keys_come_over_tls_or_from_this_machine(url: str) -> None:
    """Ours: whoever can change the keys on their way can sign as anybody."""
    with pytest.raises(ValueError, match="https"):
        KeySet(url)
