"""API keys: a table from keys to principals.

In: a connection with `Authorization: Bearer KEY` or `X-API-Key: KEY`. Out: the principal of the key. The table holds
hashes under a key of this process, so that neither a dump of it nor the time of a look-up tells anything about a key.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from typing import Final

from starlette.requests import HTTPConnection

from treadle.errors import UnauthenticatedError
from treadle.server.access.credentials import api_key_of, bearer_of
from treadle.server.access.principal import Principal

MIN_KEY_CHARS: Final = 16
"""Shorter keys can be guessed."""


class ApiKeys:
    """An authenticator over keys that were handed out before.

    Shape:  `keys` maps each key to whom it stands for; two keys may stand for one principal.
    Raises:
        ValueError: No key, or one that is too short or cannot stand in a header.
    """

    def __init__(self, keys: Mapping[str, Principal]) -> None:
        if not keys:
            raise ValueError("expected at least one API key, came none")
        self._secret = secrets.token_bytes(32)
        self._principals: dict[bytes, Principal] = {}
        for key, principal in keys.items():
            self.add(key, principal)

    def add(self, key: str, principal: Principal) -> None:
        """Take in one more key, or give an old one to somebody else.

        Raises:
            ValueError: The key is too short or cannot stand in a header.
        """
        if len(key) < MIN_KEY_CHARS or not (key.isascii() and key.isprintable()) or " " in key:
            raise ValueError(
                f"expected an API key of {MIN_KEY_CHARS} or more visible ASCII characters without blanks, came one of "
                f"{len(key)} for {principal.name!r}"
            )
        self._principals[self._hashed(key)] = principal

    def revoke(self, key: str) -> bool:
        """Forget a key. Open streams that it opened end at their next check. False where it was not known."""
        return self._principals.pop(self._hashed(key), None) is not None

    async def __call__(self, connection: HTTPConnection, /) -> Principal:
        """Whom the key of this connection stands for."""
        bearer, named = bearer_of(connection), api_key_of(connection)
        if bearer is not None and named is not None:
            raise UnauthenticatedError("expected one credential, came `Authorization` and `X-API-Key`")
        key = named if bearer is None else bearer
        if key is None:
            raise UnauthenticatedError("expected `Authorization: Bearer KEY` or `X-API-Key: KEY`, came neither")
        principal = self._principals.get(self._hashed(key))
        if principal is None:
            raise UnauthenticatedError("the key is none of this server's", challenge='Bearer error="invalid_token"')
        return principal

    def __repr__(self) -> str:
        return f"ApiKeys({len(self._principals)} keys)"

    def _hashed(self, key: str) -> bytes:
        """Equal for equal keys alone. Under a secret of this process, the time to find it tells nothing of the key."""
        return hashlib.blake2b(key.encode(), key=self._secret, digest_size=32).digest()
