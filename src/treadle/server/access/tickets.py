"""Tickets: a browser's own `EventSource` sends no headers, so it shows one of these in its address, once.

In: who asks and for which run. Out: a text nobody can guess; and later, for that text, who asked. A ticket is spent by
being shown, lives for seconds, and opens one run alone. Tickets are kept in this process, as hashes.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter, OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from treadle.errors import TicketError, TooManyTicketsError
from treadle.ports.clock import Clock
from treadle.values.ids import RunId

LIFE_S: Final = 30.0
"""Seconds between the issue of a ticket and the last moment at which it opens anything."""
PER_HOLDER: Final = 32
TOTAL: Final = 10_000
_TICKET_BYTES: Final = 32

Holder = TypeVar("Holder", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Issued(Generic[Holder]):
    holder: Holder
    run_id: RunId
    until_s: float


class Tickets(Generic[Holder]):
    """The unspent tickets of one process. What a holder is, the caller decides: a principal, as a rule.

    Units: `life_s` is seconds by the clock's monotonic time.
    """

    def __init__(
        self, clock: Clock, *, life_s: float = LIFE_S, per_holder: int = PER_HOLDER, total: int = TOTAL
    ) -> None:
        self._clock = clock
        self._life_s = life_s
        self._per_holder = per_holder
        self._total = total
        self._unspent: OrderedDict[bytes, _Issued[Holder]] = OrderedDict()
        self._held: Counter[Holder] = Counter()

    def issue(self, holder: Holder, run_id: RunId) -> str:
        """A ticket that opens this run once, for this holder.

        Raises:
            TooManyTicketsError: There are as many unspent ones as there may be.
        """
        self._forget_old()
        if self._held[holder] >= self._per_holder or len(self._unspent) >= self._total:
            raise TooManyTicketsError(
                f"at most {self._per_holder} unspent tickets each, {self._total} in all", retry_after_s=self._life_s
            )
        ticket = secrets.token_urlsafe(_TICKET_BYTES)
        until_s = self._clock.monotonic_s() + self._life_s
        self._unspent[_hashed(ticket)] = _Issued(holder=holder, run_id=run_id, until_s=until_s)
        self._held[holder] += 1
        return ticket

    def redeem(self, ticket: str, run_id: RunId) -> Holder:
        """Whoever the ticket was issued to. It is spent by this, also where it is refused.

        Raises:
            TicketError: It is spent, too old, for another run, or was not issued here.
        """
        issued = self._unspent.pop(_hashed(ticket), None)
        if issued is not None:
            self._let_go(issued)
        if issued is None or issued.run_id != run_id or issued.until_s <= self._clock.monotonic_s():
            raise TicketError("the ticket opens nothing here: each opens one run, once, and soon after it was issued")
        return issued.holder

    def __len__(self) -> int:
        self._forget_old()
        return len(self._unspent)

    def _forget_old(self) -> None:
        """Tickets live equally long, so the oldest are the first."""
        now_s = self._clock.monotonic_s()
        while self._unspent and next(iter(self._unspent.values())).until_s <= now_s:
            self._let_go(self._unspent.popitem(last=False)[1])

    def _let_go(self, issued: _Issued[Holder]) -> None:
        self._held[issued.holder] -= 1
        if not self._held[issued.holder]:
            del self._held[issued.holder]


def _hashed(ticket: str) -> bytes:
    return hashlib.sha256(ticket.encode(errors="surrogatepass")).digest()
