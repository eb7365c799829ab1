"""Public keys from an address (JWKS).

In: the id of a key. Out: the key. Fetched in a thread, one fetch at a time, kept for minutes; an id that nobody knows
has the set fetched again only so often, since ids come from strangers.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from typing import Final

import anyio.to_thread
import jwt
from anyio import CapacityLimiter

from treadle.errors import AccessUnavailableError, UnauthenticatedError

KEPT_S: Final = 300.0
AGAIN_S: Final = 30.0
"""Seconds between two fetches for the sake of an unknown id."""
FAILED_AGAIN_S: Final = 5.0
"""Seconds after a fetch that failed."""
FETCH_S: Final = 5.0
PATIENCE_S: Final = 15.0
"""Seconds that a request waits for a fetch, and for those before it."""


class KeySet:
    """The keys that stand at one address.

    Args:
        monotonic_s: Seconds that only grow.
    Raises:
        ValueError: The address is none of HTTP. Keys come over TLS, unless from this machine.
    """

    def __init__(self, url: str, *, monotonic_s: Callable[[], float] = time.monotonic) -> None:
        if not url.startswith(("https://", "http://localhost:", "http://127.0.0.1:", "http://[::1]:")):
            raise ValueError(f"expected an https address of a key set, came {url!r}")
        self._client = jwt.PyJWKClient(url, cache_jwk_set=True, lifespan=KEPT_S, timeout=FETCH_S)
        self._monotonic_s = monotonic_s
        self._one: CapacityLimiter | None = None
        self._not_before_s = -math.inf

    async def key(self, key_id: str) -> jwt.PyJWK:
        """The key of this id.

        Raises:
            UnauthenticatedError: The set holds none such.
            AccessUnavailableError: The set cannot be fetched.
        """
        found = self._kept(key_id)
        if found is not None:
            return found
        if self._one is None:
            self._one = CapacityLimiter(1)
        try:
            async with asyncio.timeout(PATIENCE_S), self._one:
                return self._kept(key_id) or await self._fetched(key_id)
        except TimeoutError as late:
            raise AccessUnavailableError("the key set was not fetched in time") from late

    def _kept(self, key_id: str) -> jwt.PyJWK | None:
        cache = self._client.jwk_set_cache
        kept = None if cache is None else cache.get()
        return None if kept is None else _matching(kept, key_id)

    async def _fetched(self, key_id: str) -> jwt.PyJWK:
        now_s = self._monotonic_s()
        if now_s < self._not_before_s:
            raise self._missing()
        self._not_before_s = now_s + AGAIN_S
        try:
            fetched = await anyio.to_thread.run_sync(lambda: self._client.get_jwk_set(refresh=True))
        except (jwt.PyJWTError, OSError, ValueError) as error:
            self._not_before_s = now_s + FAILED_AGAIN_S
            raise AccessUnavailableError(f"the key set could not be fetched: {type(error).__name__}") from error
        found = _matching(fetched, key_id)
        if found is None:
            raise self._missing()
        return found

    def _missing(self) -> UnauthenticatedError | AccessUnavailableError:
        """What it means that a key is not there depends on whether there is a set at all."""
        cache = self._client.jwk_set_cache
        if cache is None or cache.get() is None:
            return AccessUnavailableError("the key set could not be fetched a moment ago")
        return UnauthenticatedError("no key of the set has the token's id", challenge='Bearer error="invalid_token"')


def _matching(keys: jwt.PyJWKSet, key_id: str) -> jwt.PyJWK | None:
    """A key for signatures; a secret has no place in a public set."""
    for key in keys.keys:
        if key.key_id == key_id and key.public_key_use in ("sig", None) and key.key_type != "oct":
            return key
    return None
