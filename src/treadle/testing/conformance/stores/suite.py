"""The suite as a test class: every check, and random lives of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from treadle.testing.conformance.stores import (
    appending,
    claiming,
    creating,
    damage,
    deleting,
    listing,
    reading,
    scopes,
    sending,
    threads,
    waiting,
)
from treadle.testing.conformance.stores.check import Check
from treadle.testing.conformance.stores.harness import StoreHarness
from treadle.testing.conformance.stores.random_runs import lives_of

_PARTS = (creating, threads, claiming, appending, sending, reading, waiting, scopes, listing, deleting, damage)
CHECKS: Final[tuple[Check, ...]] = tuple(
    thing for part in _PARTS for thing in vars(part).values() if isinstance(thing, Check)
)
STEPS: Final = 40
"""Steps of one random life."""


class StoreConformance:
    """Holds a store to the ports. Inherit it, and say which harness makes the store.

    Shape: the checks that the harness can bring about are tests `test_check[name]`; what it lacks is not run.
    """

    harness: ClassVar[type[StoreHarness]]
    marks: ClassVar[Mapping[str, Sequence[pytest.MarkDecorator]]] = {}
    """Marks of single checks, by name; of all that do a thing a thousand times: `heavy`; of random lives: `random`."""
    random_lives: ClassVar[int | None] = None
    """How many random lives are tried; None: as many examples as the profile of Hypothesis says."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Give each check that the harness fits a test of its own."""
        if "check" in metafunc.fixturenames:
            metafunc.parametrize("check", [self._test(one) for one in CHECKS if one.fits(self.harness)])
        if "random_lives" in metafunc.fixturenames:
            lives = pytest.param(self.random_lives, id="random", marks=self.marks.get("random", ()))
            metafunc.parametrize("random_lives", [lives])

    def test_check(self, check: Check, tmp_path: Path) -> None:
        """What the check's own docstring says; where it came from: the ports' contracts."""
        check.hold(self.harness(tmp_path))

    def test_random_lives_of_runs(self, random_lives: int | None, tmp_path: Path) -> None:
        """In any life of a store it says what a naive one says."""
        profile = settings(stateful_step_count=STEPS)
        if random_lives is not None:
            profile = settings(profile, max_examples=random_lives)
        run_state_machine_as_test(lives_of(self.harness, tmp_path), settings=profile)

    def _test(self, one: Check) -> object:
        marks = [*self.marks.get(one.name, ()), *(self.marks.get("heavy", ()) if one.is_heavy else ())]
        return pytest.param(one, id=one.name, marks=marks)
