"""What proves that whoever answers a pause was shown it: tokens, derived from a key and never stored.

In: what a pause is bound to (scope, run, interrupt, arguments digest, expiry) and keys. Out: a token; and from a token
what it is bound to, if one of the keys made it. Everything that is signed is preceded by its length, so no two pauses
are written alike. Pure: keys come in, and are shown by nothing that prints them.

Source: ADR 0032 (tokens of pauses); RFC 2104 (HMAC), with SHA-256.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import struct
from dataclasses import dataclass, field
from typing import Final

from treadle.errors import RunNotFoundError, TokenInvalidError
from treadle.values.ids import InterruptId, RunId
from treadle.values.pauses import PendingInterrupt

LEAST_SECRET_BYTES: Final = 32
LONGEST_TOKEN: Final = 1024
"""Characters of a text that is looked at at all."""

_MAC_BYTES: Final = 32
_DIGEST_BYTES: Final = 32
_SCOPE_BYTES: Final = 16
_NEVER: Final = -1
_FIXED: Final = struct.Struct(f">q{_DIGEST_BYTES}s{_SCOPE_BYTES}sH")
_PURPOSE: Final = b"treadle pause token 1"


@dataclass(frozen=True, slots=True)
class TokenKeys:
    """The key that makes tokens, and the one before it, whose tokens still hold.

    Raises:
        ValueError: A key is too short to be a secret.
    """

    now: bytes = field(repr=False)
    before: bytes | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for key in (self.now, self.before):
            if key is not None and len(key) < LEAST_SECRET_BYTES:
                raise ValueError(f"a secret has {LEAST_SECRET_BYTES} bytes or more, came {len(key)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenClaims:
    """What a token of ours is bound to, beside the scope."""

    interrupt_id: InterruptId
    digest: bytes
    expires_ms: int | None

    @property
    def run_id(self) -> RunId:
        """The run of the pause: its own id stands before the number of the pause."""
        return RunId(self.interrupt_id.rpartition(".i")[0])


def claims_for(pending: PendingInterrupt) -> TokenClaims:
    """What a token of this pause is bound to."""
    return TokenClaims(
        interrupt_id=pending.interrupt_id,
        digest=hashlib.sha256(pending.arguments_digest.encode()).digest(),
        expires_ms=None if pending.expires_at is None else round(pending.expires_at * 1000),
    )


def token_for(pending: PendingInterrupt, *, scope: str, keys: TokenKeys) -> str:
    """The token of a pause: the same whenever it is derived.

    Shape:  letters, digits, `-` and `_`.
    """
    key = _derived(keys.now)
    claims = claims_for(pending)
    named = claims.interrupt_id.encode()
    expires_ms = _NEVER if claims.expires_ms is None else claims.expires_ms
    signed = _FIXED.pack(expires_ms, claims.digest, _mark(key, scope), len(named)) + named
    return base64.urlsafe_b64encode(_mac(key, signed) + signed).rstrip(b"=").decode()


def claims_of(token: str, *, scope: str, keys: TokenKeys) -> TokenClaims:
    """What a token is bound to.

    Raises:
        TokenInvalidError: None of the keys has made it.
        RunNotFoundError: It is of another scope, for which there is no such run in this one.
    """
    mac, signed = _parts(token)
    for secret in (keys.now, keys.before):
        if secret is None:
            continue
        key = _derived(secret)
        if hmac.compare_digest(mac, _mac(key, signed)):
            return _claims(signed, key, scope)
    raise _invalid()


def interrupt_named_in(token: str) -> InterruptId:
    """The pause that a token names, whoever made it: for a wire whose one id is the token. It proves nothing.

    Raises:
        TokenInvalidError: It is no token.
    """
    _, signed = _parts(token)
    try:
        return InterruptId(signed[_FIXED.size :].decode())
    except UnicodeDecodeError:
        raise _invalid() from None


def _claims(signed: bytes, key: bytes, scope: str) -> TokenClaims:
    expires_ms, digest, mark, length = _FIXED.unpack_from(signed)
    named = signed[_FIXED.size :]
    if len(named) != length:  # pragma: no cover (what we signed is whole)
        raise _invalid()
    if not hmac.compare_digest(mark, _mark(key, scope)):
        raise RunNotFoundError("no such run")
    return TokenClaims(
        interrupt_id=InterruptId(named.decode()),
        digest=digest,
        expires_ms=None if expires_ms == _NEVER else expires_ms,
    )


def _parts(token: str) -> tuple[bytes, bytes]:
    if len(token) > LONGEST_TOKEN or not token.isascii():
        raise _invalid()
    try:
        raw = base64.b64decode(token.encode() + b"=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except binascii.Error:
        raise _invalid() from None
    # One pause, one token: what base64 would read as the same is another text.
    if len(raw) < _MAC_BYTES + _FIXED.size or base64.urlsafe_b64encode(raw).rstrip(b"=").decode() != token:
        raise _invalid()
    return raw[:_MAC_BYTES], raw[_MAC_BYTES:]


def _derived(secret: bytes) -> bytes:
    """A key for this purpose alone, so that the secret may have others."""
    return hmac.digest(secret, _PURPOSE, "sha256")


def _mac(key: bytes, signed: bytes) -> bytes:
    return hmac.digest(key, signed, "sha256")


def _mark(key: bytes, scope: str) -> bytes:
    """A scope, without its name: a token does not tell whose it is."""
    return hmac.digest(key, b"scope:" + scope.encode(errors="surrogatepass"), "sha256")[:_SCOPE_BYTES]


def _invalid() -> TokenInvalidError:
    return TokenInvalidError("the token is none of this pause")
