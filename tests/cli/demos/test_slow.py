"""The demonstration of frozen readers, and how it finds that its promise is broken."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.demos.showing import shown
from treadle.cli.demos.slow import FROZEN, FROZEN_BYTES, MARGIN_BYTES, MARGIN_S, Measured, slow

pytestmark = pytest.mark.requirement("DEMO-slow")
FEW = 3
GOOD = Measured(
    frozen=FROZEN,
    alone_s=1.0,
    beside_s=1.1,
    grown_bytes=2**20,
    rows_alone=9,
    rows_beside=9,
    events_beside=400,
    ended=FROZEN,
    resumed=FROZEN,
)


@pytest.mark.slow
def test_frozen_readers_cost_little_are_ended_and_come_back(tmp_path: Path) -> None:
    """docs/demos.md: all were ended by the server, all were given every character once."""
    found = shown(slow, tmp_path, frozen=FEW)
    # How long it took is the machine's affair, and no test's.
    assert [said for said in found.broken if "took" not in said] == []
    assert (found.last["ended"], found.last["resumed"], found.last["missing_characters"]) == (FEW, FEW, 0)


@pytest.mark.slow
def test_frozen_readers_that_nobody_ends_are_found_out(tmp_path: Path) -> None:
    """docs/demos.md: a reader that takes nothing is ended in its time."""
    found = shown(slow, tmp_path, served="ends_no_reader", frozen=1, ending_s=0)
    assert found.last["ended"] == 0
    assert any("0 of them were ended" in said for said in found.broken)


@pytest.mark.parametrize(
    "worse",
    [
        replace(GOOD, beside_s=GOOD.alone_s * 2 + MARGIN_S + 0.1),
        replace(GOOD, grown_bytes=FROZEN * FROZEN_BYTES + MARGIN_BYTES + 1),
        replace(GOOD, rows_beside=401),
        replace(GOOD, ended=FROZEN - 1),
        replace(GOOD, resumed=FROZEN - 1),
    ],
)
def test_each_bound_is_held(worse: Measured) -> None:
    """docs/demos.md: time, memory, rows, the end, and the way back."""
    assert GOOD.broken() == []
    assert len(worse.broken()) == 1
