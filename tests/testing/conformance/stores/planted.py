"""Whether a check finds a fault that was planted in a store. A check that no fault fails proves nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from treadle.adapters.stores.memory import MemoryStore
from treadle.errors import RunLogError
from treadle.ports.clock import Clock
from treadle.ports.store import Store
from treadle.testing.conformance.stores import CHECKS, StoreHarness, bench
from treadle.testing.conformance.stores.check import Check

IMPATIENCE_S = 0.05
"""What a check waits for a wake-up that a planted fault has lost."""
BY_NAME = {check.name: check for check in CHECKS}


def harness_of(store: type[MemoryStore], folder: Path) -> StoreHarness:
    """A harness that makes such stores."""

    class Harness(StoreHarness):
        @asynccontextmanager
        async def make(self, clock: Clock, /) -> AsyncIterator[Store]:
            yield store(clock)

    return Harness(folder)


def is_found(check: Check, harness: StoreHarness, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether a check fails on the store of a harness."""
    monkeypatch.setattr(bench, "PATIENCE_S", IMPATIENCE_S)
    try:
        check.hold(harness)
    except (AssertionError, RunLogError, pytest.fail.Exception, TimeoutError, ValueError):
        return True
    return False
