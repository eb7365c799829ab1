"""Bearer tokens that somebody else signed (JWT), checked by PyJWT.

In: a connection with `Authorization: Bearer TOKEN`. Out: the principal that the token's claims name. What may sign is
said here and never by the token: no `none`, no secret where a public key is expected, an end (`exp`) always.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

import jwt
from starlette.requests import HTTPConnection

from treadle.errors import UnauthenticatedError
from treadle.server.access.credentials import bearer_of
from treadle.server.access.key_set import KeySet
from treadle.server.access.principal import USER_ACTIONS, Action, Principal

LEEWAY_S: Final = 10.0
"""Seconds that the clock of whoever signs may be off."""
MAX_CLAIM_CHARS: Final = 256
_SECRET_BYTES: Final[Mapping[str, int]] = {"HS256": 32, "HS384": 48, "HS512": 64}
_FURTHEST_S: Final = 2**53
_INVALID: Final = 'Bearer error="invalid_token"'


class BearerJwt:
    """An authenticator over signed tokens.

    Args:
        key: What signatures are checked with: a secret for `HS…`, a public key in PEM for the others.
        jwks: Instead of a key, the address of a key set; the token's `kid` chooses from it.
        algorithms: Which may have signed, all of one kind: secrets or key pairs.
        audience: This server's name in `aud`; one of several is enough. None: tokens with an audience are refused.
        issuer: Who must have issued the token. None: whoever has the key.
        scope_claim: The claim that says whose runs are theirs; the subject itself, where nothing is said.
        name_claim: The claim that says who they are.
        may: What every one of them may do.
    Raises:
        ValueError: No key or two, no algorithm or none that fits the key, or a secret that is too short.
        TypeError: The algorithms are one text.
    """

    def __init__(  # noqa: PLR0913 (one for each thing that a token is held to)
        self,
        *,
        key: str | bytes | None = None,
        jwks: str | KeySet | None = None,
        algorithms: Collection[str],
        audience: str | Collection[str] | None = None,
        issuer: str | None = None,
        scope_claim: str = "sub",
        name_claim: str = "sub",
        may: Collection[Action] = USER_ACTIONS,
    ) -> None:
        if (key is None) == (jwks is None):
            raise ValueError("expected a key or the address of a key set, and not both")
        self._algorithms = _checked(algorithms, key)
        self._key = key
        self._keys = KeySet(jwks) if isinstance(jwks, str) else jwks
        self._audience = audience if audience is None or isinstance(audience, str) else tuple(audience)
        self._issuer = issuer
        self._scope_claim = scope_claim
        self._name_claim = name_claim
        self._may = may

    async def __call__(self, connection: HTTPConnection, /) -> Principal:
        """Whom the token of this connection names.

        Raises:
            UnauthenticatedError: There is none, or it is not what it has to be.
            AccessUnavailableError: The key set cannot be fetched.
        """
        token = bearer_of(connection)
        if token is None:
            raise UnauthenticatedError("expected `Authorization: Bearer TOKEN`, came none")
        try:
            key = self._key if self._keys is None else await self._keys.key(_key_id(token))
            claims = self._claims(token, key)
            until_s = min(int(claims["exp"]), _FURTHEST_S) + LEEWAY_S
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError) as error:
            raise UnauthenticatedError(f"the token was refused: {type(error).__name__}", challenge=_INVALID) from None
        return Principal(
            name=_claim(claims, self._name_claim),
            scope=_claim(claims, self._scope_claim),
            may=self._may,
            until_s=until_s,
        )

    def __repr__(self) -> str:
        return f"BearerJwt(algorithms={self._algorithms!r}, audience={self._audience!r}, issuer={self._issuer!r})"

    def _claims(self, token: str, key: str | bytes | jwt.PyJWK | None) -> Mapping[str, Any]:
        assert key is not None
        claims: Mapping[str, Any] = jwt.decode(
            token,
            key,
            algorithms=self._algorithms,
            audience=self._audience,
            issuer=self._issuer,
            leeway=LEEWAY_S,
            options={"require": ["exp"]},
        )
        return claims


def _checked(algorithms: Collection[str], key: str | bytes | None) -> tuple[str, ...]:
    """The algorithms, where they are of one kind and the key, if it stands here, is of that kind too."""
    if isinstance(algorithms, str):
        raise TypeError(f"expected a list of algorithms, came the text {algorithms!r}")
    chosen = tuple(algorithms)
    known = set(jwt.algorithms.get_default_algorithms()) - {"none"}
    if not chosen or not set(chosen) <= known:
        raise ValueError(f"expected algorithms of {sorted(known)}, came {list(chosen)!r}")
    secret = [name for name in chosen if name in _SECRET_BYTES]
    if secret and len(secret) < len(chosen):
        raise ValueError(f"expected algorithms of one kind, came secrets and key pairs: {list(chosen)!r}")
    if secret and key is None:
        raise ValueError(f"a key set holds public keys, and {secret!r} sign with a secret")
    for name in chosen:
        _check_key(name, key)
    return chosen


def _check_key(name: str, key: str | bytes | None) -> None:
    if key is None:
        return
    try:
        jwt.get_algorithm_by_name(name).prepare_key(key)
    except (jwt.PyJWTError, ValueError, TypeError) as error:
        raise ValueError(f"the key does not fit {name}: {type(error).__name__}") from None
    shortest = _SECRET_BYTES.get(name, 0)
    if len(key if isinstance(key, bytes) else key.encode()) < shortest:
        raise ValueError(f"expected a secret of {shortest} bytes or more for {name}")


def _key_id(token: str) -> str:
    key_id = jwt.get_unverified_header(token).get("kid")
    if not isinstance(key_id, str):
        raise TypeError("kid")
    return key_id


def _claim(claims: Mapping[str, Any], name: str) -> str:
    value = claims.get(name)
    if not isinstance(value, str) or not 0 < len(value) <= MAX_CLAIM_CHARS:
        raise UnauthenticatedError(
            f"expected text of 1 to {MAX_CLAIM_CHARS} characters in the claim {name!r}, came {type(value).__name__}",
            challenge=_INVALID,
        )
    return value
