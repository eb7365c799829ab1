"""What a request carries to prove who asks.

In: the headers of a connection. Out: a credential, or a refusal. Two credentials in one request are refused, since two
readers of it could take different ones for the true one. No credential stands in a message, a log line or a printed
form.
"""

from __future__ import annotations

from typing import Final

from starlette.requests import HTTPConnection

from treadle.errors import UnauthenticatedError

MAX_CREDENTIAL_CHARS: Final = 16 * 1024


def bearer_of(connection: HTTPConnection) -> str | None:
    """The token of `Authorization: Bearer`; None where the request has no such header.

    Raises:
        UnauthenticatedError: The header is there and is no bearer token, or is there twice.
    """
    header = _one(connection, "authorization")
    if header is None:
        return None
    scheme, _, token = header.strip(" \t").partition(" ")
    if scheme.lower() != "bearer":
        raise UnauthenticatedError("expected `Authorization: Bearer`, came another scheme")
    return _checked(token.strip(" \t"), "Authorization")


def api_key_of(connection: HTTPConnection) -> str | None:
    """The key of `X-API-Key`; None where the request has no such header.

    Raises:
        UnauthenticatedError: The header is empty, too long or no text of one word, or is there twice.
    """
    header = _one(connection, "x-api-key")
    return None if header is None else _checked(header.strip(" \t"), "X-API-Key")


def _one(connection: HTTPConnection, name: str) -> str | None:
    found = connection.headers.getlist(name)
    if len(found) > 1:
        raise UnauthenticatedError(f"expected one header {name!r}, came {len(found)}")
    return found[0] if found else None


def _checked(credential: str, header: str) -> str:
    fits = 0 < len(credential) <= MAX_CREDENTIAL_CHARS
    if not (fits and credential.isascii() and credential.isprintable() and " " not in credential):
        raise UnauthenticatedError(
            f"expected one word of at most {MAX_CREDENTIAL_CHARS} visible ASCII characters in {header!r}"
        )
    return credential
