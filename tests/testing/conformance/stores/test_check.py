"""One check."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.testing.conformance.stores.fragile import FragileHarness
from tests.testing.conformance.stores.planted import harness_of
from treadle.adapters.stores.memory import MemoryStore
from treadle.testing.conformance.stores.bench import Bench
from treadle.testing.conformance.stores.check import check
from treadle.testing.conformance.stores.harness import Corrupts, StoreHarness


@check()
async def a_run_can_be_created(bench: Bench) -> None:
    """It can."""
    await bench.create()


@check(needs=Corrupts, is_heavy=True)
async def nothing_can_be_done(bench: Bench) -> None:
    """It never holds."""
    await bench.create()
    assert await bench.log() == ["something"], "nothing was there"


def test_a_check_is_called_as_its_sentence() -> None:
    """Ours: the sentence is written once."""
    assert a_run_can_be_created.name == "a_run_can_be_created"
    assert (a_run_can_be_created.is_heavy, nothing_can_be_done.is_heavy) == (False, True)


def test_a_check_fits_a_harness_that_can_what_it_needs(tmp_path: Path) -> None:
    """Ours: what cannot be brought about is not tried."""
    plain: type[StoreHarness] = type(harness_of(MemoryStore, tmp_path))
    assert [one.fits(plain) for one in (a_run_can_be_created, nothing_can_be_done)] == [True, False]
    assert [one.fits(FragileHarness) for one in (a_run_can_be_created, nothing_can_be_done)] == [True, True]


def test_a_check_holds_or_says_why_not(tmp_path: Path) -> None:
    """Ours: in an event loop of its own, on a store of its own."""
    a_run_can_be_created.hold(harness_of(MemoryStore, tmp_path))
    a_run_can_be_created.hold(harness_of(MemoryStore, tmp_path))
    with pytest.raises(AssertionError):
        nothing_can_be_done.hold(FragileHarness(tmp_path))
