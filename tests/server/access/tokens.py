"""Keys and tokens: shared by the tests of tokens that somebody else signed."""

from __future__ import annotations

import functools
import json
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from starlette.requests import HTTPConnection

from tests.server.access.connections import connection

SECRET = "0123456789abcdef" * 4
FAR_S = 2**33
"""An end that no clock has come to: PyJWT asks the machine's own."""
AUDIENCE, ISSUER = "treadle", "https://issuer.example"


@functools.cache
def rsa_key(name: str = "first") -> rsa.RSAPrivateKey:
    """A key pair of this name."""
    assert name
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@functools.cache
def ec_key() -> ec.EllipticCurvePrivateKey:
    """A key pair on a curve."""
    return ec.generate_private_key(ec.SECP256R1())


def public_pem(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> str:
    """The public half, as it is handed out."""
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def private_pem(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> str:
    """The private half, as whoever signs keeps it."""
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def public_jwk(key: rsa.RSAPrivateKey, key_id: str) -> dict[str, Any]:
    """The public half, as it stands in a key set."""
    made: dict[str, Any] = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key()))
    return {**made, "kid": key_id, "use": "sig", "alg": "RS256"}


def claims(**changed: Any) -> dict[str, Any]:  # noqa: ANN401 (a claim is any JSON)
    """The claims of a good token; None takes one out."""
    good = {"sub": "alice", "tenant": "acme", "aud": AUDIENCE, "iss": ISSUER, "exp": FAR_S, "iat": 1}
    return {name: value for name, value in {**good, **changed}.items() if value is not None}


def signed(
    key: Any = SECRET,  # noqa: ANN401 (whatever signs)
    algorithm: str = "HS256",
    *,
    key_id: str | None = None,
    **changed: Any,  # noqa: ANN401 (a claim is any JSON)
) -> str:
    """A token with these claims."""
    headers = None if key_id is None else {"kid": key_id}
    return jwt.encode(claims(**changed), key, algorithm=algorithm, headers=headers)


def shown(token: str) -> HTTPConnection:
    """A connection that shows a token."""
    return connection(("Authorization", f"Bearer {token}"))
