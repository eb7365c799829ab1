"""What a harness says of itself."""

from __future__ import annotations

from pathlib import Path

from tests.testing.conformance.stores.fragile import FragileHarness
from tests.testing.conformance.stores.planted import harness_of
from treadle.adapters.stores.memory import MemoryStore
from treadle.testing.conformance.stores.harness import (
    Compacts,
    Corrupts,
    FillsDisk,
    LosesAcknowledgement,
    Reopens,
)

ABILITIES = (Compacts, Corrupts, FillsDisk, LosesAcknowledgement, Reopens)


def test_a_harness_can_what_it_has_methods_for(tmp_path: Path) -> None:
    """Ours: nothing is declared twice."""
    plain, able = harness_of(MemoryStore, tmp_path), FragileHarness(tmp_path)
    assert [isinstance(plain, ability) for ability in ABILITIES] == [False] * 5
    assert [isinstance(able, ability) for ability in ABILITIES] == [True] * 5
    assert plain.folder == tmp_path
