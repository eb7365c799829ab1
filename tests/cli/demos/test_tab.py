"""The demonstration of a closed tab, and how it finds that its promise is broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.demos.showing import shown
from treadle.cli.demos.tab import tab

pytestmark = [pytest.mark.requirement("DEMO-tab"), pytest.mark.slow]


def test_a_run_that_ends_with_its_reader_is_found_out(tmp_path: Path) -> None:
    """docs/demos.md: leaving is not stopping."""
    found = shown(tab, tmp_path, served="stops_when_left")
    assert found.last["state"] == "cancelled"
    assert found.last["missing_characters"] > 0
    assert any("leaving has stopped it" in said for said in found.broken)
