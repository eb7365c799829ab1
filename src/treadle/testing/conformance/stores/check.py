"""One check of a store: a sentence, and what must be there to try it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from treadle.testing.conformance.stores.bench import Bench
from treadle.testing.conformance.stores.clock import SettableClock
from treadle.testing.conformance.stores.harness import StoreHarness

CHECK_S: Final = 120.0
"""Seconds that a whole check may take, on the slowest machine."""

Body = Callable[[Bench], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Check:
    """A sentence about stores that can be tried."""

    body: Body
    needs: type | None = None
    """The protocol of harnesses without which it cannot be tried."""
    is_heavy: bool = False
    """Whether it does a thing a thousand times."""

    @property
    def name(self) -> str:
        """The sentence, in snake case."""
        return str(getattr(self.body, "__name__", ""))

    def fits(self, harness: type[StoreHarness]) -> bool:
        """Whether this harness can do what the check needs."""
        return self.needs is None or issubclass(harness, self.needs)

    def hold(self, harness: StoreHarness) -> None:
        """Try it on a new store, in an event loop of its own.

        Raises:
            AssertionError: The store does not do what the sentence says.
        """
        asyncio.run(self._hold(harness))

    async def _hold(self, harness: StoreHarness) -> None:
        clock = SettableClock()
        async with asyncio.timeout(CHECK_S), harness.make(clock) as store:
            await self.body(Bench(store, clock, harness))


def check(*, needs: type | None = None, is_heavy: bool = False) -> Callable[[Body], Check]:
    """Make a check of a function whose name is the sentence."""
    return lambda body: Check(body, needs, is_heavy)
