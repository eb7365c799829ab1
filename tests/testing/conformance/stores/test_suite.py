"""The suite as a test class, as a user runs it."""

from __future__ import annotations

import pytest

from treadle.testing.conformance.stores import CHECKS

MINE = """
from contextlib import asynccontextmanager
import pytest
from treadle.adapters.stores.memory import MemoryStore
from treadle.testing.conformance.stores import StoreConformance, StoreHarness

class Harness(StoreHarness):
    @asynccontextmanager
    async def make(self, clock):
        yield MemoryStore(clock)

class TestMine(StoreConformance):
    harness = Harness
    random_lives = 2
    marks = {"one_key_is_one_run": [pytest.mark.slow]}
"""


def test_three_lines_run_every_check_that_the_harness_fits(pytester: pytest.Pytester) -> None:
    """Ours: whoever writes a store needs no more than this."""
    pytester.makepyfile(MINE)
    pytester.makeini("[pytest]\nmarkers = slow\nasyncio_default_fixture_loop_scope = function\n")
    result = pytester.runpytest_inprocess("-q", "-p", "no:cacheprovider", "-m", "not slow")
    result.assert_outcomes(passed=sum(check.needs is None for check in CHECKS), deselected=1)


def test_no_two_checks_are_called_the_same() -> None:
    """Ours: a name is how a check is found and marked."""
    names = [check.name for check in CHECKS]
    assert len(names) == len({*names})
    assert all((check.body.__doc__ or "").strip() for check in CHECKS)
