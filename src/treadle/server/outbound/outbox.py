"""Bodies for addresses of clients, sent until they are taken, or until that is given up.

In: a body, its id, where to. Out: whether it was taken. Each attempt asks the name server anew, checks what it says,
and signs anew; the id stays. At least once: whoever receives it may get it twice, and tells that by the id.

Source: ADR 0050 (webhooks go to checked addresses).
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from treadle.errors import OutboundRefusedError
from treadle.ports.clock import Clock
from treadle.server.outbound.posting import post
from treadle.server.outbound.rules import OutboundRules
from treadle.server.outbound.signing import signed
from treadle.server.outbound.targets import Resolve, Target, addresses_of, system_resolve, target_of
from treadle.values.mappings import empty

_log: Final = logging.getLogger("treadle.outbound")

AT_ONCE: Final = 32
"""Attempts that are under way at the same time, of all that is to be sent."""
_AGAIN: Final = frozenset({408, 425, 429})
"""Refusals that may be over in a while, beside those of a server that failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """Something to be sent. `message_id` is its id however often it is sent; `headers` go beside those that sign it."""

    url: str
    message_id: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=empty)


class Outbox:
    """Sends parcels, by one set of rules.

    Args:
        resolve: Who knows what names stand for.
        tls: How certificates are checked; by those that this machine trusts.
        wait: Lets seconds pass between attempts.
    """

    def __init__(
        self,
        rules: OutboundRules,
        *,
        clock: Clock,
        resolve: Resolve = system_resolve,
        tls: Callable[[], ssl.SSLContext] = ssl.create_default_context,
        wait: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._rules = rules
        self._clock = clock
        self._resolve = resolve
        self._make_tls = tls
        self._wait = wait
        self._tls: ssl.SSLContext | None = None
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def check(self, url: str) -> None:
        """Refuse an address that could not be called, before anything is to be sent there.

        Raises:
            OutboundRefusedError: It may not be called, or stands for nothing now.
        """
        target = target_of(url, self._rules)
        try:
            async with asyncio.timeout(self._rules.timeout_s):
                await addresses_of(target, self._rules, self._resolve)
        except OSError as unknown:
            raise OutboundRefusedError("the host of the url cannot be found") from unknown

    async def deliver(self, parcel: Parcel) -> bool:
        """Send it until it is taken, or until there is no sense in it any more. It raises nothing.

        Cancel:  Safe: it may have been taken.
        """
        for attempt in range(1, self._rules.attempts + 1):
            status = await self._attempt(parcel)
            if status is not None and 200 <= status < 300:
                return True
            if status is not None and status < 500 and status not in _AGAIN:
                _log.warning("%s was refused with %d and is given up", parcel.message_id, status)
                return False
            if attempt < self._rules.attempts:
                await self._wait(self._rules.wait_s(attempt))
        _log.warning("%s was not taken in %d attempts and is given up", parcel.message_id, self._rules.attempts)
        return False

    async def _attempt(self, parcel: Parcel) -> int | None:
        """One attempt: the status of the answer; None where none came."""
        try:
            async with self._turn, asyncio.timeout(self._rules.timeout_s):
                return await self._sent(parcel)
        except OutboundRefusedError as refused:
            _log.warning("%s is not sent: %s", parcel.message_id, refused)
            return _FORBIDDEN
        except (OSError, TimeoutError) as failed:
            _log.info("%s could not be sent: %s", parcel.message_id, type(failed).__name__)
            return None

    async def _sent(self, parcel: Parcel) -> int:
        target = target_of(parcel.url, self._rules)
        addresses = await addresses_of(target, self._rules, self._resolve)
        mac = signed(parcel.body, message_id=parcel.message_id, at_s=self._clock.now_s(), secret=self._rules.secret)
        headers = {"content-type": "application/json", **parcel.headers, **mac}
        return await self._posted(target, addresses, headers, parcel.body)

    async def _posted(self, target: Target, addresses: tuple[str, ...], headers: Mapping[str, str], body: bytes) -> int:
        """To the first of its addresses that takes a connection."""
        for address in addresses[:-1]:
            try:
                return await post(target, address, headers=headers, body=body, tls=self._context)
            except ConnectionRefusedError:
                continue
        return await post(target, addresses[-1], headers=headers, body=body, tls=self._context)

    @property
    def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = self._make_tls()
        return self._tls


_FORBIDDEN: Final = 403
"""What an address that may not be called is taken to have answered."""
